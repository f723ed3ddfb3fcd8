#include "policy/first_stage.h"

#include <algorithm>

#include "base/bytes.h"
#include "rein/scratch.h"
#include "solve/long_term.h"

namespace rein {
namespace {

constexpr std::size_t kMaxStageDoubles = std::size_t{1} << 24;

}  // namespace

FirstStage::FirstStage(const Shape& shape, std::int64_t rounds, const Costs& rates)
    : actions_(shape.actions),
      rounds_(rounds),
      rates_(rates),
      kept_(shape, rounds, kMaxStageDoubles) {}

std::optional<double> FirstStage::learn(const Round& round, const Oracle& oracle,
                                        const std::vector<double>& units) {
  if (!active()) return {};
  const int kept = kept_.size();
  if (kept < kept_.room()) kept_.add(round);
  ++seen_;
  if (active()) return {};
  try {
    return best(oracle, units);
  } catch (...) {
    --seen_;
    kept_.shrink(kept);
    throw;
  }
}

double FirstStage::best(const Oracle& oracle, const std::vector<double>& units) const {
  const int m = rates_.size();
  LongTerm best(actions_, m);
  Estimates estimates;
  estimates.prepare(1 + m, actions_);
  Scratch scratch;
  std::vector<std::int32_t> ids;
  std::vector<double> values;
  for (int t = 0; t < kept_.size(); ++t) {
    const Round round = kept_.at(t, ids);
    estimates.set_actions(round.actions);
    scratch.reset(oracle.scratch());
    oracle.predict(round, scratch, estimates);
    values.clear();
    for (int h = 0; h <= m; ++h) {
      const double unit = units[static_cast<std::size_t>(h)];
      for (double mean : estimates.mean(h)) values.push_back(mean / unit);
    }
    best.add(values, round.actions);
  }
  const double n = kept_.size();
  std::vector<double> budgets;
  for (double rate : rates_) budgets.push_back(rate * n);
  const double value = best.solve(budgets).value / n;
  return value >= 0.0 ? std::min(value, 1.0) : value < 0.0 ? 0.0 : 1.0;  // 1 where it has no answer
}

void FirstStage::save(ByteWriter& out) const {
  out.tag("first stage");
  out.i64(seen_);
  if (active()) kept_.save(out);
}

void FirstStage::load(ByteReader& in) {
  in.tag("first stage");
  seen_ = in.between("rounds of the first stage", 0, rounds_);
  if (active()) kept_.load(in);
}

}  // namespace rein
