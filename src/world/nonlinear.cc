#include "world/nonlinear.h"

#include "world/curved.h"

namespace rein {

Result<std::unique_ptr<World>> make_nonlinear(const Spec& spec, std::uint64_t seed,
                                              std::int64_t rounds) {
  SpecReader read(spec, "world spec");
  CurvedOptions options;
  options.cube = static_cast<int>(read.integer("d", options.cube, 2, 4096));
  return make_curved(read, options, seed, rounds);
}

}  // namespace rein
