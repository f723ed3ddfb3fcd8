#include "serve/first_entries.h"

#include <fmt/format.h>

#include <algorithm>

namespace rein::serve {

std::vector<std::string> first_entries(const Event& created, std::size_t bytes_per_entry) {
  const std::string_view whole = created.record;
  Event head = created;
  head.record = whole.substr(0, bytes_per_entry);
  std::vector<std::string> entries(1);
  for (std::size_t at = head.record.size(); at < whole.size(); at += bytes_per_entry) {
    Event part{.kind = Event::Kind::kPart, .at = created.at};
    part.record = whole.substr(at, bytes_per_entry);
    encode(part, entries.emplace_back());
  }
  head.id = entries.size() - 1;
  encode(head, entries[0]);
  return entries;
}

Result<> append_first(Journal& journal, const Event& created) {
  const std::vector<std::string> entries = first_entries(created);
  const std::vector<std::string_view> views(entries.begin(), entries.end());
  return journal.append(views);
}

Result<FirstEvent> read_first(const Journal& journal) {
  FirstEvent first;
  std::int64_t read = 0;
  auto done = journal.read(1, [&](std::int64_t number, std::string_view bytes) -> Result<bool> {
    auto event = decode_event(bytes);
    if (!event) return event.failure().in(fmt::format("journal entry {}: ", number));
    read = number;
    const auto wanted = number == 1 ? Event::Kind::kCreated : Event::Kind::kPart;
    if (event.value().kind != wanted) {
      const char* what = number == 1 ? "it does not create a model" : "it is no part of a state";
      return Error{fmt::format("journal entry {}: {}", number, what), Reason::kCorrupt};
    }
    if (number == 1) {
      first.created = std::move(event).value();
      first.last = 1 + static_cast<std::int64_t>(std::min<std::uint64_t>(
                           first.created.id, static_cast<std::uint64_t>(journal.last())));
    } else {
      first.created.record += event.value().record;
    }
    return number < first.last;
  });
  if (!done) return done.failure();
  if (read == 0) return Error{"the journal has no entries", Reason::kCorrupt};
  if (read != first.last || first.created.id != static_cast<std::uint64_t>(first.last - 1)) {
    return Error{fmt::format("journal entry {}: the state of the model goes on in {} more entries, "
                             "and the journal ends at entry {}",
                             1, first.created.id, journal.last()),
                 Reason::kCorrupt};
  }
  first.created.id = 0;
  return first;
}

}  // namespace rein::serve
