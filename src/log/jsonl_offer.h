// JsonlOffer: the actions of a row in JSON lines, by name or by number, and the played action.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "log/json_cursor.h"
#include "log/name_table.h"
#include "log/row_buffer.h"

namespace rein {

// An action as the line has it: a text or a whole number.
struct GivenAction {
  bool number = false;
  std::string text;
};

class JsonlOffer {
 public:
  // `names` are the only names that are accepted. If it is empty, all names are accepted and
  // appended to it.
  explicit JsonlOffer(std::vector<std::string>& names) : fixed_(!names.empty()), actions_(names) {}

  // Before a row.
  void clear();
  // Reads an action.
  static bool read(JsonCursor& from, GivenAction& out, std::string& room);
  // Writes the offer and the played action to the row. Returns the kind of mistake and what was
  // found; empty if there is none. The first row decides whether rows name the actions offered, and
  // whether actions are numbers.
  std::pair<std::string_view, std::string> use(LogRow& row, RowBuffer& buffer);

  GivenAction played;
  std::vector<GivenAction> given;  // those offered
  bool has_action = false, has_actions = false;

 private:
  // The id of an action; -1 if it is refused.
  std::int32_t id_of(const GivenAction& action);
  std::pair<std::string_view, std::string> wrong_action(const GivenAction& action) const;

  bool fixed_;
  NameTable actions_;
  bool decided_ = false, numbered_ = false, all_offered_ = false;  // by the first row
};

}  // namespace rein
