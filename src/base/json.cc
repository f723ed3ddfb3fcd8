#include "base/json.h"

#include <fmt/format.h>

#include <cmath>

namespace rein {
namespace {

// The length in bytes of the UTF-8 character at the start of `text`; 0 if it is invalid.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // An overlong form, half of a surrogate pair, or a code point beyond the last one.
  if (lead == 0xE0 && byte(1) < 0xA0) return 0;
  if (lead == 0xED && byte(1) > 0x9F) return 0;
  if (lead == 0xF0 && byte(1) < 0x90) return 0;
  if (lead == 0xF4 && byte(1) > 0x8F) return 0;
  return size;
}

void quote(std::string_view text, std::string& out) {
  out += '"';
  while (!text.empty()) {
    const std::size_t size = character(text);
    const char c = text[0];
    if (size == 0) {
      out += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      (out += '\\') += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      out += text.substr(0, size);
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  out += '"';
}

}  // namespace

void JsonWriter::separate() {
  if (!first_ && !after_key_) text_ += ',';
  first_ = false;
  after_key_ = false;
}

JsonWriter& JsonWriter::begin_object() {
  separate();
  text_ += '{';
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::end_object() {
  text_ += '}';
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::begin_array() {
  separate();
  text_ += '[';
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::end_array() {
  text_ += ']';
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  quote(name, text_);
  text_ += ':';
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  quote(text, text_);
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  separate();
  text_ += fmt::format("{}", number);
  if (number == 0.0 && std::signbit(number)) text_ += ".0";  // -0 would be read as the integer 0
  return *this;
}

JsonWriter& JsonWriter::value(std::int64_t number) {
  separate();
  text_ += fmt::format("{}", number);
  return *this;
}

JsonWriter& JsonWriter::value(bool truth) {
  separate();
  text_ += truth ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::null() {
  separate();
  text_ += "null";
  return *this;
}

Json::Json(double number) {
  if (std::isfinite(number)) is = number;
}

namespace {

struct Printer {
  JsonWriter& json;
  void operator()(std::monostate) { json.null(); }
  void operator()(bool truth) { json.value(truth); }
  void operator()(std::int64_t number) { json.value(number); }
  void operator()(double number) { json.value(number); }
  void operator()(const std::string& text) { json.value(text); }
  void operator()(const Json::List& list) {
    json.begin_array();
    for (const Json& each : list) std::visit(*this, each.is);
    json.end_array();
  }
  void operator()(const Json::Object& object) {
    json.begin_object();
    for (const auto& [key, value] : object) {
      json.key(key);
      std::visit(*this, value.is);
    }
    json.end_object();
  }
};

}  // namespace

std::string Json::str() const {
  JsonWriter json;
  std::visit(Printer{json}, is);
  return json.str();
}

}  // namespace rein
