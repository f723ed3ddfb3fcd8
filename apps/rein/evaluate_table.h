// The values of policies as text for people.
#pragma once

#include "rein/policy_values.h"

namespace rein::app {

// `all`: every estimator of every policy, not only the recommended one.
void print_values(const PolicyValues& found, bool all);

}  // namespace rein::app
