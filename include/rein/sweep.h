// Sweep: a comparison whose plays run in other processes or on other machines. A play is one policy
// on one seed.
//
//     auto sweep = rein::Sweep::open(world, policies, options).value();
//     const std::vector<rein::Play> plays = sweep.plays();
//     // Somewhere else, any part of them, in any order:
//     auto lines = rein::play_lines(world, some_of_them, sweep.options()).value();
//     // Here, as they come:
//     for (const std::string& line : lines) sweep.add(line).check();
//     rein::Comparison found = sweep.compare().value();
//
// A line is the result of one play, as the file of CompareOptions::resume stores it. It holds every
// number bit for bit, so the result equals that of rein::compare, however the plays were split.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rein/compare.h"

namespace rein {

class Sweep {
 public:
  // Refuses what run() refuses before the first round. Opens the file of options.resume, if it is
  // set, and holds it until the sweep is destroyed.
  static Result<Sweep> open(const Spec& world, const std::vector<Spec>& policies,
                            const CompareOptions& options);
  Sweep(Sweep&&) noexcept;
  Sweep& operator=(Sweep&&) noexcept;
  ~Sweep();

  // The run options, with the number of rounds filled in.
  const RunOptions& options() const;
  // The plays that the comparison still needs, ordered by seed, including those of the grids.
  std::vector<Play> plays() const;
  // Adds a line from play_lines() and appends it to the file at once. A play that is already
  // present is not replaced. Refuses lines of other plays.
  Result<> add(const std::string& line);

  // The result of rein::run for the policies, without grids. Runs the plays that are missing.
  Result<RunResult> run() const;
  // The result of rein::compare. Runs the plays that are missing.
  Result<Comparison> compare() const;

 private:
  struct Parts;
  explicit Sweep(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// Runs the plays and returns one line per play, in their order. `options` come from
// Sweep::options(); the seeds in it are ignored, and its threads are used here. Plays of one seed
// in one call share their benchmark.
Result<std::vector<std::string>> play_lines(const Spec& world, const std::vector<Play>& plays,
                                            const RunOptions& options);

}  // namespace rein
