// The extra time per round of tuning=auto over tuning=theory, and of its default oracle, auto, over the
// linear one.
// The two alternate on the same rounds, so that a busy machine slows both equally. Prints the median
// of the blocks and their ratio.
//
// tuning_cost WORLD SPEC SPEC ...   prints for every policy the mean time per round over the first 20 480
// rounds, and the ratio to the first policy. Every block of rounds counts with the fastest of three runs.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "rein/rein.h"

namespace {

constexpr int kRounds = 2048;  // made in advance, so that only the policies are timed
constexpr int kBlocks = 41;
constexpr int kFirstBlocks = 10;  // of a comparison by parts, and
constexpr int kTries = 3;         // how often it runs

// The rounds of a world, with the outcomes of every action.
struct Ring {
  explicit Ring(const std::string& spec, int blocks = kBlocks) {
    auto world = rein::make_world(spec, 1, kRounds * blocks).value();
    shape = world->shape();
    shape.truth = nullptr;
    for (int t = 0; t < kRounds; ++t) {
      const rein::Round& round = world->next();
      features.insert(features.end(), round.features.begin(), round.features.end());
      contexts.insert(contexts.end(), round.context.begin(), round.context.end());
      for (int a = 0; a < shape.actions; ++a) {
        world->outcome(a, outcomes.emplace_back());
      }
    }
  }
  rein::Round round(int t) const {
    const auto size = static_cast<std::size_t>(shape.actions * shape.features);
    const auto context = static_cast<std::size_t>(shape.context);
    return {.actions = shape.actions,
            .context = {contexts.data() + static_cast<std::size_t>(t) * context, context},
            .features = {features.data() + static_cast<std::size_t>(t) * size, size}};
  }
  rein::Shape shape;
  std::vector<double> features;
  std::vector<double> contexts;
  std::vector<rein::Outcome> outcomes;
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Player {
  Player(const std::string& spec, const rein::Shape& shape)
      : policy(rein::make_policy(spec, shape).value()), scratch(*policy), decision(*policy) {}
  double play(const Ring& ring) {
    const double start = cpu_seconds();
    for (int t = 0; t < kRounds; ++t) {
      const rein::Round round = ring.round(t);
      policy->decide(round, rng, scratch, decision).check();
      const auto at = static_cast<std::size_t>(t * round.actions + decision.action);
      policy->learn(round, decision, ring.outcomes[at]).check();
    }
    return (cpu_seconds() - start) / kRounds * 1e6;
  }
  std::unique_ptr<rein::Policy> policy;
  rein::Scratch scratch;
  rein::Decision decision;
  rein::Rng rng{7};
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

void compare(int k, int d, const std::string& world, const std::string& before,
             const std::string& after, const std::string& what) {
  const Ring ring(fmt::format("{}(costs=positive,d={},k={},rate=0.3)", world, d, k));
  Player first(before, ring.shape), second(after, ring.shape);
  std::vector<double> of_first, of_second, ratio;
  for (int block = 0; block < kBlocks; ++block) {
    of_first.push_back(first.play(ring));
    of_second.push_back(second.play(ring));
    ratio.push_back(of_second.back() / of_first.back());
  }
  fmt::print("{:>4} {:>4} {:>26} {:>11.2f} {:>9.2f} {:>7.2f}\n", k, d, what, median(of_first),
             median(of_second), median(ratio));
}

// The time of each policy per round, in turns.
void compare_parts(const std::string& world, std::span<char*> specs) {
  const Ring ring(world, kFirstBlocks);
  std::vector<std::vector<double>> best(specs.size(), std::vector<double>(kFirstBlocks, 1e9));
  for (int attempt = 0; attempt < kTries; ++attempt) {
    std::vector<Player> players;
    for (const char* spec : specs) players.emplace_back(spec, ring.shape);
    for (std::size_t block = 0; block < kFirstBlocks; ++block) {
      for (std::size_t i = 0; i < specs.size(); ++i) {
        best[i][block] = std::min(best[i][block], players[i].play(ring));
      }
    }
  }
  double first = 0.0;
  fmt::print("{:>9} {:>7} {:>9}  {}\n", "us", "ratio", "last, us", world);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    double mean = 0.0;
    for (const double time : best[i]) mean += time / kFirstBlocks;
    if (i == 0) first = mean;
    fmt::print("{:>9.2f} {:>7.2f} {:>9.2f}  {}\n", mean, mean / first, best[i].back(), specs[i]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2) {
    compare_parts(argv[1], std::span(argv, static_cast<std::size_t>(argc)).subspan(2));
    return 0;
  }
  fmt::print("{:>4} {:>4} {:>26} {:>11} {:>9} {:>7}\n", "K", "d", "oracle", "theory, us",
             "auto, us", "ratio");
  for (const char* oracle : {"vaw", "vaw(features=per_action)"}) {
    for (const auto& [k, d] : {std::pair{4, 10}, {10, 99}}) {
      compare(k, d, "linear", fmt::format("ccb(oracle={},tuning=theory)", oracle),
              fmt::format("ccb(oracle={},tuning=auto)", oracle), oracle);
    }
  }
  fmt::print("{:>4} {:>4} {:>26} {:>11} {:>9} {:>7}\n", "K", "d", "world", "linear, us", "auto, us",
             "ratio");
  for (const char* world : {"linear", "nonlinear"}) {  // action features, and a context
    for (const auto& [k, d] : {std::pair{4, 10}, {10, 99}}) {
      compare(k, d, world, "ccb(oracle=vaw(memory=auto))", "ccb", world);
    }
  }
}
