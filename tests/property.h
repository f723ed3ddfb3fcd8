// Properties with a fixed seed: rapidcheck uses a new seed per process unless RC_PARAMS is set. A
// test must not fail today and pass tomorrow. RC_PARAMS in the environment takes precedence.
#pragma once

#include <rapidcheck.h>

#include <cstdlib>

namespace rein {

inline const int kSeeded = setenv("RC_PARAMS", "seed=20260205", /*overwrite=*/0);

}  // namespace rein
