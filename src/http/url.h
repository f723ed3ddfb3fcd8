// Parts of a URL: "a=1&b=two%20words" as pairs, and percent escapes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rein/result.h"

namespace rein::serve {

// The pairs of the part after "?". Refuses escapes that are not two hex digits, and names that come twice.
Result<std::vector<std::pair<std::string, std::string>>> query_of(std::string_view query);
// The text without its percent escapes, with a space for each "+".
Result<std::string> unescaped(std::string_view text);

}  // namespace rein::serve
