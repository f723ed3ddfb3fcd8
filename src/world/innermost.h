// The world inside wrappers such as subset(of=...) and scaled(of=...).
#pragma once

#include <string_view>

#include "rein/spec.h"

namespace rein {

inline const Spec& innermost(const Spec& world) {
  const SpecValue* of = world.find("of");
  const Spec* inner = of == nullptr ? nullptr : std::get_if<Spec>(&of->is);
  return inner == nullptr ? world : innermost(*inner);
}

// A sentence that readers of results must know about a world; empty if there is none.
inline std::string_view world_note(const Spec& world) {
  if (innermost(world).name != "log") return {};
  return "outcomes are doubly robust estimates from a log, not outcomes that happened "
         "(docs/world/log.md)";
}

}  // namespace rein
