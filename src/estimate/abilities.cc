#include "estimate/abilities.h"

namespace rein {

const OracleAbilities& Oracle::abilities() const {
  static const OracleAbilities none;
  return none;
}

}  // namespace rein
