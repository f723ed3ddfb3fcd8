#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "http/hmac.h"

namespace rein::serve {

bool has_hmac() { return true; }

Result<std::string> hmac_sha256(std::string_view key, std::string_view text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());  // NOLINT: as OpenSSL takes them
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes, text.size(), digest, &size) == nullptr) {
    return Error{"hmac: libcrypto failed", Reason::kFailed};
  }
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

}  // namespace rein::serve
