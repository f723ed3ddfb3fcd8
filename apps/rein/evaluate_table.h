// The values of policies as text for people.
#pragma once

#include <string>

#include "rein/policy_values.h"

namespace rein::app {

// `all`: every estimator of every policy, not only the recommended one. `note` is a line of its own
// after the number of rows, or empty.
void print_values(const PolicyValues& found, bool all, const std::string& note);

}  // namespace rein::app
