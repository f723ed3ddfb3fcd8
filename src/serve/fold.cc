#include "serve/fold.h"

#include <fmt/format.h>

#include "serve/first_entries.h"

namespace rein::serve {
namespace {

Result<ModelState> first_state(const Journal& journal, const FoldRange& range,
                               std::int64_t& position) {
  if (range.from != nullptr) {
    if (auto continues = check_continues(journal, *range.from); !continues) {
      return continues.failure();
    }
    position = range.from->position;
    return ModelState::restore(range.from->bytes, range.blind);
  }
  const auto first = read_first(journal);
  if (!first) return first.failure();
  position = first.value().last;
  return ModelState::created(first.value().created, range.blind);
}

}  // namespace

Result<> check_begins(const Journal& journal) {
  if (journal.first() == 1) return {};
  return Error{fmt::format("the journal begins with entry {}; accepted: one that has all entries from 1 on",
                           journal.first())};
}

Error error_in(const std::string& folder, const Error& why) {
  const Error placed = why.in(folder + ": ");
  if (why.reason != Reason::kMeaning) return placed;
  return {fmt::format("{}. Nothing is damaged: `rein migrate {} --to DATA/NAME --policy ccb` goes on with "
                      "another policy; inspect and export read it as it is",
                      placed.message, folder),
          why.reason};
}

Result<ModelState> fold_journal(const Journal& journal, const FoldRange& range,
                                const AfterEntry& after) {
  std::int64_t position = 0;
  auto state = first_state(journal, range, position);
  if (!state) return state;
  if (position >= range.to) return state;
  auto read =
      journal.read(position + 1, [&](std::int64_t number, std::string_view bytes) -> Result<bool> {
        const auto event = decode_event(bytes);
        if (!event) return event.failure().in(fmt::format("journal entry {}: ", number));
        if (auto folded = state.value().fold(number, event.value()); !folded) {
          return folded.failure();
        }
        if (after) {
          if (auto done = after(number, event.value(), state.value()); !done) return done.failure();
        }
        return number < range.to;
      });
  if (!read) return read.failure();
  return state;
}

}  // namespace rein::serve
