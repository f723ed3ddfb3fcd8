// Student's t distribution, as far as a 95 % interval needs it.
#pragma once

namespace rein {

// The t that leaves 2.5 % on each side, for this many degrees of freedom (at least 1).
double student_t(int degrees);

}  // namespace rein
