// How long entries stay in a journal, as people write it: "30 days", "12 hours", "forever".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rein::serve {

// Seconds; 0 for "forever". Nothing for any other text: what is accepted is a whole number of seconds,
// minutes, hours or days.
std::optional<std::int64_t> keep_in_seconds(std::string_view text);
inline constexpr const char* kKeepAccepted = R"(accepted: a text such as "30 days", "12 hours" or "forever")";

// What a document says, in seconds; nothing if it leaves that to the service.
std::optional<std::int64_t> keep_of_document(std::string_view document);

}  // namespace rein::serve
