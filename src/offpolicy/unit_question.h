// Do the rows of a log belong together, by user, session or day? Questions for people, asked where rewards are
// more alike than independent rewards would be, beyond what context and action predict. Only the first rows of a
// long log are tested. The question about columns is in rein/log_rows.h.
#pragma once

#include <string>

#include "offpolicy/rows.h"

namespace rein {

// Tested are rows that follow each other, and rows with the same context. Empty where there is no question, and
// where units are known.
std::string question_about_units(const OfflineRows& rows);

}  // namespace rein
