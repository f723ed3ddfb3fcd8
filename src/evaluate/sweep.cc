#include "rein/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/own.h"
#include "evaluate/compare.h"
#include "evaluate/grid.h"
#include "evaluate/play_file.h"
#include "evaluate/run.h"

namespace rein {

struct Sweep::Parts {
  CompareOptions options;
  Lineup lineup;
  Run run;  // of lineup.specs
  std::unique_ptr<PlayFile> kept;
  std::size_t restored = 0;

  std::vector<Play> left() const {
    std::vector<Play> found;
    for (int s = 0; s < options.run.seeds; ++s) {
      const std::uint64_t seed = options.run.first_seed + static_cast<std::uint64_t>(s);
      for (const Spec& spec : lineup.specs) {
        if (kept->find({spec, seed}) == nullptr) found.push_back({spec, seed});
      }
    }
    return found;
  }
  bool asks_for(const std::string& policy, std::uint64_t seed) const {
    return seed - options.run.first_seed < static_cast<std::uint64_t>(options.run.seeds) &&
           std::any_of(lineup.specs.begin(), lineup.specs.end(),
                       [&](const Spec& spec) { return spec.str() == policy; });
  }
};

Result<Sweep> Sweep::open(const Spec& world, const std::vector<Spec>& policies,
                          const CompareOptions& options) {
  if (!(options.slack >= 0.0 && options.slack <= 1.0)) {
    return Error{fmt::format("compare: slack is {}; accepted: 0 to 1", options.slack)};
  }
  if (auto fine = check_different(policies); !fine) return fine.failure();
  if (auto fine = check_grids(policies, options.grids); !fine) return fine.failure();
  Lineup lineup = line_up(policies, options.grids);
  auto run = Run::prepare(world, lineup.specs, options.run);
  if (!run) return run.failure();
  auto kept = PlayFile::open(options.resume, play_header(run.value()), options.fresh);
  if (!kept) return kept.failure();
  auto parts = std::make_unique<Parts>(Parts{.options = options,
                                             .lineup = std::move(lineup),
                                             .run = std::move(run).value(),
                                             .kept = std::move(kept).value()});
  const std::size_t all = parts->lineup.specs.size() * static_cast<std::size_t>(options.run.seeds);
  parts->restored = all - parts->left().size();
  return Sweep(std::move(parts));
}

Sweep::Sweep(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Sweep::Sweep(Sweep&&) noexcept = default;
Sweep& Sweep::operator=(Sweep&&) noexcept = default;
Sweep::~Sweep() = default;

const RunOptions& Sweep::options() const { return parts_->run.options; }

std::vector<Play> Sweep::plays() const { return parts_->left(); }

Result<> Sweep::add(const std::string& line) {
  auto read = read_play_line(line);
  if (!read) return read.failure().in("sweep: a line is not a result: ");
  const std::string& policy = read.value().policy;
  const std::uint64_t seed = read.value().result.totals.seed;
  if (!parts_->asks_for(policy, seed)) {
    return Error{fmt::format(
        "sweep: a line is of policy {}, seed {}; accepted: plays of this sweep", policy, seed)};
  }
  return parts_->kept->add(line, std::move(read).value());
}

Result<RunResult> Sweep::run() const {
  std::vector<std::size_t> given;
  for (const Lineup::Policy& policy : parts_->lineup.policies) given.push_back(policy.at);
  return parts_->run.only(given).finish(parts_->kept.get());
}

Result<Comparison> Sweep::compare() const {
  auto result = parts_->run.finish(parts_->kept.get());
  if (!result) return result.failure();
  Comparison comparison =
      compared(std::move(result).value(), parts_->lineup, parts_->run.units, parts_->options);
  comparison.restored = parts_->restored;
  return comparison;
}

Result<std::vector<std::string>> play_lines(const Spec& world, const std::vector<Play>& plays,
                                            const RunOptions& options) {
  if (plays.empty()) return std::vector<std::string>();
  RunOptions mine = options;
  mine.first_seed = plays[0].seed;
  std::vector<Spec> specs;
  std::set<std::string> specs_seen;
  for (const Play& play : plays) {
    if (specs_seen.insert(play.policy.str()).second) specs.push_back(play.policy);
  }
  // Other pieces are for other plays of the sweep.
  mine.own = own_of(options.own, own_uses(world, specs));
  auto run = Run::prepare(world, specs, mine);
  if (!run) return run.failure();
  std::vector<std::string> lines(plays.size());
  const TakeResult take = [&](std::size_t index, const PlayResult& result) -> Result<> {
    lines[index] = write_play_line(plays[index].policy.str(), result);
    return {};
  };
  if (auto done = run.value().play_all(plays, take); !done) return done.failure();
  return lines;
}

}  // namespace rein
