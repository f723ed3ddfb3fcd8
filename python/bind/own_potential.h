// Potential: a potential of the caller's, shared with the other files of the binding.
#pragma once

#include <memory>

#include "bind.h"
#include "rein/own.h"

namespace rein::bind {

struct Potential {
  std::shared_ptr<const OwnPotential> is;
};

// Empty for null.
Own own_of(const Potential* potential);

}  // namespace rein::bind
