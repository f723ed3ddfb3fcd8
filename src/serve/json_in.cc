#include "serve/json_in.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>

namespace rein::serve {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

[[noreturn]] void refuse_text(const std::string& why) {
  throw Refused(400, "invalid", "body: " + why + "; accepted: JSON in UTF-8");
}

// Names that come twice. Few objects have many members, so most need no sorting.
void check_names(const Json::Object& object) {
  std::vector<std::string_view> names;
  names.reserve(object.size());
  for (const auto& member : object) names.emplace_back(member.first);
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice == names.end()) return;
  throw invalid(std::string(*twice), "found twice; accepted: once");
}

Json value_of(const element& from) {
  switch (from.type()) {
    case element_type::ARRAY: {
      Json::List list;
      const auto array = from.get_array().value_unsafe();
      list.reserve(array.size());
      for (const element each : array) list.push_back(value_of(each));
      return list;
    }
    case element_type::OBJECT: {
      Json::Object object;
      const auto members = from.get_object().value_unsafe();
      object.reserve(members.size());
      for (const auto& [name, each] : members) {
        object.emplace_back(std::string(name), value_of(each));
      }
      check_names(object);
      return object;
    }
    case element_type::INT64:
      return from.get_int64().value_unsafe();
    case element_type::UINT64:  // above the largest int64
      return static_cast<double>(from.get_uint64().value_unsafe());
    case element_type::DOUBLE:
      return from.get_double().value_unsafe();
    case element_type::STRING:
      return std::string(from.get_string().value_unsafe());
    case element_type::BOOL:
      return from.get_bool().value_unsafe();
    case element_type::NULL_VALUE:
      break;
  }
  return {};
}

}  // namespace

Json read_json(std::string_view text) {
  // The parser keeps its memory. The depth must be set before that memory grows.
  thread_local simdjson::dom::parser parser;
  if (parser.capacity() < text.size() || parser.max_depth() != kMaxDepth) {
    const std::size_t room = std::max<std::size_t>(text.size(), 1 << 16);
    if (parser.allocate(room, kMaxDepth) != simdjson::SUCCESS) refuse_text("it is too large");
  }
  element root;
  const auto failed = parser.parse(text.data(), text.size(), true).get(root);
  if (failed == simdjson::DEPTH_ERROR) {
    throw Refused(
        400, "invalid",
        fmt::format("body: found more than {0} levels; accepted: at most {0}", kMaxDepth - 1));
  }
  if (failed == simdjson::EMPTY) refuse_text("found nothing");
  if (failed == simdjson::NUMBER_ERROR)
    refuse_text("found a number that is not valid or too large");
  if (failed == simdjson::UTF8_ERROR) refuse_text("found bytes that are not UTF-8");
  if (failed != simdjson::SUCCESS) {
    refuse_text("found text that is not JSON");
  }
  return value_of(root);
}

Fields::Fields(const Json& value, std::string where) : where_(std::move(where)) {
  object_ = std::get_if<Json::Object>(&value.is);
  if (object_ == nullptr) {
    const std::string what = fmt::format("found {}; accepted: an object", shown(value));
    throw where_.empty() ? Refused(400, "invalid", "body: " + what) : invalid(where_, what);
  }
}

std::string Fields::path(std::string_view name) const {
  return where_.empty() ? std::string(name) : fmt::format("{}.{}", where_, name);
}

const Json* Fields::find(std::string_view name) {
  asked_.push_back(name);
  for (const auto& [key, value] : *object_) {
    if (key != name) continue;
    return std::holds_alternative<std::monostate>(value.is) ? nullptr : &value;
  }
  return nullptr;
}

const Json& Fields::get(std::string_view name) {
  if (const Json* found = find(name)) return *found;
  throw invalid(path(name), "not found; accepted: a value, because it is required");
}

std::string Fields::text(std::string_view name, std::string_view otherwise) {
  const Json* found = find(name);
  return found != nullptr ? text_of(*found, path(name)) : std::string(otherwise);
}

double Fields::number(std::string_view name, double otherwise) {
  const Json* found = find(name);
  return found != nullptr ? number_of(*found, path(name)) : otherwise;
}

std::int64_t Fields::whole(std::string_view name, std::int64_t otherwise) {
  const Json* found = find(name);
  return found != nullptr ? whole_of(*found, path(name)) : otherwise;
}

bool Fields::truth(std::string_view name, bool otherwise) {
  const Json* found = find(name);
  if (found == nullptr) return otherwise;
  if (const bool* truth = std::get_if<bool>(&found->is)) return *truth;
  throw invalid(path(name), fmt::format("found {}; accepted: true or false", shown(*found)));
}

void Fields::done() const {
  constexpr std::size_t kMostName = 64;
  for (const auto& [name, value] : *object_) {
    if (std::ranges::find(asked_, name) != asked_.end()) continue;
    const bool plain = !name.empty() && name.size() <= kMostName &&
                       std::ranges::all_of(name, [](unsigned char c) { return c > ' '; });
    throw plain
        ? invalid(path(name), fmt::format("not expected; accepted: {}", fmt::join(asked_, ", ")))
        : invalid(where_.empty() ? "body" : where_,
                  fmt::format("found the key {}; accepted: {}", shown(Json(name)),
                              fmt::join(asked_, ", ")));
  }
}

double number_of(const Json& value, const std::string& field) {
  if (const auto* whole = std::get_if<std::int64_t>(&value.is)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&value.is)) return *number;
  throw invalid(field, fmt::format("found {}; accepted: a number", shown(value)));
}

std::int64_t whole_of(const Json& value, const std::string& field) {
  if (const auto* whole = std::get_if<std::int64_t>(&value.is)) return *whole;
  // 1e6 is a whole number too.
  if (const auto* number = std::get_if<double>(&value.is)) {
    if (std::abs(*number) <= 0x1p53 && *number == std::floor(*number)) {
      return static_cast<std::int64_t>(*number);
    }
  }
  throw invalid(field, fmt::format("found {}; accepted: a whole number", shown(value)));
}

const std::string& text_of(const Json& value, const std::string& field) {
  if (const auto* text = std::get_if<std::string>(&value.is)) return *text;
  throw invalid(field, fmt::format("found {}; accepted: a text", shown(value)));
}

const Json::List& list_of(const Json& value, const std::string& field) {
  if (const auto* list = std::get_if<Json::List>(&value.is)) return *list;
  throw invalid(field, fmt::format("found {}; accepted: a list", shown(value)));
}

const Json::Object* object_in(const Json& value) { return std::get_if<Json::Object>(&value.is); }

std::string shown(const Json& value) {
  constexpr std::size_t kMost = 60;
  if (std::holds_alternative<Json::List>(value.is)) return "a list";
  if (std::holds_alternative<Json::Object>(value.is)) return "an object";
  std::string text = value.str();
  if (text.size() > kMost) text = text.substr(0, kMost) + "...";
  return text;
}

}  // namespace rein::serve
