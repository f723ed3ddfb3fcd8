// Extra: what a composed policy does besides estimating, pricing and exploring: a first stage, an
// alarm, all that tuning=auto adds. Each method is called at one place of decide() or learn(), and
// does nothing unless an extra overrides it.
#pragma once

#include <span>

#include "policy/lesson.h"
#include "rein/pricer.h"

namespace rein {

class Extra {
 public:
  virtual ~Extra() = default;

  // In decide(), after the oracle's estimates: may correct them. If it returns true, `raw` has the
  // costs before the correction, in units, one row per action.
  virtual bool correct(const Round& round, std::span<double> raw, Decision& decision) const;
  // In decide(), after the scores were made: may change them. Scores are divided by exp(log_scale).
  virtual void score(const Round& round, const Books& books, const Prices& prices,
                     Decision& decision) const;
  // In decide(), after the scores: may change the noises of the costs, which gamma depends on, to those of
  // the actions that may be played.
  virtual void compete(const Round& round, const Prices& prices, const Decision& decision,
                       Books& books) const;
  // In decide(), after the explorer: may change the probabilities.
  virtual void mix(const Round& round, const Books& books, Decision& decision) const;
  // In learn(), first: may change what the oracle learns, inside its ranges.
  virtual void teach(const Round& round, int action, std::span<double> heads) const;
  // In learn(), before and after the oracle learns. Where they throw, the extra is as it was.
  virtual void look(const Lesson& lesson);
  virtual void learned(const Lesson& lesson, const Oracle& oracle);
  // In learn(), last: books, queues and the gain know the round. Throws nothing.
  virtual void learn(const Lesson& lesson, Books& books, Pricer& pricer);
  // Corrects the oracle's estimates of actions that were hardly played, as correct() does.
  virtual void add_prior(const Round& round, Estimates& estimates) const;
  // Adds what it knows; the second, what takes long to compute.
  virtual void tell(PolicyState& state) const;
  virtual void certify(PolicyState& state) const;

  virtual void save(ByteWriter& out) const = 0;
  virtual void load(ByteReader& in) = 0;
};

inline bool Extra::correct(const Round&, std::span<double>, Decision&) const { return false; }
inline void Extra::score(const Round&, const Books&, const Prices&, Decision&) const {}
inline void Extra::compete(const Round&, const Prices&, const Decision&, Books&) const {}
inline void Extra::mix(const Round&, const Books&, Decision&) const {}
inline void Extra::teach(const Round&, int, std::span<double>) const {}
inline void Extra::look(const Lesson&) {}
inline void Extra::learned(const Lesson&, const Oracle&) {}
inline void Extra::learn(const Lesson&, Books&, Pricer&) {}
inline void Extra::add_prior(const Round&, Estimates&) const {}
inline void Extra::tell(PolicyState&) const {}
inline void Extra::certify(PolicyState&) const {}

}  // namespace rein
