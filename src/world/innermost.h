// The world inside wrappers such as subset(of=...) and scaled(of=...).
#pragma once

#include "rein/spec.h"

namespace rein {

inline const Spec& innermost(const Spec& world) {
  const SpecValue* of = world.find("of");
  const Spec* inner = of == nullptr ? nullptr : std::get_if<Spec>(&of->is);
  return inner == nullptr ? world : innermost(*inner);
}

}  // namespace rein
