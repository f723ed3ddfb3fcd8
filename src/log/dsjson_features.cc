#include "log/dsjson_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

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

bool DsjsonFeatures::read(JsonCursor& from, RowBuffer& out) {
  row_ = &out;
  actions_ = -1;
  doubled_ = false;
  wrong_.clear();
  out.shared.begin_list();
  if (!object(from, top_, out.shared, 0, true)) return false;
  if (out.shared.end_list()) doubled_ = true;
  return true;
}

// Reads the entries `"key":number` whose keys the row before had here, up to the first that differs: no
// table is asked. The cursor is then before a comma or at the end of the object. All that the loop
// needs is in local variables: it runs once per feature of a log.
bool DsjsonFeatures::read_many(JsonCursor& from, std::int32_t space, FeatureList& out) {
  const auto guesses = table_.guesses();
  const FeatureList::Room room = out.more(guesses.size());
  const char* const end = from.end();
  const char* at = from.at();
  const char* read_to = at;
  std::size_t entries = 0, kept = 0;
  std::int32_t last = -1;
  bool ascends = true;
  for (; entries < guesses.size(); ++entries) {
    const FeatureTable::Guess& guess = guesses[entries];
    std::uint64_t head = 0;
    std::memcpy(&head, at + 1, sizeof head);
    const char* const quote = at + 1 + guess.size;
    if (*at != '"' || ((head ^ guess.head) & guess.mask) != 0 || guess.space != space ||
        guess.size == 0 || quote + 2 >= end || quote[0] != '"' || quote[1] != ':') {
      break;
    }
    const char c = quote[2];
    if (c != '-' && static_cast<unsigned char>(c - '0') >= 10) break;
    double value = 0.0;
    bool zero = false;
    const char* const stop = read_padded(quote + 2, end, value, zero);
    if (stop == nullptr || stop >= end || (*stop != ',' && *stop != '}')) break;
    if (!zero) [[likely]] {
      room.index[kept] = guess.number;
      room.value[kept] = value;
      ascends = ascends && guess.number > last;
      last = guess.number;
      ++kept;
    }
    read_to = stop;
    if (*stop == '}') {
      ++entries;
      break;
    }
    at = stop + 1;
  }
  table_.accept_many(entries);
  out.took(kept, ascends);
  from.move_to(read_to);
  return entries > 0;
}

bool DsjsonFeatures::object(JsonCursor& from, std::int32_t space, FeatureList& out, int depth,
                            bool top) {
  if (depth > kDeepest) {
    return refuse(fmt::format("found objects more than {} deep; accepted: fewer levels", kDeepest));
  }
  if (!from.take('{')) return refuse("found a value that is no object; accepted: {\"key\": value}");
  bool first = true;
  while (from.more('}', first)) {
    if (read_many(from, space, out)) continue;
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
    case '{':
      return object(from, table_.space(key), out, depth + 1, false);
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
    if (!object(from, top_, row_->features, 1, false)) return false;
    if (row_->features.end_list()) doubled_ = true;
    if (++actions_ > kMaxActions) {
      return refuse(fmt::format("found more than {} actions; accepted: fewer", kMaxActions));
    }
    row_->begin.push_back(static_cast<std::int32_t>(row_->features.size()));
  }
  return from.ok();
}

}  // namespace rein
