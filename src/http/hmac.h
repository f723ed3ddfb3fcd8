// HMAC-SHA256 (RFC 2104), by which a receiver knows that a message is ours. It is OpenSSL's; a program that was
// built without libcrypto has none (hmac_none.cc).
#pragma once

#include <string>
#include <string_view>

#include "rein/result.h"

namespace rein::serve {

// 64 hex digits. kFailed: this program has no HMAC, or the library failed.
Result<std::string> hmac_sha256(std::string_view key, std::string_view text);
bool has_hmac();

}  // namespace rein::serve
