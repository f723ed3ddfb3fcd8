// The playground: some policies on one world, round by round, for a page in a browser. Compiled for WebAssembly
// (scripts/playground.sh) and, with web/playground/native.cc, for this machine: both must give the same bits.
//
// A play here is one of `rein run`: the same seeds, the same order of draws, outcomes that come a fixed number of
// rounds late. One page has one playground, so its state is global.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "evaluate/late.h"
#include "rein/policy.h"
#include "rein/world.h"

namespace rein {
namespace {

constexpr std::uint64_t kPolicyStream = 1;  // as in src/evaluate/play.cc

// One policy on its own copy of the world.
class Player {
 public:
  Player(std::unique_ptr<World> world, std::unique_ptr<Policy> policy, std::uint64_t seed, int delay)
      : world_(std::move(world)),
        policy_(std::move(policy)),
        rng_(seed, kPolicyStream),
        scratch_(*policy_),
        decision_(*policy_),
        late_(*policy_, delay) {}

  void step() {
    const Round& round = world_->next();
    policy_->decide(round, late_.reserved(), rng_, scratch_, decision_).check();
    world_->outcome(decision_.action, outcome_);
    late_.learn(*policy_, round, decision_, outcome_).check();
    world_->observe(decision_.action, outcome_);
    reward_ += outcome_.reward;
    if (!outcome_.costs.empty()) spent_ += outcome_.costs[0];
  }
  double reward() const { return reward_; }
  double spent() const { return spent_; }
  // Reward that is given up per unit of the first cost; 0: the policy has no price.
  double price() const { return decision_.prices.empty() ? 0.0 : decision_.prices[0]; }

 private:
  std::unique_ptr<World> world_;
  std::unique_ptr<Policy> policy_;
  Rng rng_;
  Scratch scratch_;
  Decision decision_;
  Late late_;
  Outcome outcome_;
  double reward_ = 0.0, spent_ = 0.0;
};

struct Playground {
  std::vector<Player> players;
  std::vector<double> numbers;  // reward, spent and price of each player
  std::string why;              // the last refusal
  double budget = 0.0;
};

Playground& playground() {
  static Playground all;
  return all;
}

// One policy per line.
Result<> begin(std::string_view world, std::string_view policies, std::uint64_t seed, std::int64_t rounds, int delay) {
  Playground& all = playground();
  all.players.clear();
  while (!policies.empty()) {
    const std::string_view spec = policies.substr(0, policies.find('\n'));
    policies.remove_prefix(std::min(policies.size(), spec.size() + 1));
    auto made = make_world(world, seed, rounds);
    if (!made) return made.failure();
    const Shape& shape = made.value()->shape();
    all.budget = shape.budgets.empty() ? 0.0 : shape.budgets[0];
    auto policy = make_policy(spec, shape);
    if (!policy) return policy.failure();
    all.players.emplace_back(std::move(made).value(), std::move(policy).value(), seed, delay);
  }
  all.numbers.assign(3 * all.players.size(), 0.0);
  return {};
}

}  // namespace
}  // namespace rein

#if defined(__wasm__)
#define REIN_EXPORT(name) __attribute__((export_name(#name)))
#else
#define REIN_EXPORT(name)
#endif

extern "C" {

// Begins anew. Returns the number of policies; -1: refused, and rein_why() says why.
REIN_EXPORT(rein_begin) int rein_begin(const char* world, const char* policies, int seed, int rounds, int delay) {
  const auto done = rein::begin(world, policies, static_cast<std::uint64_t>(seed), rounds, delay);
  if (!done) rein::playground().why = done.error();
  return done ? static_cast<int>(rein::playground().players.size()) : -1;
}

REIN_EXPORT(rein_why) const char* rein_why() { return rein::playground().why.c_str(); }
REIN_EXPORT(rein_budget) double rein_budget() { return rein::playground().budget; }

// Plays so many rounds of every policy. Returns reward, spend and price of each, as they stand then.
REIN_EXPORT(rein_step) const double* rein_step(int rounds) {
  auto& all = rein::playground();
  for (std::size_t i = 0; i < all.players.size(); ++i) {
    rein::Player& player = all.players[i];
    for (int t = 0; t < rounds; ++t) player.step();
    all.numbers[3 * i] = player.reward();
    all.numbers[3 * i + 1] = player.spent();
    all.numbers[3 * i + 2] = player.price();
  }
  return all.numbers.data();
}

// Memory for texts that the page passes.
REIN_EXPORT(rein_text) char* rein_text(int bytes) {
  static std::vector<char> texts[2];
  static int next = 0;
  next = 1 - next;
  texts[next].assign(static_cast<std::size_t>(bytes) + 1, '\0');
  return texts[next].data();
}

}  // extern "C"
