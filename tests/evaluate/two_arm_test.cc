#include "evaluate/two_arm.h"

namespace rein {
namespace {

INSTANTIATE_TEST_SUITE_P(Short, TwoArm,
                         testing::Values(KnownRegret{1'000, 40, 6}, KnownRegret{10'000, 136, 11}));

}  // namespace
}  // namespace rein
