// The features of a dsjson event: the object `c`. See docs/vw.md for the rules.
#pragma once

#include <string>
#include <string_view>

#include "log/json_cursor.h"
#include "log/name_table.h"
#include "log/row_buffer.h"

namespace rein {

class DsjsonFeatures {
 public:
  explicit DsjsonFeatures(FeatureTable& table) : table_(table), top_(table.space({})) {}

  // Reads `c` into the shared features and those of each action. False if it is not accepted: then
  // wrong() says why, or the cursor is damaged.
  bool read(JsonCursor& from, RowBuffer& out);
  // -1 without _multi.
  int actions() const { return actions_; }
  // Whether a feature came twice in one list.
  bool doubled() const { return doubled_; }
  const std::string& wrong() const { return wrong_; }

 private:
  bool refuse(std::string why) {
    wrong_ = std::move(why);
    return false;
  }
  bool read_many(JsonCursor& from, std::int32_t space, FeatureList& out);
  bool object(JsonCursor& from, std::int32_t space, FeatureList& out, int depth, bool top);
  bool value(JsonCursor& from, std::string_view key, std::int32_t space, FeatureList& out,
             int depth);
  bool hidden(JsonCursor& from, std::string_view key, std::int32_t space, FeatureList& out,
              bool top);
  bool array(JsonCursor& from, std::int32_t space, FeatureList& out, int depth);
  bool multi(JsonCursor& from);
  bool words(std::string_view text, std::int32_t space, FeatureList& out);
  bool add(std::int32_t number, double value, FeatureList& out);

  FeatureTable& table_;
  std::int32_t top_;
  RowBuffer* row_ = nullptr;
  int actions_ = -1;
  bool doubled_ = false;
  std::string wrong_, key_room_, text_room_;
};

}  // namespace rein
