#include "evaluate/two_arm.h"

namespace rein {
namespace {

INSTANTIATE_TEST_SUITE_P(Long, TwoArm,
                         testing::Values(KnownRegret{100'000, 440, 21}, KnownRegret{1'000'000, 1406, 37}));

}  // namespace
}  // namespace rein
