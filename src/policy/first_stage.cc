#include "policy/first_stage.h"

#include "base/bytes.h"
#include "rein/scratch.h"
#include "solve/long_term.h"

namespace rein {
namespace {

constexpr std::size_t kMaxStageDoubles = std::size_t{1} << 24;

std::size_t as_size(std::int64_t n) { return static_cast<std::size_t>(n); }

}  // namespace

FirstStage::FirstStage(const Shape& shape, std::int64_t rounds, const Costs& rates)
    : shape_(shape),
      rounds_(rounds),
      rates_(rates),
      stride_(1 + as_size(shape.actions) + as_size(shape.context) +
              as_size(shape.actions) * as_size(shape.features)),
      most_kept_(std::clamp<std::int64_t>(static_cast<std::int64_t>(kMaxStageDoubles / stride_), 1,
                                          std::max<std::int64_t>(rounds, 1))),
      numbers_(as_size(most_kept_) * stride_) {}

bool FirstStage::learn(const Round& round) {
  if (!active()) return false;
  if (seen_ < most_kept_) {
    double* to = numbers_.data() + as_size(seen_) * stride_;
    std::fill(to, to + stride_, 0.0);
    *to++ = round.actions;
    for (int a = 0; a < round.actions; ++a) to[a] = round.id(a);
    to = std::copy(round.context.begin(), round.context.end(), to + shape_.actions);
    if (!round.features.empty() || shape_.features == 0) {
      std::copy(round.features.begin(), round.features.end(), to);
    } else {
      for (int a = 0; a < round.actions; ++a, to += shape_.features) {
        for (int j = round.sparse.begin[a]; j < round.sparse.begin[a + 1]; ++j) {
          to[round.sparse.index[j]] = round.sparse.value[j];
        }
      }
    }
  }
  ++seen_;
  return !active();
}

Round FirstStage::round_at(std::int64_t t, std::vector<std::int32_t>& ids) const {
  const double* from = numbers_.data() + as_size(t) * stride_;
  const int actions = static_cast<int>(*from++);
  ids.clear();
  for (int a = 0; a < actions; ++a) ids.push_back(static_cast<std::int32_t>(from[a]));
  from += shape_.actions;
  const double* features = from + shape_.context;
  return {.actions = actions,
          .context = {from, as_size(shape_.context)},
          .features = {features, as_size(actions) * as_size(shape_.features)},
          .ids = ids};
}

double FirstStage::best(const Oracle& oracle, const std::vector<double>& units) const {
  const int m = rates_.size();
  LongTerm best(shape_.actions, m);
  Estimates estimates;
  estimates.prepare(1 + m, shape_.actions);
  Scratch scratch;
  std::vector<std::int32_t> ids;
  std::vector<double> values;
  for (std::int64_t t = 0; t < kept(); ++t) {
    const Round round = round_at(t, ids);
    estimates.set_actions(round.actions);
    scratch.reset(oracle.scratch());
    oracle.predict(round, scratch, estimates);
    values.clear();
    for (int h = 0; h <= m; ++h) {
      for (double mean : estimates.mean(h)) values.push_back(mean / units[as_size(h)]);
    }
    best.add(values, round.actions);
  }
  const double n = static_cast<double>(kept());
  std::vector<double> budgets;
  for (double rate : rates_) budgets.push_back(rate * n);
  const double value = best.solve(budgets).value / n;
  return value >= 0.0 ? std::min(value, 1.0) : value < 0.0 ? 0.0 : 1.0;  // 1 where it has no answer
}

void FirstStage::save(ByteWriter& out) const {
  out.tag("first stage");
  out.i64(seen_);
  if (active()) out.f64s({numbers_.data(), as_size(kept()) * stride_});
}

void FirstStage::load(ByteReader& in) {
  in.tag("first stage");
  seen_ = std::clamp<std::int64_t>(in.i64(), 0, rounds_);
  if (!active()) return;
  in.f64s({numbers_.data(), as_size(kept()) * stride_});
  const auto within = [](double x, double low, double high) { return x >= low && x <= high; };
  for (std::int64_t t = 0; t < kept() && in.ok(); ++t) {
    const double* from = numbers_.data() + as_size(t) * stride_;
    bool sound = within(*from, 1.0, shape_.actions);
    for (int a = 1; a <= shape_.actions; ++a) {
      sound = sound && within(from[a], 0.0, shape_.actions - 1.0);
    }
    if (!sound) in.fail("saved state has a first stage with a round that no shape has");
  }
}

}  // namespace rein
