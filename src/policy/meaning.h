// The table behind rein/meaning.h: how the meaning of specs changed.
#pragma once

#include <span>
#include <string_view>

#include "rein/meaning.h"

namespace rein {

// A change of what a name means, in a policy's spec or anywhere inside it.
struct MeaningChange {
  int last;                // the last meaning that is concerned; older meanings are too
  std::string_view name;   // of the policy, oracle, pricer, gain or explorer
  std::string_view unless;  // options ("oracle", "tuning=theory") any of which exempts a spec
  // The options that spell the older meaning today. Empty: this program cannot make it any more.
  std::string_view options;
  std::string_view what;  // that changed, for messages
};

// Oldest first.
std::span<const MeaningChange> meaning_changes();
// meant() by another table, for tests.
Result<Spec> meant_by(const Spec& asked, int meaning, int newest,
                      std::span<const MeaningChange> changes);

}  // namespace rein
