// Json: a value as JSON has them, for results that programs read (rein/report.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace rein {

// Null, true or false, a number, a text, a list, or an object whose keys have an order.
struct Json {
  using List = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;

  Json() = default;  // null
  // Implicit, so that lists and objects can be written out. NOLINTBEGIN
  Json(bool truth) : is(truth) {}
  Json(int number) : is(std::int64_t{number}) {}
  Json(std::int64_t number) : is(number) {}
  Json(double number);  // null if it is not finite
  Json(const char* text) : is(std::string(text)) {}
  Json(std::string_view text) : is(std::string(text)) {}
  Json(std::string text) : is(std::move(text)) {}
  Json(List list) : is(std::move(list)) {}
  Json(Object object) : is(std::move(object)) {}
  // NOLINTEND

  // Valid JSON in UTF-8. Numbers print in the shortest form that reads back exactly.
  std::string str() const;

  std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Object> is;
};

}  // namespace rein
