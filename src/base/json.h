// JsonWriter: writes JSON, one call per token. Numbers are printed in the shortest form that reads
// back exactly. Numbers that are not finite become null, and bytes that are not UTF-8 become
// U+FFFD, so the text is always valid JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rein/json.h"

namespace rein {

class JsonWriter {
 public:
  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(double number);
  JsonWriter& value(std::int64_t number);
  JsonWriter& value(int number) { return value(static_cast<std::int64_t>(number)); }
  JsonWriter& value(bool truth);
  JsonWriter& null();

  const std::string& str() const { return text_; }

 private:
  void separate();
  std::string text_;
  bool first_ = true;  // the innermost object or array is still empty
  bool after_key_ = false;
};

}  // namespace rein
