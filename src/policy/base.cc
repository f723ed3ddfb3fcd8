#include "policy/base.h"

#include <fmt/format.h>

#include <limits>

#include "base/bytes.h"
#include "estimate/heads.h"
#include "estimate/optimistic.h"
#include "policy/common.h"
#include "policy/own_parts.h"

namespace rein {
namespace {

constexpr std::int64_t kStateVersion = 1;

}  // namespace

PolicyBase::PolicyBase(const Spec& spec, const Plan& plan, const Form& form)
    : spec_(spec),
      shape_(plan.shape),
      terms_(plan.terms),
      form_(form),
      units_(units_of(plan.shape)),
      own_oracle_(uses_own_oracle(spec)),
      spent_(static_cast<int>(plan.shape.costs.size())) {}

Result<> PolicyBase::decide(const Round& round, std::span<const double> reserved, Rng& rng,
                            Scratch& scratch, Decision& decision) const {
  if (auto fits = validate(shape_, round); !fits) return fits;
  if (auto fits = check_reserved(shape_, units_, reserved); !fits) return fits;
  decision.prepare(shape_.heads(), round.actions);
  Costs more(costs());
  for (std::size_t i = 0; i < reserved.size(); ++i) {
    more[static_cast<int>(i)] = reserved[i] / units_[i + 1];
  }
  decision.prices = prices(more);
  choose(round, scratch, decision);
  for (int i = 0; i < costs(); ++i) decision.prices[i] *= unit(0) / unit(i + 1);
  decision.log_scale = 0.0;
  decision.learned = rounds_;
  decision.predicted = Costs();
  decision.best = best_of(decision.scores());
  if (auto sound = check_sound(decision); !sound) return sound;
  decision.action = draw(decision.probabilities(), rng.uniform());
  decision.probability = decision.probabilities()[decision.action];
  return {};
}

Result<> PolicyBase::learn(const Round& round, const Decision& decision, const Outcome& outcome) {
  if (auto fits = validate(shape_, round); !fits) return fits;
  if (auto fits = validate(shape_, outcome); !fits) return fits;
  if (auto fits = check_decided(round, decision); !fits) return fits;
  if (!(decision.probability > 0.0 && decision.probability <= 1.0)) {
    return Error{
        fmt::format("decision: found probability {}; accepted: what decide() wrote, above 0 to 1",
                    decision.probability)};
  }
  Costs queued(costs());
  for (int i = 0; i < queued.size(); ++i) {
    queued[i] = outcome.costs[i] / unit(i + 1) - form_.rates()[i];
  }
  absorb_or_undo(round, decision, outcome, queued);
  for (int i = 0; i < queued.size(); ++i) spent_[i] += outcome.costs[i];
  reward_ += outcome.reward;
  return {};
}

void PolicyBase::absorb_or_undo(const Round& round, const Decision& decision,
                                const Outcome& outcome, const Costs& costs) {
  ByteWriter before;
  if (own_oracle_) save_parts(before);
  rounds_ += 1;
  try {
    absorb(round, decision, outcome, costs);
  } catch (...) {
    rounds_ -= 1;
    ByteReader in(before.bytes());
    if (own_oracle_) load_parts(in).check();
    throw;
  }
}

PolicyState PolicyBase::state() const {
  const double none = std::numeric_limits<double>::quiet_NaN();
  return {.rounds = rounds_,
          .reward = reward_,
          .spent = spent_,
          .queues = queues(),
          .parameters = parameters(),
          .u = oracle() ? terms_.u : none,
          .oracle_regret = oracle() ? plain(*oracle()).regret() : none,
          .setting = terms_.setting,
          .theorem = {}};
}

std::string PolicyBase::save() const {
  ByteWriter out;
  out.tag("rein own policy");
  out.i64(kStateVersion);
  out.text(spec_.str());
  out.text(text_of(shape_));
  out.i64(rounds_);
  out.f64(reward_);
  out.f64s(spent_.span());
  save_parts(out);
  return out.bytes();
}

Result<> PolicyBase::load(std::string_view bytes) {
  const std::string before = save();
  auto loaded = read(bytes);
  if (!loaded) read(before).check();
  return loaded;
}

Result<> PolicyBase::read(std::string_view bytes) {
  ByteReader in(bytes);
  in.tag("rein own policy");
  in.expect("version", in.i64(), kStateVersion);
  in.tag(spec_.str());
  in.tag(text_of(shape_));
  rounds_ = in.count();
  reward_ = in.f64();
  in.f64s(spent_);
  if (auto done = load_parts(in); !done) return done;
  return in.finish();
}

}  // namespace rein
