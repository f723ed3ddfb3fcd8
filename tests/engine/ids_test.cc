#include "engine/ids.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "property.h"

namespace rein {
namespace {

// The test vector of Speck64/128 in its authors' paper.
TEST(IdCipher, GivesThePublishedVector) {
  const IdCipher cipher({0x0b0a0908'03020100ULL, 0x1b1a1918'13121110ULL});
  EXPECT_EQ(cipher.id_of(0x3b726574'7475432dULL), 0x8c6fa548'454e028bULL);
  EXPECT_EQ(cipher.number_of(0x8c6fa548'454e028bULL), 0x3b726574'7475432dULL);
}

TEST(IdCipher, EveryIdLeadsBackToItsNumber) {
  const IdCipher cipher = IdCipher::from(7, {1, 2});
  EXPECT_TRUE(rc::check([&cipher](std::uint64_t number) {
    RC_ASSERT(cipher.number_of(cipher.id_of(number)) == number);
  }));
}

TEST(IdCipher, NeighboursDifferInAboutHalfTheirBits) {
  const IdCipher cipher = IdCipher::from(7, {0, 0});
  std::set<std::uint64_t> seen;
  double differing = 0.0;
  constexpr int kIds = 10'000;
  for (std::uint64_t n = 0; n < kIds; ++n) {
    seen.insert(cipher.id_of(n));
    differing += std::popcount(cipher.id_of(n) ^ cipher.id_of(n + 1));
  }
  EXPECT_EQ(seen.size(), kIds);
  EXPECT_NEAR(differing / kIds, 32.0, 0.2);  // standard error 0.04
}

TEST(IdCipher, SeedAndSecretBothChangeTheIds) {
  const std::uint64_t id = IdCipher::from(7, {0, 0}).id_of(0);
  EXPECT_NE(IdCipher::from(8, {0, 0}).id_of(0), id);
  EXPECT_NE(IdCipher::from(7, {1, 0}).id_of(0), id);
  EXPECT_NE(IdCipher::from(7, {0, 1}).id_of(0), id);
}

}  // namespace
}  // namespace rein
