#include "world/misspecified.h"

#include "world/curved.h"

namespace rein {

Result<std::unique_ptr<World>> make_misspecified(const Spec& spec, std::uint64_t seed,
                                                 std::int64_t rounds) {
  SpecReader read(spec, "world spec");
  CurvedOptions options;
  options.constant = true;
  options.cube = static_cast<int>(read.integer("d", 4, 3, 4096)) - 1;
  options.linear = 0.5;
  options.curved = 0.5 * read.number("strength", 1.0, {.low = 0.0, .high = 1.0});
  options.spread = read.number("spread", 1.0, {.low = 1e-3, .high = 1.0});
  return make_curved(read, options, seed, rounds);
}

}  // namespace rein
