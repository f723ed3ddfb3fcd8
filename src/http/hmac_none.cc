#include "http/hmac.h"

namespace rein::serve {

bool has_hmac() { return false; }

Result<std::string> hmac_sha256(std::string_view /*key*/, std::string_view /*text*/) {
  return Error{"hmac: this program was built without libcrypto", Reason::kFailed};
}

}  // namespace rein::serve
