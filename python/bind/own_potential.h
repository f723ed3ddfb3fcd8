// Potential: a potential of the caller's own, as the other files of the binding pass it on.
#pragma once

#include <memory>

#include "bind.h"
#include "rein/own.h"

namespace rein::bind {

struct Potential {
  std::shared_ptr<const OwnPotential> is;
};

// Nothing for null.
Own own_of(const Potential* potential);

}  // namespace rein::bind
