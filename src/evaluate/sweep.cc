#include "rein/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/own.h"
#include "estimate/heads.h"
#include "evaluate/grid.h"
#include "evaluate/lineup.h"
#include "evaluate/plays.h"
#include "evaluate/result_line.h"
#include "evaluate/run_kept.h"
#include "rein/world.h"

namespace rein {
namespace {

// The largest absolute value of each cost.
Result<std::vector<double>> cost_units(const Spec& world, const RunOptions& options) {
  auto made = make_world(world, options.first_seed, options.rounds, options.own);
  if (!made) return made.failure();
  const Heads heads(made.value()->shape());
  std::vector<double> units;
  for (int h = 1; h < heads.size(); ++h) units.push_back(heads.unit(h));
  return units;
}

}  // namespace

struct Sweep::Parts {
  Spec world;
  CompareOptions options;
  Lineup lineup;
  std::vector<double> units;
  std::unique_ptr<ResultFile> kept;
  std::size_t restored = 0;

  std::vector<Play> left() const {
    std::vector<Play> found;
    for (int s = 0; s < options.run.seeds; ++s) {
      const std::uint64_t seed = options.run.first_seed + static_cast<std::uint64_t>(s);
      for (const Spec& spec : lineup.specs) {
        if (kept->find(spec.str(), seed) == nullptr) found.push_back({spec, seed});
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
  if (auto fine = check_grids(policies, options.grids); !fine) return fine.failure();
  auto settled = settle_rounds(world, options.run);
  if (!settled) return settled.failure();
  auto parts = std::make_unique<Parts>(Parts{.world = world, .options = options});
  parts->options.run = std::move(settled).value();
  const RunOptions& run = parts->options.run;
  if (auto fine = check_options(policies, run); !fine) return fine.failure();
  parts->lineup = line_up(policies, options.grids);
  auto units = cost_units(world, run);
  if (!units) return units.failure();
  parts->units = std::move(units).value();
  auto header = result_header(world, run);
  if (!header) return header.failure();
  auto kept = ResultFile::open(options.resume, header.value(), options.fresh);
  if (!kept) return kept.failure();
  parts->kept = std::move(kept).value();
  parts->restored =
      parts->lineup.specs.size() * static_cast<std::size_t>(run.seeds) - parts->left().size();
  return Sweep(std::move(parts));
}

Sweep::Sweep(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Sweep::Sweep(Sweep&&) noexcept = default;
Sweep& Sweep::operator=(Sweep&&) noexcept = default;
Sweep::~Sweep() = default;

const RunOptions& Sweep::options() const { return parts_->options.run; }

Result<std::vector<Play>> Sweep::plays() const {
  auto prepared = prepare(parts_->world, parts_->lineup.specs, options());
  if (!prepared) return prepared.failure();
  return parts_->left();
}

Result<> Sweep::add(const std::string& line) {
  auto read = read_result_line(line);
  if (!read) return read.failure().in("sweep: a line is not a result: ");
  const std::string& policy = read.value().policy;
  const std::uint64_t seed = read.value().finished.totals.seed;
  if (!parts_->asks_for(policy, seed)) {
    return Error{fmt::format(
        "sweep: a line is of policy {}, seed {}; accepted: plays of this sweep", policy, seed)};
  }
  return parts_->kept->add(line, std::move(read).value());
}

Result<RunResult> Sweep::run() const {
  std::vector<Spec> given;
  for (const Lineup::Policy& policy : parts_->lineup.policies) given.push_back(policy.given);
  return run_kept(parts_->world, given, options(), parts_->kept.get());
}

Result<Comparison> Sweep::compare() const {
  auto result = run_kept(parts_->world, parts_->lineup.specs, options(), parts_->kept.get());
  if (!result) return result.failure();
  Comparison comparison =
      compared(std::move(result).value(), parts_->lineup, parts_->units, parts_->options);
  comparison.restored = parts_->restored;
  return comparison;
}

Result<std::vector<std::string>> play_lines(const Spec& world, const std::vector<Play>& plays,
                                            const RunOptions& given) {
  if (plays.empty()) return std::vector<std::string>();
  auto settled = settle_rounds(world, given);
  if (!settled) return settled.failure();
  RunOptions options = std::move(settled).value();
  options.first_seed = plays[0].seed;
  std::vector<Spec> specs;
  std::vector<Place> places;
  std::map<std::string, std::size_t> at;
  for (const Play& play : plays) {
    const auto [found, is_new] = at.emplace(play.policy.str(), specs.size());
    if (is_new) specs.push_back(play.policy);
    places.push_back({found->second, play.seed});
  }
  // Other pieces are for other plays of the sweep.
  options.own = own_of(options.own, own_uses(world, specs));
  auto prepared = prepare(world, specs, options);
  if (!prepared) return prepared.failure();
  std::vector<std::string> lines(plays.size());
  const Take take = [&](std::size_t index, Finished finished) -> Result<> {
    lines[index] = write_result_line(plays[index].policy.str(), finished);
    return {};
  };
  auto done = play_all(world, prepared.value(), places, options, take);
  if (!done) return done.failure();
  return lines;
}

Result<Comparison> compare(const Spec& world, const std::vector<Spec>& policies,
                           const CompareOptions& options) {
  auto sweep = Sweep::open(world, policies, options);
  if (!sweep) return sweep.failure();
  return sweep.value().compare();
}

}  // namespace rein
