// JSON of strangers as values. Refused, with the place: text that is not JSON, keys that come twice,
// nesting deeper than kMaxDepth, numbers that no double holds, text that is not UTF-8.
#pragma once

#include <string_view>

#include "rein/json.h"
#include "serve/answer.h"

namespace rein::serve {

inline constexpr int kMaxDepth = 16;

// Throws Refused.
Json read_json(std::string_view text);

// Reads the members of an object, each by its name. done() refuses members that nobody asked for, and
// names those that are accepted.
class Fields {
 public:
  // `where` stands before the names of fields in messages: "budgets[2]". Throws Refused if the value
  // is not an object.
  explicit Fields(const Json& value, std::string where = {});

  // The member, or null if it is not there or is null.
  const Json* find(std::string_view name);
  const Json& get(std::string_view name);  // refuses if it is not there
  std::string text(std::string_view name, std::string_view otherwise);
  double number(std::string_view name, double otherwise);
  std::int64_t whole(std::string_view name, std::int64_t otherwise);
  bool truth(std::string_view name, bool otherwise);
  void done() const;

  // The full name of a field.
  std::string path(std::string_view name) const;

 private:
  const Json::Object* object_ = nullptr;
  std::string where_;
  std::vector<std::string_view> asked_;
};

// The value as a number; throws Refused with the name of the field if it is none.
double number_of(const Json& value, const std::string& field);
std::int64_t whole_of(const Json& value, const std::string& field);
const std::string& text_of(const Json& value, const std::string& field);
const Json::List& list_of(const Json& value, const std::string& field);
const Json::Object* object_in(const Json& value);  // null if it is none
// Describes a value in messages: `the text "abc"`, `a list`.
std::string shown(const Json& value);

}  // namespace rein::serve
