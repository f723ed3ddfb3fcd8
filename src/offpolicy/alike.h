// Whether rows of a log look as if they belonged together.
#pragma once

#include <string>

#include "rein/offpolicy.h"

namespace rein {

// A question for people, if rewards are more alike than independent ones are, beyond what context and
// action predict: in rows that follow each other, or in rows of the same context. Otherwise, and where
// units are known, empty. Looks at the first rows of a long log.
std::string question_about_units(const OfflineRows& rows);

}  // namespace rein
