#include "log/dsjson_features.h"

#include <fmt/format.h>

#include <algorithm>

#include "log/notes.h"

namespace rein {
namespace {

constexpr int kDeepest = 16;

}  // namespace

bool DsjsonFeatures::add(std::int32_t number, double value, FeatureList& out) {
  if (number < 0) {
    return refuse(
        fmt::format("found more than {} different features or {} namespaces; accepted: fewer",
                    kMaxLogNames, kMaxLogSpaces));
  }
  if (out.size() >= kMaxLogFeatures) {
    return refuse(fmt::format("found more than {} features; accepted: fewer", kMaxLogFeatures));
  }
  if (value != 0.0) out.add(number, value);
  return true;
}

bool DsjsonFeatures::read(JsonCursor& from, std::span<const char* const> ends, RowBuffer& out) {
  row_ = &out;
  ends_ = ends;
  actions_ = -1;
  doubled_ = false;
  wrong_.clear();
  out.shared.begin_list();
  if (!object(from, top_, out.shared, 0, true)) return false;
  if (out.shared.end_list()) doubled_ = true;
  return true;
}

// Reads the entries `"key":number` whose keys the row before had here, up to the first that differs.
// The cursor is then before a comma or at the end of the object.
bool DsjsonFeatures::read_known(JsonCursor& from, std::int32_t space, FeatureList& out) {
  const char* at = from.at();
  while (!ends_.empty() && ends_.front() < at) ends_ = ends_.subspan(1);
  const std::size_t count = read_known_words(at, ends_, space, table_, out);
  if (count == 0) return false;
  ends_ = ends_.subspan(count);
  from.move_to(at);
  return true;
}

// Takes `"key":{` if a namespace of that name began so lately.
inline bool DsjsonFeatures::take_space(JsonCursor& from, std::int32_t& space) {
  for (const FeatureTable::Start& each : recent_) {
    if (!each.stands(from.at())) continue;
    space = each.space;
    from.move_to(from.at() + each.text.size);
    return true;
  }
  return false;
}

bool DsjsonFeatures::object(JsonCursor& from, std::int32_t space, FeatureList& out, int depth,
                            bool top) {
  if (depth > kDeepest) {
    return refuse(fmt::format("found objects more than {} deep; accepted: fewer levels", kDeepest));
  }
  if (!from.take('{')) return refuse("found a value that is no object; accepted: {\"key\": value}");
  return entries(from, space, out, depth, top, true);
}

// The entries of an object, up to its end; `first`: no entry came yet.
bool DsjsonFeatures::entries(JsonCursor& from, std::int32_t space, FeatureList& out, int depth,
                             bool top, bool first) {
  while (from.more('}', first)) {
    if (read_known(from, space, out)) continue;
    if (std::int32_t inner = -1; depth < kDeepest && take_space(from, inner)) {
      if (!entries(from, inner, out, depth + 1, false, true)) return false;
      continue;
    }
    std::string_view key;
    if (!from.key(key, key_room_)) return false;
    if (!key.empty() && key[0] == '_') {
      if (!hidden(from, key, space, out, top)) return false;
    } else if (!value(from, key, space, out, depth)) {
      return false;
    }
  }
  return from.ok();
}

// An action. Most have one namespace, `{"A":{...}}`, and known features.
bool DsjsonFeatures::action(JsonCursor& from, FeatureList& out) {
  const char* const start = from.at();
  std::int32_t space = -1;
  if (*start == '{') {
    from.move_to(start + 1);
    if (take_space(from, space)) {
      const bool known = read_known(from, space, out);
      if (known && from.at()[0] == '}' && from.at()[1] == '}') {
        from.move_to(from.at() + 2);
        return true;
      }
      return entries(from, space, out, 2, false, !known) &&
             entries(from, top_, out, 1, false, false);
    }
    from.move_to(start);
  }
  return object(from, top_, out, 1, false);
}

bool DsjsonFeatures::value(JsonCursor& from, std::string_view key, std::int32_t space,
                           FeatureList& out, int depth) {
  switch (from.peek()) {
    case '"': {
      std::string_view text;
      return from.text(text, text_room_) && add(table_.number(space, key, text), 1.0, out);
    }
    case 't':
    case 'f': {
      bool truth = false;
      if (!from.boolean(truth)) return false;
      return !truth || add(table_.number(space, key), 1.0, out);
    }
    case 'n':
      return from.null();
    case '{': {
      const std::int32_t inner = table_.space(key);
      const bool plain = inner >= 0 && !key.empty() && FeatureTable::is_plain(key);
      const auto start = FeatureTable::expect('"' + std::string(key) + "\":{");
      if (plain && start.size > 0) recent_[next_recent_++ % recent_.size()] = {start, inner};
      return object(from, inner, out, depth + 1, false);
    }
    case '[':
      return array(from, table_.space(key), out, depth + 1);
    default: {
      double number = 0.0;
      return from.number(number) && add(table_.number(space, key), number, out);
    }
  }
}

// Keys that begin with an underscore are no features.
bool DsjsonFeatures::hidden(JsonCursor& from, std::string_view key, std::int32_t space,
                            FeatureList& out, bool top) {
  if (top && key == "_multi") {
    if (actions_ >= 0) return refuse("found _multi twice; accepted: once");
    return multi(from);
  }
  if (key != "_text") return from.skip();  // _tag and others
  std::string_view text;
  return from.text(text, text_room_) && words(text, space, out);
}

bool DsjsonFeatures::words(std::string_view text, std::int32_t space, FeatureList& out) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    if (end > 0 && !add(table_.number(space, text.substr(0, end)), 1.0, out)) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

bool DsjsonFeatures::array(JsonCursor& from, std::int32_t space, FeatureList& out, int depth) {
  if (!from.take('[')) return false;
  std::size_t place = 0;
  for (bool first = true; from.more(']', first);) {
    const char c = from.peek();
    double number = 0.0;
    std::string_view text;
    if (c == '{') {
      if (!object(from, space, out, depth + 1, false)) return false;
    } else if (c == '"') {
      if (!from.text(text, text_room_) || !add(table_.number(space, text), 1.0, out)) return false;
    } else if (c == 'n') {
      if (!from.null()) return false;
    } else if (c == '[' || c == 't' || c == 'f') {
      return refuse("found a list, true or false in a list; accepted: numbers, texts and objects");
    } else {
      if (!from.number(number)) return false;
      if (!add(table_.number(space, fmt::format("[{}]", place++)), number, out)) return false;
    }
  }
  return from.ok();
}

bool DsjsonFeatures::multi(JsonCursor& from) {
  if (!from.take('[')) return refuse("_multi: found no list; accepted: a list of actions");
  actions_ = 0;
  row_->begin.push_back(0);
  for (bool first = true; from.more(']', first);) {
    row_->features.begin_list();
    if (!action(from, row_->features)) return false;
    if (row_->features.end_list()) doubled_ = true;
    if (++actions_ > kMaxActions) {
      return refuse(fmt::format("found more than {} actions; accepted: fewer", kMaxActions));
    }
    row_->begin.push_back(static_cast<std::int32_t>(row_->features.size()));
  }
  return from.ok();
}

}  // namespace rein
