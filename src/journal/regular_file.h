// A check before a file is opened.
#pragma once

#include <string>

#include "rein/result.h"

namespace rein {

// Refuses what is there and is not a regular file (kCorrupt), such as a pipe. The system would wait without
// end for somebody who writes into it, and with it the start of all models of a service.
Result<> check_regular_file(const std::string& path);

}  // namespace rein
