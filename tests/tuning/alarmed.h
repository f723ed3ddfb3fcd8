// Runs an oracle through a world with the alarm, as a policy would. For the quick tests of the
// alarm and for the long ones in tests/slow.
#pragma once

#include <string>
#include <vector>

#include "estimate/heads.h"
#include "estimate/play.h"
#include "rein/world.h"
#include "tuning/alarm.h"

namespace rein {

enum class Play { kRandom, kGreedy };  // greedy: nine of ten rounds, by reward less costs

struct Alarmed {
  Shape shape;
  std::unique_ptr<Oracle> oracle;
  Alarm alarm;
};

// Runs for `rounds`, or until it rings.
inline Alarmed drive(const std::string& world_spec, const std::string& oracle_spec,
                     std::uint64_t seed, int rounds, Play play = Play::kRandom,
                     const Alarm::Options& options = {}) {
  const auto world = make_world(std::string_view(world_spec), seed, rounds).value();
  const Shape& shape = world->shape();
  Alarmed run{shape, oracle_of(oracle_spec, shape), Alarm(shape, options)};
  const Heads heads(shape);
  Scratch scratch;
  scratch.reset(run.oracle->scratch());
  Estimates e;
  e.prepare(heads.size(), shape.actions);
  HeadValues p, y;
  Outcome outcome;
  Rng rng(seed);
  for (int t = 0; t < rounds && !run.alarm.ringing(); ++t) {
    const Round& round = world->next();
    scratch.reset(run.oracle->scratch());
    e.set_actions(round.actions);
    run.oracle->predict(round, scratch, e);
    auto action = static_cast<int>(rng.below(round.actions));
    if (play == Play::kGreedy && rng.uniform() < 0.9) {
      double best = -1e300;
      for (int a = 0; a < round.actions; ++a) {
        double score = 0.0;
        for (int h = 0; h < heads.size(); ++h) {
          score += (h == 0 ? 1.0 : -1.0) * heads.to_units(h, e.mean(h)[a]);
        }
        if (score > best) {
          best = score;
          action = a;
        }
      }
    }
    world->outcome(action, outcome);
    for (int h = 0; h < heads.size(); ++h) {
      p[h] = heads.to_units(h, e.mean(h)[action]);
      y[h] = h == 0 ? outcome.reward : outcome.costs[h - 1];
    }
    run.oracle->learn(round, action, y.of(heads));
    run.alarm.learn(round, action, p.of(heads), y.of(heads), run.oracle->regret());
    world->observe(action, outcome);
  }
  return run;
}

}  // namespace rein
