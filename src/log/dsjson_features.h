// The features of a dsjson event: the object `c`. See docs/vw.md for the rules.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "log/json_cursor.h"
#include "log/known_words.h"
#include "log/name_table.h"
#include "log/row_buffer.h"

namespace rein {

// What ends an entry of an object.
inline constexpr Marks kJsonMarks{',', '}', '}'};

class DsjsonFeatures {
 public:
  explicit DsjsonFeatures(FeatureTable& table) : table_(table), top_(table.space({})) {}

  // Reads `c` into the shared features and the features of each action. Returns false if `c` is not
  // accepted: then wrong() says why, or the cursor is damaged. `ends` are the kJsonMarks of the
  // line.
  bool read(JsonCursor& from, std::span<const char* const> ends, RowBuffer& out);
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
  bool read_known(JsonCursor& from, std::int32_t space, FeatureList& out);
  bool take_space(JsonCursor& from, std::int32_t& space);
  bool object(JsonCursor& from, std::int32_t space, FeatureList& out, int depth, bool top);
  bool entries(JsonCursor& from, std::int32_t space, FeatureList& out, int depth, bool top,
               bool first);
  bool action(JsonCursor& from, FeatureList& out);
  // Not inlined into entries(), because few entries need it.
  [[gnu::noinline]] bool value(JsonCursor& from, std::string_view key, std::int32_t space,
                               FeatureList& out, int depth);
  [[gnu::noinline]] bool hidden(JsonCursor& from, std::string_view key, std::int32_t space,
                                FeatureList& out, bool top);
  [[gnu::noinline]] bool array(JsonCursor& from, std::int32_t space, FeatureList& out, int depth);
  bool multi(JsonCursor& from);
  bool words(std::string_view text, std::int32_t space, FeatureList& out);
  bool add(std::int32_t number, double value, FeatureList& out);

  FeatureTable& table_;
  std::int32_t top_;
  RowBuffer* row_ = nullptr;
  int actions_ = -1;
  bool doubled_ = false;
  std::span<const char* const> ends_;            // marks from the next one on
  std::array<FeatureTable::Start, 4> recent_{};  // namespaces that come again and again
  std::size_t next_recent_ = 0;
  std::string wrong_, key_room_, text_room_;
};

}  // namespace rein
