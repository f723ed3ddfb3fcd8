// Parts of a URL: "a=1&b=two%20words" as pairs, and percent escapes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rein::serve {

// Throws Refused for escapes that are not two hex digits, and for names that come twice.
std::vector<std::pair<std::string, std::string>> query_of(std::string_view query);
std::string unescaped(std::string_view text);

}  // namespace rein::serve
