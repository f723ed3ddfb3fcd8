// The table behind rein/meaning.h: how the meaning of specs changed.
#pragma once

#include <span>
#include <string_view>

#include "rein/meaning.h"

namespace rein {

// One change of what a name means, in a policy's spec or anywhere inside it.
struct MeaningChange {
  int last;                // specs of this meaning and of older ones are concerned
  std::string_view name;   // of the policy, oracle, pricer, gain or explorer
  std::string_view unless;  // with one of these options ("oracle", "tuning=theory") it did not change
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
