// Student's t distribution: the quantile for a 95 % interval.
#pragma once

namespace rein {

// The t with 2.5 % on each side, for this many degrees of freedom (at least 1).
double student_t(int degrees);

}  // namespace rein
