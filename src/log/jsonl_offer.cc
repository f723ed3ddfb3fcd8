#include "log/jsonl_offer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "log/notes.h"
#include "rein/shape.h"

namespace rein {

void JsonlOffer::clear() {
  given.clear();
  played = {};
  has_action = has_actions = false;
}

bool JsonlOffer::read(JsonCursor& from, GivenAction& out, std::string& room) {
  if (from.peek() == '"') {
    std::string_view text;
    if (!from.text(text, room)) return false;
    out.text = text;
    return true;
  }
  std::int64_t whole = 0;
  out.number = true;
  if (!from.whole(whole)) return false;
  out.text = std::to_string(whole);
  return true;
}

std::int32_t JsonlOffer::id_of(const GivenAction& action) {
  if (!numbered_) return fixed_ ? actions_.find(action.text) : actions_.number(action.text);
  std::int64_t id = -1;
  std::from_chars(action.text.data(), action.text.data() + action.text.size(), id);
  return action.number && id >= 0 && id < kMaxActions ? static_cast<std::int32_t>(id) : -1;
}

std::pair<std::string_view, std::string> JsonlOffer::wrong_action(const GivenAction& action) const {
  return {"action",
          fmt::format("found action {}; accepted: {}", quoted(action.text),
                      numbered_ ? "a number from 0 on, as in the first row" : "those given")};
}

std::pair<std::string_view, std::string> JsonlOffer::use(LogRow& row, RowBuffer& buffer) {
  if (!has_action) return {"no action", "found no action; accepted: its name or number"};
  if (has_actions && given.empty()) {
    return {"no actions", "actions: found none; accepted: one or more"};
  }
  if (!decided_) {
    decided_ = true;
    numbered_ = has_actions && played.number && !fixed_;
    all_offered_ = !has_actions;
  }
  if (has_actions == all_offered_) {
    return {"offers", all_offered_
                          ? "found actions; accepted: none, as in the first row"
                          : "found no actions; accepted: those offered, as in the first row"};
  }
  bool plain = numbered_;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::int32_t id = id_of(given[i]);
    if (id < 0) return wrong_action(given[i]);
    if (std::ranges::find(buffer.offered, id) != buffer.offered.end()) {
      return {"twice",
              fmt::format("actions: found {} twice; accepted: once", quoted(given[i].text))};
    }
    plain = plain && as_size(id) == i;
    buffer.offered.push_back(id);
  }
  const std::int32_t id = id_of(played);
  if (id < 0) return wrong_action(played);
  row.played = id;
  if (all_offered_) return {};
  const auto at = std::ranges::find(buffer.offered, id);
  if (at == buffer.offered.end()) {
    return {"not offered",
            fmt::format("found action {}, which is not among those offered", quoted(played.text))};
  }
  row.actions = static_cast<int>(given.size());
  row.played = static_cast<int>(at - buffer.offered.begin());
  if (plain) buffer.offered.clear();
  return {};
}

}  // namespace rein
