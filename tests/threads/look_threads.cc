// Two threads look() and choose() at once on one engine, watched by TSan (tests/CMakeLists.txt).
// Both must see what one thread sees alone, and the engine must stay as it was.
#include <cstdio>
#include <thread>
#include <vector>

#include "rein/engine.h"

namespace {

constexpr int kRounds = 60;

using Seen = std::vector<double>;

Seen look_around(const rein::Engine& engine) {
  rein::LookScratch memory;
  rein::Scratch scratch;
  rein::DecideRecord record;
  Seen seen;
  for (int t = 0; t < kRounds; ++t) {
    const std::vector<double> x = {t / double{kRounds}, 0.5};
    const rein::Round round{.actions = 3, .context = x};
    const rein::Engine::Decision ticket = engine.look(round, memory).value();
    seen.insert(seen.end(), ticket.probabilities.begin(), ticket.probabilities.end());
    engine.choose(round, scratch, record).check();
    seen.push_back(static_cast<double>(record.offered_action()));
    seen.push_back(record.decision.probability);
  }
  return seen;
}

bool same_in_two_threads(const char* spec, const rein::EngineOptions& options) {
  const rein::Shape shape{.actions = 3, .context = 2, .costs = {{"dollars", {0.0, 1.0}}}};
  rein::Engine engine = rein::Engine::make(spec, shape, options).value();
  for (int t = 0; t < kRounds; ++t) {
    const std::vector<double> x = {0.5, t / double{kRounds}};
    const rein::Engine::Decision ticket = engine.decide({.actions = 3, .context = x}).value();
    if (t % 8 == 0) continue;  // stays open
    engine.learn(ticket.id, {.reward = 0.3 * ticket.action, .costs = {0.1 * ticket.action}})
        .check();
  }
  const std::uint64_t before = engine.state_hash();
  const Seen alone = look_around(engine);
  Seen one, two;
  std::thread first([&] { one = look_around(engine); });
  std::thread second([&] { two = look_around(engine); });
  first.join();
  second.join();
  return one == alone && two == alone && engine.state_hash() == before;
}

}  // namespace

int main() {
  // The second one has so little money left that some actions do not fit.
  const bool same =
      same_in_two_threads("ccb(rate=0.3,rounds=100)", {}) &&
      same_in_two_threads(
          "ccb(rate=0.3,rounds=100)",
          {.hard_budget = {13.0},
           .largest_costs = {rein::Costs{0.0}, rein::Costs{0.5}, rein::Costs{1.0}}}) &&
      same_in_two_threads("lincbwk(explore=4,rate=0.3,rounds=100)", {});
  std::puts(same ? "two threads saw the same" : "two threads saw different things");
  return same ? 0 : 1;
}
