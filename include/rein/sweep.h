// Sweep: a comparison whose plays are made elsewhere: by other processes, on other machines.
//
//     auto sweep = rein::Sweep::open(world, policies, options).value();
//     const std::vector<rein::Play> plays = sweep.plays().value();
//     // Somewhere else, any part of them, in any order:
//     auto lines = rein::play_lines(world, some_of_them, sweep.options()).value();
//     // Here, as they come:
//     for (const std::string& line : lines) sweep.add(line).check();
//     rein::Comparison found = sweep.compare().value();
//
// A line is what the file of CompareOptions::resume keeps of a play. It holds every number to the
// bit, so what comes out is what rein::compare gives, however the plays were split.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rein/compare.h"

namespace rein {

// One policy on one seed.
struct Play {
  Spec policy;
  std::uint64_t seed = 0;
};

class Sweep {
 public:
  // Opens the file of options.resume, if there is one, and holds it until the sweep ends.
  static Result<Sweep> open(const Spec& world, const std::vector<Spec>& policies,
                            const CompareOptions& options);
  Sweep(Sweep&&) noexcept;
  Sweep& operator=(Sweep&&) noexcept;
  ~Sweep();

  // Those of the run, with the number of rounds filled in.
  const RunOptions& options() const;
  // What the comparison needs and does not have, seed by seed, settings of the grids included.
  // Refuses what run() refuses before the first round.
  Result<std::vector<Play>> plays() const;
  // A line that play_lines() gave; it is added to the file at once. A play that is there already
  // stays as it was. Refuses lines of other plays.
  Result<> add(const std::string& line);

  // What rein::run gives for the policies, without grids; plays what is missing.
  Result<RunResult> run() const;
  // What rein::compare gives; plays what is missing.
  Result<Comparison> compare() const;

 private:
  struct Parts;
  explicit Sweep(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// Plays, and gives a line a play, in their order. `options` are those of a sweep; its seeds do not
// matter, its threads are those used here. Plays of one seed in one call share their benchmark.
Result<std::vector<std::string>> play_lines(const Spec& world, const std::vector<Play>& plays,
                                            const RunOptions& options);

}  // namespace rein
