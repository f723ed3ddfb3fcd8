#include "world/linear.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "base/math.h"
#include "base/units.h"
#include "world/adversary.h"
#include "world/keys.h"
#include "world/known_means.h"
#include "world/linear_problem.h"
#include "world/means.h"
#include "world/unit.h"

namespace rein {
namespace {

constexpr std::int64_t kMaxBlock = std::int64_t{1} << 53;

enum class Order { kIid, kSwitching, kCyclic, kDrift, kAdaptive };

struct LinearOptions {
  LinearProblem::Options problem;
  Order order = Order::kIid;
  std::int64_t block = 0;
  std::int64_t period = 0;
  double turns = 0.0;
  int candidates = 0;
  Adversary::Target target = Adversary::Target::kUncertainty;
};

class Linear final : public KnownMeans {
 public:
  Linear(const LinearOptions& options, const LinearProblem& problem, const Shape& shape,
         const Noise& noise, std::uint64_t seed, std::int64_t rounds);
  void observe(int action, const Outcome& outcome) override;
  bool adapts() const override { return adversary_.has_value(); }
  bool iid() const override { return options_.order == Order::kIid; }

 private:
  void arrange(std::int64_t t) override;
  void start_block(std::int64_t block);
  void arrange_worst(std::int64_t t);

