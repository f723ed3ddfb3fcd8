#include "policy/peers/first_stage.h"

#include <algorithm>
#include <cmath>

#include "base/size.h"
#include "base/units.h"
#include "policy/confidence.h"
#include "rein/bytes.h"
#include "solve/long_term.h"

namespace rein {
namespace {

// Numbers of the rounds, or of the estimates, that are kept.
constexpr std::size_t kMaxStageDoubles = std::size_t{1} << 24;
constexpr std::size_t kMaxStoredDoubles = std::size_t{1} << 22;

RoundStore room_for(const Shape& shape, const FirstStage::Options& options) {
  if (options.kind == FirstStage::Kind::kWidest) return {shape, options.rounds, kMaxStageDoubles};
  const Shape estimates{.actions = shape.actions, .features = shape.heads()};
  const std::size_t row = as_size(shape.heads()) * as_size(shape.actions);
  const auto most = static_cast<std::int64_t>(std::max<std::size_t>(kMaxStoredDoubles / row, 1));
  // A kept round is its estimates, its ids and its size: at most twice the row.
  return {estimates, std::min(options.rounds - options.rounds / 2, most), 2 * kMaxStoredDoubles};
}

}  // namespace

FirstStage::FirstStage(const Shape& shape, const Terms& terms, const Form& form,
                       const Options& options)
    : terms_(terms),
      form_(form),
      options_(options),
      units_(units_of(shape)),
      kept_(room_for(shape, options)),
      row_(as_size(shape.heads()) * as_size(shape.actions)) {}

void FirstStage::score(const Round&, const Books&, const Prices&, Decision& decision) const {
  if (!active() || uniform()) return;
  const std::span<const double> width = std::as_const(decision.estimates).width();
  std::ranges::transform(width, decision.scores().begin(), half_width);
}

// Of uniform rounds only the last are kept, and none whose decision came from elsewhere.
void FirstStage::keep(const Round& round, const Estimates& estimates) {
  if (kept_.size() == kept_.room()) return;
  if (!uniform()) return kept_.add(round);
  const int heads = terms_.costs + 1;
  if (estimates.actions() != round.actions || estimates.heads() != heads) return;
  if (seen_ < options_.rounds - kept_.room()) return;
  for (int h = 0; h < heads; ++h) {
    for (int a = 0; a < round.actions; ++a) {
      const double value = estimates.mean(h)[a] / units_[as_size(h)];
      row_[as_size(a * heads + h)] = h == 0 ? value : form_.cost(h - 1, value);
    }
  }
  kept_.add({.actions = round.actions,
             .features = std::span(row_).first(as_size(round.actions * heads))});
}

void FirstStage::learned(const Lesson& lesson, const Oracle& oracle) {
  if (!active() || !lesson.first) return;
  const int kept = kept_.size();
  keep(lesson.round, lesson.decision.estimates);
  if (seen_ + 1 < options_.rounds) return;
  try {
    opt_ = best(oracle);
  } catch (...) {
    kept_.shrink(kept);
    throw;
  }
}

void FirstStage::learn(const Lesson& lesson, Books& books, Pricer& pricer) {
  if (!active() || !lesson.first) return;
  ++seen_;
  if (active()) return;
  if (!uniform()) {  // 1 where the LP has no answer
    const double opt = opt_ >= 0.0 ? std::min(opt_, 1.0) : opt_ < 0.0 ? 0.0 : 1.0;
    books.opt = opt + form_.rate();
    return;
  }
  const double b = form_.rate();
  const double most = 1.0 / b;  // rewards are at most 1: OPT <= T
  const double miss = std::sqrt(terms_.actions * terms_.u / static_cast<double>(options_.rounds));
  const double z = (std::max(opt_, 0.0) + miss) / b;
  books.opt = 1.0;
  books.reach = options_.z_scale * (z < most ? z : most);  // also where the LP has no answer
  pricer.restart(books.reach);
}

double FirstStage::best(const Oracle& oracle) const {
  const int m = terms_.costs;
  LongTerm best(terms_.actions, m);
  Estimates estimates;
  estimates.prepare(1 + m, terms_.actions);
  Scratch scratch;
  std::vector<std::int32_t> ids;
  std::vector<double> values;
  for (int t = 0; t < kept_.size(); ++t) {
    const Round round = kept_.at(t, ids);
    if (!uniform()) {
      estimates.set_actions(round.actions);
      scratch.reset(oracle.scratch());
      oracle.predict(round, scratch, estimates);
    }
    values.clear();
    for (int h = 0; h <= m; ++h) {
      for (int a = 0; a < round.actions; ++a) {
        values.push_back(uniform() ? round.features[as_size(a * (m + 1) + h)]
                                   : estimates.mean(h)[a] / units_[as_size(h)]);
      }
    }
    best.add(values, round.actions);
  }
  if (kept_.size() == 0) return 1.0;
  const double n = kept_.size();
  std::vector<double> budgets;
  for (double rate : form_.rates()) budgets.push_back((uniform() ? form_.rate() : rate) * n);
  return best.solve(budgets).value / n;
}

void FirstStage::save(ByteWriter& out) const {
  out.tag("first stage");
  out.i64(seen_);
  if (active()) kept_.save(out);
}

void FirstStage::load(ByteReader& in) {
  in.tag("first stage");
  seen_ = in.between("rounds of the first stage", 0, options_.rounds);
  kept_.clear();
  if (active()) kept_.load(in);
}

}  // namespace rein
