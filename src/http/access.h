// What a token may do. A service may have several tokens: one per caller, two while one is replaced.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "http/sha256.h"

namespace rein::serve {

// A set of roles is a sum of them.
enum Role : unsigned {
  kNoRole = 0,
  kDecideRole = 1,  // asks for decisions, activates and cancels them
  kReportRole = 2,  // reports outcomes, activates and cancels
  kReadRole = 4,    // reads everything, changes nothing
  kAdminRole = 8,   // may do everything
};

struct Access {
  std::string name;             // in the journal and the log
  Sha256 digest{};              // of the token, which is kept nowhere
  unsigned roles = kNoRole;
  std::vector<std::string> models;                           // empty: all
  std::vector<std::pair<std::string, std::string>> scopes;   // that its decisions must have; may be empty
};

}  // namespace rein::serve