  LinearOptions options_;
  LinearProblem problem_;
  std::uint64_t seed_;
  double rounds_;
  std::vector<double> features_;
  std::vector<double> trial_;  // a candidate of the adversary
  std::vector<double> pull_;   // the current distribution; empty if there is only one
  std::vector<double> east_;   // drift turns from here
  std::vector<double> north_;  // to here, a perpendicular direction
  std::optional<Adversary> adversary_;
};

Linear::Linear(const LinearOptions& options, const LinearProblem& problem, const Shape& shape,
               const Noise& noise, std::uint64_t seed, std::int64_t rounds)
    : KnownMeans(shape, noise, rounds),
      options_(options),
      problem_(problem),
      seed_(seed),
      rounds_(static_cast<double>(rounds)),
      features_(static_cast<std::size_t>(shape.actions) *
                static_cast<std::size_t>(shape.features)) {
  Rng rng = world_rng(seed, Purpose::kLaws);
  if (options.order == Order::kSwitching || options.order == Order::kDrift) {
    pull_.resize(static_cast<std::size_t>(problem.inner()));
  }
  if (options.order == Order::kDrift) {
    east_ = random_unit(rng, problem.inner());
    north_ = random_unit_across(rng, east_);
  }
  if (options.order == Order::kAdaptive) {
    trial_.resize(features_.size());
    adversary_.emplace(options.target, KnownMeans::shape());
  }
}

void Linear::arrange(std::int64_t t) {
  round_ = {.actions = options_.problem.actions, .features = features_};
  switch (options_.order) {
    case Order::kIid:
      return problem_.draw(t, 0, {}, features_);
    case Order::kCyclic:
      return problem_.draw(t % options_.period, 0, {}, features_);
    case Order::kSwitching:
      if (t % options_.block == 0) start_block(t / options_.block);
      return problem_.draw(t, 0, pull_, features_);
    case Order::kDrift: {
      constexpr double kTwoPi = 6.283185307179586;
      const double turn = options_.turns * static_cast<double>(t) / rounds_;
      const double share = turn - std::floor(turn);
      const double x = cos(kTwoPi * share);
      const double y = cos(kTwoPi * (share - 0.25));  // the sine
      for (std::size_t j = 0; j < pull_.size(); ++j) pull_[j] = x * east_[j] + y * north_[j];
      return problem_.draw(t, 0, pull_, features_);
    }
    case Order::kAdaptive:
      return arrange_worst(t);
  }
}

void Linear::start_block(std::int64_t block) {
  Rng rng = world_rng(seed_, Purpose::kLaws);
  rng.set_counter(static_cast<std::uint64_t>(block) * 2 * pull_.size());  // two draws per number
  for (double& value : pull_) value = rng.normal();
  make_unit(pull_);
}

void Linear::arrange_worst(std::int64_t t) {
  double worst = 0.0;
  for (int c = 0; c < options_.candidates; ++c) {
    problem_.draw(t, c, {}, trial_);
    const double score =
        adversary_->score({.actions = options_.problem.actions, .features = trial_});
    if (c > 0 && score <= worst) continue;
    worst = score;
    features_.swap(trial_);
  }
  round_.features = features_;
}

void Linear::observe(int action, const Outcome& outcome) {
  if (adversary_) adversary_->observe(round_, action, outcome);
}

Order order_of(const std::string& word) {
  if (word == "switching") return Order::kSwitching;
  if (word == "cyclic") return Order::kCyclic;
  if (word == "drift") return Order::kDrift;
  if (word == "adaptive") return Order::kAdaptive;
  return Order::kIid;
}

LinearOptions read_order(SpecReader& read) {
  LinearOptions options;
  options.order =
      order_of(read.word("order", "iid", {"iid", "switching", "cyclic", "drift", "adaptive"}));
  options.block = read.integer("block", 500, 1, kMaxBlock);
  options.period = read.integer("period", 50, 1, kMaxBlock);
  options.turns = read.number("turns", 1.0, {.above = 0.0, .high = 1e6});
  options.candidates = static_cast<int>(read.integer("candidates", 8, 1, 1000));
  const std::string target = read.word("target", "uncertainty", {"uncertainty", "queue"});
  if (target == "queue") options.target = Adversary::Target::kQueue;
  only_with(read, "block", options.order == Order::kSwitching, "order=switching");
  only_with(read, "period", options.order == Order::kCyclic, "order=cyclic");
  only_with(read, "turns", options.order == Order::kDrift, "order=drift");
  only_with(read, "candidates", options.order == Order::kAdaptive, "order=adaptive");
  only_with(read, "target", options.order == Order::kAdaptive, "order=adaptive");
  return options;
}

LinearProblem::Options read_problem(SpecReader& read) {
  LinearProblem::Options problem;
  problem.positive = read.word("costs", "signed", {"signed", "positive"}) == "positive";
  problem.costs = static_cast<int>(read.integer("m", 1, 0, kMaxCosts));
  problem.actions = static_cast<int>(read.integer("k", 8, 1, kMaxActions));
  problem.features =
      static_cast<int>(read.integer("d", 8, problem.positive ? 2 : 1, kMaxWorldDimension));
  problem.margin = read.number("margin", problem.margin,
                               {.low = 0.0, .high = LinearProblem::most_margin(problem.costs)});
  problem.tension = read.number("tension", problem.tension, {.low = -1.0, .high = 1.0});
  margin_or_safe(read, problem.positive);
  if (std::int64_t{problem.actions} * problem.features > kMaxWorldNumbers) {
    read.refuse(fmt::format("k={} and d={} make {} numbers per round; accepted: at most {}",
                            problem.actions, problem.features,
                            std::int64_t{problem.actions} * problem.features, kMaxWorldNumbers));
  }
  return problem;
}

}  // namespace

Result<std::unique_ptr<World>> make_linear(const Spec& spec, std::uint64_t seed,
                                           std::int64_t rounds) {
  SpecReader read(spec, "world spec");
  LinearOptions options = read_order(read);
  LinearProblem::Options& problem = options.problem = read_problem(read);
  const Noise noise(read, "rademacher", seed);
  Shape shape;
  shape.actions = problem.actions;
  shape.features = problem.features;
  shape.costs = cost_shapes(problem.costs, problem.positive);
  shape.budgets = read_budgets(read, problem.costs, rounds);
  problem.safe = read_safe(read, shape.budgets, rounds);
  if (options.target == Adversary::Target::kQueue && problem.costs == 0) {
    read.refuse("target=queue needs a cost, and m is 0");
  }
  if (auto done = read.finish(); !done) return done.failure();

  const LinearProblem hidden(problem, seed);
  shape.truth = std::make_shared<LinearMeans>(hidden.theta(), ranges_of(shape));
  return std::make_unique<Linear>(options, hidden, shape, noise, seed, rounds);
}

}  // namespace rein
