// The table of worlds. A new one is a pair of files and a line here.
#include "base/table.h"

#include <fmt/format.h>

#include "rein/catalog.h"
#include "rein/world.h"
#include "world/linear.h"
#include "world/two_arm.h"

namespace rein {
namespace {

using Make = Result<std::unique_ptr<World>> (*)(const Spec&, std::uint64_t, std::int64_t);

constexpr TableRow<Make> kTable[] = {
    {{"linear",
      "means linear in action features; contexts by chance, in blocks, or by an adversary",
      "block=500,budget,candidates=8,costs=signed|positive,d=8,k=8,m=1,margin=0.1,"
      "noise=rademacher|gaussian|low|none,order=iid|switching|cyclic|drift|adaptive,period=50,rate,"
      "safe,sd=0.25,target=uncertainty|queue,tension=0.6,turns=1"},
     make_linear},
    {{"two_arm", "one arm earns and saves, the other does neither; shows why prices stay positive",
      ""},
     make_two_arm},
};

constexpr std::int64_t kMaxRounds = std::int64_t{1} << 53;  // every count is exact as a double

}  // namespace

std::vector<Entry> worlds() { return entries_of(kTable); }

Result<std::unique_ptr<World>> make_world(const Spec& spec, std::uint64_t seed,
                                          std::int64_t rounds) {
  if (rounds < 1 || rounds > kMaxRounds) {
    return Error{fmt::format("world: found {} rounds; accepted: 1 to {}", rounds, kMaxRounds)};
  }
  return make_from(kTable, "world spec", spec, seed, rounds);
}

Result<std::unique_ptr<World>> make_world(std::string_view spec, std::uint64_t seed,
                                          std::int64_t rounds) {
  auto parsed = parse_spec(spec, "world spec");
  if (!parsed) return Error{parsed.error()};
  return make_world(parsed.value(), seed, rounds);
}

}  // namespace rein
