#include "log/json_list.h"

#include "log/json_cursor.h"

namespace rein {
namespace {

// The cursor reads a little beyond its text.
std::string padded(std::string_view cell) {
  return std::string(cell) + std::string(kLinePadding, '\0');
}

template <class Each>
bool read_list(std::string_view cell, const Each& each) {
  const std::string text = padded(cell);
  JsonCursor cursor(std::string_view(text).substr(0, cell.size()));
  if (!cursor.take('[')) return false;
  for (bool first = true; cursor.more(']', first);) {
    if (!each(cursor)) return false;
  }
  return cursor.done();
}

}  // namespace

bool read_texts(std::string_view cell, std::vector<std::string>& out) {
  out.clear();
  std::string room;
  return read_list(cell, [&](JsonCursor& cursor) {
    std::string_view text;
    std::int64_t whole = 0;
    if (cursor.peek() == '"') {
      if (!cursor.text(text, room)) return false;
      out.emplace_back(text);
    } else {
      if (!cursor.whole(whole)) return false;
      out.push_back(std::to_string(whole));
    }
    return true;
  });
}

bool read_numbers(std::string_view cell, std::vector<double>& out) {
  out.clear();
  return read_list(cell, [&](JsonCursor& cursor) { return cursor.number(out.emplace_back()); });
}

}  // namespace rein
