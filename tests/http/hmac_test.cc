// HMAC-SHA256 against the vectors of RFC 4231.
#include "http/hmac.h"

#include <gtest/gtest.h>

namespace rein::serve {
namespace {

TEST(Hmac, IsThatOfTheRfc) {
  if (!has_hmac()) GTEST_SKIP() << "built without libcrypto";
  EXPECT_EQ(hmac_sha256(std::string(20, '\x0b'), "Hi There").value(),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hmac_sha256("Jefe", "what do ya want for nothing?").value(),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hmac_sha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First").value(),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

}  // namespace
}  // namespace rein::serve
