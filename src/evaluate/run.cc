// run(): every policy on every seed.
#include <utility>

#include "base/size.h"
#include "evaluate/plays.h"
#include "evaluate/references.h"
#include "evaluate/run_kept.h"
#include "rein/world.h"

namespace rein {
namespace {

void make_room(const RunOptions& options, RunResult& result) {
  for (PolicyRun& run : result.policies) {
    run.totals.resize(as_size(options.seeds));
    run.curves.resize(as_size(options.curve_points > 0 ? options.seeds : 0));
  }
}

void put(Finished finished, std::size_t seed, PolicyRun& run) {
  run.totals[seed] = std::move(finished.totals);
  if (!run.curves.empty()) run.curves[seed] = std::move(finished.curve);
}

// Fills in the plays that the file holds. Returns the rest, ordered by seed, so that the policies
// of one seed finish at about the same time.
std::vector<Place> left_to_play(const RunOptions& options, const ResultFile* kept,
                                RunResult& result) {
  std::vector<Place> left;
  for (std::size_t seed = 0; seed < as_size(options.seeds); ++seed) {
    const std::uint64_t number = options.first_seed + seed;
    for (std::size_t p = 0; p < result.policies.size(); ++p) {
      PolicyRun& run = result.policies[p];
      const Finished* known = kept == nullptr ? nullptr : kept->find(run.spec.str(), number);
      if (known != nullptr) {
        put(*known, seed, run);
      } else {
        left.push_back({p, number});
      }
    }
  }
  return left;
}

}  // namespace

Result<RunOptions> settle_rounds(const Spec& world, const RunOptions& given) {
  RunOptions options = given;
  if (options.rounds != 0) return options;
  auto made = make_world(world, options.first_seed, 0, options.own);
  if (!made) return made.failure();
  options.rounds = made.value()->shape().rounds;
  return options;
}

Result<RunResult> run_kept(const Spec& world, const std::vector<Spec>& policies,
                           const RunOptions& given, ResultFile* kept) {
  auto settled = settle_rounds(world, given);
  if (!settled) return settled.failure();
  const RunOptions& options = settled.value();
  auto prepared = prepare(world, policies, options);
  if (!prepared) return prepared.failure();
  RunResult result = prepared.value().result;
  make_room(options, result);
  const std::vector<Place> left = left_to_play(options, kept, result);
  const Take take = [&](std::size_t index, Finished finished) -> Result<> {
    const auto [p, seed] = left[index];
    PolicyRun& run = result.policies[p];
    Result<> outcome;
    if (kept != nullptr) outcome = kept->keep(run.spec.str(), finished);
    put(std::move(finished), as_size(seed - options.first_seed), run);
    return outcome;
  };
  if (auto done = play_all(world, prepared.value(), left, options, take); !done) {
    return done.failure();
  }
  if (options.references) {
    auto found = references(world, options);
    if (!found) return found.failure();
    result.references = std::move(found).value();
  }
  return result;
}

Result<RunResult> run(const Spec& world, const std::vector<Spec>& policies,
                      const RunOptions& options) {
  return run_kept(world, policies, options, nullptr);
}

}  // namespace rein
