// Which decisions AutoTuning keeps, for prices to be rehearsed on.
#include <algorithm>

#include "base/size.h"
#include "base/tuned.h"
#include "policy/auto_tuning.h"
#include "tuning/few_rounds.h"

namespace rein {

void AutoTuning::rehearse(const Lesson& lesson, Books& books, Pricer& pricer) {
  if (is_kept(rounds_)) remember(lesson);
  pricer.foresee(books, window_);
}

// A logged round, with what is known after the log: those that were learned first were estimated by
// an oracle that knew nothing. The price is solved on the way, more often at first.
void AutoTuning::rehearse_warm(const Lesson& lesson, const Books& books, Pricer& pricer) {
  window_.add(lesson.decision.estimates, units_, &optimism_, &lesson.round);
  rehearsed_ += 1;
  const auto every =
      std::clamp<std::int64_t>(rehearsed_ / tuned::kSolveRounds, 1, tuned::kSolveRounds);
  if (rehearsed_ % every != 0) return;
  Books now = books;
  now.paces = lesson.decision.paces;
  for (int i = 0; i < now.paces.size(); ++i) now.paces[i] /= units_[as_size(i + 1)];
  pricer.foresee(now, window_);
}

bool AutoTuning::is_kept(std::int64_t round) {
  const std::int64_t windows = 1 + round / tuned::kWindowDecisions;
  return round % std::min<std::int64_t>(tuned::kSparse, windows) == 0;
}

// What was known when a decision was made that waited for its outcome says little about those to
// come. At first nothing was known. So it is made again with what is known now. This is done here, where an oracle of the
// caller's own may throw.
void AutoTuning::learned(const Lesson& lesson, const Oracle& oracle) {
  before_.is_made_again = lesson.first && !lesson.fresh && is_kept(rounds_ + 1);
  if (!before_.is_made_again) return;
  again_.prepare(static_cast<int>(units_.size()), lesson.round.actions);
  scratch_.reset(oracle.scratch());
  oracle.predict(lesson.round, scratch_, again_.estimates);
}

void AutoTuning::remember(const Lesson& lesson) {
  if (before_.is_made_again) correct(lesson.round, raw_, again_);
  const auto seen = static_cast<double>(rounds_);
  const double later = later_share(terms_.rounds, optimism_.teaching(seen), parameters_);
  const int kept = static_cast<int>(std::min<double>(seen * later, tuned::kWindowDecisions)) + 1;
  window_.add(before_.is_made_again ? again_.estimates : lesson.decision.estimates, units_, &optimism_,
              &lesson.round, std::max(kept, window_.rounds()));
}

}  // namespace rein
