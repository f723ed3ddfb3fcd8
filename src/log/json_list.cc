#include "log/json_list.h"

#include <fmt/format.h>
#include <simdjson.h>

namespace rein {

struct JsonLists::Parser {
  simdjson::dom::parser parser;
};

JsonLists::JsonLists() : parser_(std::make_unique<Parser>()) {}
JsonLists::~JsonLists() = default;
JsonLists::JsonLists(JsonLists&&) noexcept = default;
JsonLists& JsonLists::operator=(JsonLists&&) noexcept = default;

bool JsonLists::texts(std::string_view cell, std::vector<std::string>& out) {
  out.clear();
  simdjson::dom::array list;
  if (parser_->parser.parse(cell.data(), cell.size()).get(list) != simdjson::SUCCESS) return false;
  for (const auto each : list) {
    std::string_view text;
    std::int64_t whole = 0;
    if (each.get(text) == simdjson::SUCCESS) {
      out.emplace_back(text);
    } else if (each.get(whole) == simdjson::SUCCESS) {
      out.push_back(fmt::format("{}", whole));
    } else {
      return false;
    }
  }
  return true;
}

bool JsonLists::numbers(std::string_view cell, std::vector<double>& out) {
  out.clear();
  simdjson::dom::array list;
  if (parser_->parser.parse(cell.data(), cell.size()).get(list) != simdjson::SUCCESS) return false;
  for (const auto each : list) {
    double number = 0.0;
    if (each.get(number) != simdjson::SUCCESS) return false;
    out.push_back(number);
  }
  return true;
}

}  // namespace rein
