#include "world/own.h"

#include "base/loans.h"
#include "base/spec_reader.h"
#include "rein/own_world.h"

namespace rein {
namespace {

Loans<WorldMaker>& loans() {
  static auto* table = new Loans<WorldMaker>("world spec");  // outlives every loan
  return *table;
}

}  // namespace

Result<Loan> lend_world(const std::string& name, WorldMaker maker) {
  return loans().lend(name, std::move(maker));
}

Result<std::unique_ptr<World>> make_own_world(const Spec& spec, std::uint64_t seed,
                                              std::int64_t rounds) {
  SpecReader read(spec, "world spec");
  const std::string name = read.text("name", "own");
  if (auto done = read.finish(); !done) return done.failure();
  auto maker = loans().find(name);
  if (!maker) return maker.failure();
  auto world = maker.value()(seed, rounds);
  if (!world) return world.failure();
  if (auto fine = validate(world.value()->shape()); !fine) return fine.failure();
  return world;
}

}  // namespace rein
