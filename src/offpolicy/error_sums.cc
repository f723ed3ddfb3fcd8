// What rows add to the covariance of the mixtures that meet the budgets. Rows of one unit are one
// observation: their errors are added up before they are squared.
//
// The covariance between folds. The models of a fold learn from the rows of all other folds, and
// choose where these rows look good. So the errors of two folds k and l are not independent: fold k
// chooses by the noise of fold l, and l by that of k. Write R for the other folds' part of what decides
// between two actions in some contexts, e_k and e_l for that of k and l, all of mean 0 and normal. Fold
// k then earns noise e_k sign(R + e_l), and
//   E e_k sign(R + e_l) e_l sign(R + e_k) = E (E[e sign(R + e) | R])^2 = 4 s^2 E phi(R / s)^2,
// s^2 the variance of e. Where R is spread evenly around 0 that is
//   s^2 P(R + e_k and R + e_l have different signs).
// It is less where R is mostly far from 0, or if noise that decides is not the noise of the scores. Where
// noise alone decides, R is that of the other F - 2 folds, and it is 1.27 times that with 2 folds, 1.05 times
// with 5 and 1.02 times with 10. With F folds of n / F rows this sums up to about
//   (1 / n) * mean over rows of 1/2 sum over folds f of (score_f - their mean)^2,
// where score_f is the row's score if the models of fold f choose. That is added: as rows of their own,
// to all covariances. Without it intervals hold in 91 % of logs where models disagree about a fifth of
// the rows. In a forward fit folds learn only from earlier ones, and given models from none: nothing is
// added.
#include <algorithm>
#include <cmath>

#include "offpolicy/overlap.h"
#include "offpolicy/priced_sums.h"

namespace rein {
namespace {

// Rows whose products are added at once, so that the covariance is read and written less often.
constexpr std::size_t kRowsTogether = 8;
// Rows that are loaded before the classes add them, one class after the other.
constexpr std::size_t kBatchRows = 32;
// Rows of which the covariance between folds is estimated, evenly spread. Each is scored by every fold.
constexpr std::int64_t kSpreadRows = 4096;

// Adds the balance of the features where the weight changes from that of the mixture before: its
// sums are those of all changes up to a mixture. Few neighbours differ, so that is much less work.
void add_weight_change(double before, double now, std::span<const double> powers, double* sums) {
  const std::size_t features = powers.size() / 3;
  const double old = before * before;
  const double square = now * now;
  const double factors[] = {now - before, square - old, square * square - old * old};
  for (std::size_t power = 0; power < 3; ++power) {
    const double* x = powers.data() + power * features;
    double* sum = sums + power * features;
    for (std::size_t j = 0; j < features; ++j) sum[j] += factors[power] * x[j];
  }
}

// The sums of one class of policies.
class ClassErrors {
 public:
  ClassErrors(const PricedGrid& grid, std::span<const BudgetMix> mixes,
              double mean, double* block)
      : grid_(grid),
        mean_(mean),
        layout_(grid, mixes.size()),
        mixes_(mixes),
        block_(block),
        heads_(at(grid.heads)),
        cost_(at(grid.options.cost)),
        off_(kRowsTogether * heads_ * mixes.size()),
        plain_(2 * mixes.size(), 0.0),
        raw_(2 * mixes.size(), 0.0),
        score_(heads_),
        target_(at(grid.actions)) {}

  void add(const ScoredRow& row, const Paths& paths);
  // The last row of an observation was added: its errors are one.
  void end_observation();
  // The scores that the models of this fold would give. After all folds, add_spread() adds how they
  // differ. end_observation() counts the differences of all rows of the observation.
  void score_fold(const ScoredRow& row, int fold, const Paths& paths);
  void add_spread(double weight);
  void finish() { add_products(); }

 private:
  double score_mix(const ScoredRow& row, std::span<const MixPart> parts, const Paths& paths,
                   double* shares);
  // Where the next row's errors go, head x mixture, and that it is filled.
  double* next() { return off_.data() + filled_ * heads_ * mixes_.size(); }
  void end_row() {
    if (++filled_ == kRowsTogether) add_products();
  }
  // `score`: one per head, less their means. Adds to the errors of mixture k, and to those of reward and
  // cost as they are.
  void add_errors(std::size_t k, const double* score, double weight, double* errors, double* plain);
  void add_plain(std::span<double> plain);
  void end_spread();
  void add_products();

  const PricedGrid& grid_;
  double mean_;  // reward of the log
  ErrorSums layout_;
  std::span<const BudgetMix> mixes_;
  double* block_;
  std::size_t heads_, cost_;
  std::vector<double> off_;  // of the rows that wait for their products: row x head x mixture
  std::size_t filled_ = 0;   // how many wait
  // Of the observation, per mixture: the errors of reward and cost; the weighted reward less its mean,
  // and the weight.
  std::vector<double> plain_, raw_;
  std::vector<double> score_, target_;
  std::vector<double> of_folds_;  // of a row: fold x mixture x head
  std::vector<double> spread_;    // of the observation: fold x (head x mixture, then plain)
};

// The row's score of one mixture and the probabilities of its actions. Returns the weight of the row.
// `shares` may be null.
double ClassErrors::score_mix(const ScoredRow& row, std::span<const MixPart> parts,
                              const Paths& paths, double* shares) {
  double ratio = 0.0;
  std::fill(target_.begin(), target_.end(), 0.0);
  const int only = action_at(paths[at(parts[0].held)], parts[0].price);
  const bool same = std::all_of(parts.begin() + 1, parts.end(), [&](const MixPart& part) {
    return action_at(paths[at(part.held)], part.price) == only;
  });
  if (same) {  // as in most rows
    std::copy_n(row.scores.data() + at(only) * heads_, heads_, score_.data());
    if (shares != nullptr) shares[only] += row.weight;
    target_[at(only)] = 1.0;
    return only == row.played ? row.inverse : 0.0;
  }
  std::fill(score_.begin(), score_.end(), 0.0);
  for (const MixPart& part : parts) {
    const int action = action_at(paths[at(part.held)], part.price);
    const double* each = row.scores.data() + at(action) * heads_;
    for (std::size_t h = 0; h < heads_; ++h) score_[h] += part.share * each[h];
    if (shares != nullptr) shares[action] += row.weight * part.share;
    target_[at(action)] += part.share;
    if (action == row.played) ratio += part.share * row.inverse;
  }
  return ratio;
}

void ClassErrors::add_errors(std::size_t k, const double* score, double weight, double* errors,
                             double* plain) {
  const BudgetMix& mix = mixes_[k];
  plain[2 * k] += weight * score[0];
  plain[2 * k + 1] += weight * score[cost_];
  for (std::size_t h = 0; h < heads_; ++h) {
    const double met = mix.binding ? mix.cost_slope[h] * score[cost_] : 0.0;
    errors[h * mixes_.size() + k] += weight * (score[h] - met);
  }
}

void ClassErrors::add_plain(std::span<double> plain) {
  for (std::size_t k = 0; k < mixes_.size(); ++k) {
    const double reward = plain[2 * k];
    const double spent = plain[2 * k + 1];
    double* sums = block_ + layout_.plain + 3 * k;
    sums[0] += reward * reward;
    sums[1] += spent * spent;
    sums[2] += reward * spent;
  }
  std::fill(plain.begin(), plain.end(), 0.0);
}

void ClassErrors::end_observation() {
  add_plain(plain_);
  const double* errors = next();
  for (std::size_t i = 0; i < heads_ * mixes_.size(); ++i) {
    const double square = errors[i] * errors[i];
    double* powers = block_ + layout_.powers + 3 * i;
    powers[0] += square;
    powers[1] += square * errors[i];
    powers[2] += square * square;
  }
  for (std::size_t k = 0; k < mixes_.size(); ++k)
    RawMoments::add(raw_[2 * k], raw_[2 * k + 1], block_ + layout_.raw + RawMoments::kSize * k);
  std::fill(raw_.begin(), raw_.end(), 0.0);
  end_row();
  end_spread();
}

void ClassErrors::add(const ScoredRow& row, const Paths& paths) {
  const std::size_t few = balance_size(at(grid_.actions), 0);
  double* const errors = next();
  double before = 0.0;
  for (std::size_t k = 0; k < mixes_.size(); ++k) {
    const BudgetMix& mix = mixes_[k];
    double ratio = 0.0;
    if (mix.possible) {
      ratio = score_mix(row, mix.parts_of(row.fold), paths,
                        block_ + layout_.shares + k * at(grid_.actions));
      const double w = row.weight * ratio;
      raw_[2 * k] += w * (row.outcome(0) - mean_);
      raw_[2 * k + 1] += w;
      block_[layout_.sum + k] += w;
      block_[layout_.square + k] += w * w;
      block_[layout_.fourth + k] += w * w * w * w;
    }
    double* balance = block_ + layout_.balance + k * layout_.balance_each;
    const double off = mix.possible ? row.weight * (ratio - 1.0) : 0.0;
    if (off != before) add_weight_change(before, off, row.powers, balance + few);
    before = off;
    if (!mix.possible) continue;
    add_balance({.played = at(row.played), .weight = row.weight, .ratio = ratio, .target = target_},
                {balance, few});
    for (std::size_t h = 0; h < heads_; ++h) score_[h] -= mix.values[h];
    add_errors(k, score_.data(), row.weight, errors, plain_.data());
  }
}

void ClassErrors::score_fold(const ScoredRow& row, int fold, const Paths& paths) {
  if (fold == 0) of_folds_.clear();
  for (const BudgetMix& mix : mixes_) {
    if (mix.possible) score_mix(row, mix.parts_of(fold), paths, nullptr);
    of_folds_.insert(of_folds_.end(), score_.begin(), score_.end());
  }
}

void ClassErrors::add_spread(double weight) {
  const std::size_t width = mixes_.size() * heads_;
  const std::size_t folds = of_folds_.size() / width;
  bool differ = false;
  for (std::size_t i = 0; i < width; ++i) {
    double mean = 0.0;
    for (std::size_t f = 0; f < folds; ++f) mean += of_folds_[f * width + i];
    mean /= static_cast<double>(folds);
    for (std::size_t f = 0; f < folds; ++f) {
      differ = differ || of_folds_[f * width + i] != of_folds_[i];
      of_folds_[f * width + i] -= mean;
    }
  }
  if (!differ) return;
  const std::size_t each = width + plain_.size();
  if (spread_.empty()) spread_.assign(folds * each, 0.0);
  for (std::size_t f = 0; f < folds; ++f) {
    double* errors = spread_.data() + f * each;
    for (std::size_t k = 0; k < mixes_.size(); ++k) {
      if (mixes_[k].possible)
        add_errors(k, of_folds_.data() + f * width + k * heads_, weight, errors, errors + width);
    }
  }
}

void ClassErrors::end_spread() {
  const std::size_t width = mixes_.size() * heads_;
  const std::size_t each = width + plain_.size();
  for (std::size_t begin = 0; begin < spread_.size(); begin += each) {
    std::copy_n(spread_.data() + begin, width, next());
    add_plain(std::span(spread_).subspan(begin + width, plain_.size()));
    end_row();
  }
  spread_.clear();
}

// Adds the products of the rows that wait, in their order: several rows at once touch the covariance
// less often.
void ClassErrors::add_products() {
  const std::size_t count = mixes_.size();
  const std::size_t width = heads_ * count;
  std::fill(off_.begin() + static_cast<std::ptrdiff_t>(filled_ * width), off_.end(), 0.0);
  filled_ = 0;
  for (std::size_t h = 0; h < heads_; ++h) {
    const double* o = off_.data() + h * count;
    double* line = block_ + h * layout_.triangle;
    for (std::size_t k = 0; k < count; ++k) {
      double now[kRowsTogether];
      for (std::size_t r = 0; r < kRowsTogether; ++r) now[r] = o[r * width + k];
      for (std::size_t m = 0; m <= k; ++m) {
        double sum = line[m];
        for (std::size_t r = 0; r < kRowsTogether; ++r) sum += now[r] * o[r * width + m];
        line[m] = sum;
      }
      line += k + 1;
    }
  }
  std::fill(off_.begin(), off_.end(), 0.0);
}

// The sums of the log and of all classes. Rows are loaded in batches, and each class adds a whole batch,
// so that its sums stay in the cache.
class AllErrors {
 public:
  AllErrors(const ErrorTask& task, const OfflineRows& rows, std::int64_t first,
            std::span<double> sums)
      : task_(task),
        frame_(task.models.frame()),
        first_(first),
        log_(frame_.actions, frame_.features),
        sums_(sums),
        batch_(kBatchRows, {.row = ScoredRow(task.models, task.grids, rows)}) {
    double* block = sums.data() + log_.size;
    for (const MixedClass& each : task.classes) {
      const PricedGrid& grid = task.grids[each.grid];
      classes_.emplace_back(grid, each.mixes, task.mean[0], block);
      block += ErrorSums(grid, each.mixes.size()).size;
    }
    const std::int64_t all = frame_.units.empty() ? frame_.rows : frame_.units.back() + 1;
    step_ = std::max<std::int64_t>(1, all / kSpreadRows);
  }

  // `last`: the next row belongs to another observation.
  void add(std::int64_t row, bool last) {
    Loaded& next = batch_[filled_];
    next.evaluated = next.row.load(row, first_ + row);
    if (next.evaluated) {
      any_ = true;
      next.row.prepare();
      next.sampled = in_spread(frame_.observation(first_ + row));
      if (next.sampled) next.row.prepare_folds();
      add_log(next.row);
    }
    next.ends = last && any_;
    if (next.ends) sums_[log_.observations] += 1.0;
    if (last) any_ = false;
    if (++filled_ == batch_.size()) add_batch();
  }
  void finish() {
    add_batch();
    for (ClassErrors& each : classes_) each.finish();
  }

 private:
  struct Loaded {
    ScoredRow row;
    bool evaluated = false;
    bool sampled = false;  // its scores by all folds are compared
    bool ends = false;     // an observation of which some row was evaluated
  };
  // Whole rounds of the folds, so that all folds are in the sample.
  bool in_spread(std::int64_t observation) const {
    return !frame_.forward && !frame_.given && observation / frame_.folds % step_ == 0;
  }
  void add_log(const ScoredRow& row) {
    sums_[log_.total] += row.weight;
    if (!row.all_offered()) {
      sums_[log_.partial] += row.weight;
      return;
    }
    add_log_balance({.played = at(row.played),
                     .weight = row.weight,
                     .context = row.context,
                     .center = row.center},
                    row.inverse, at(frame_.features), sums_.first(log_.total));
  }
  void add_batch() {
    const double scale = std::sqrt(0.5 * static_cast<double>(step_));
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      const std::size_t grid = task_.classes[c].grid;
      for (std::size_t i = 0; i < filled_; ++i) {
        const Loaded& loaded = batch_[i];
        const ScoredRow& row = loaded.row;
        if (loaded.evaluated) {
          classes_[c].add(row, row.paths(grid));
          if (loaded.sampled) {
            for (int f = 0; f < frame_.folds; ++f)
              classes_[c].score_fold(row, f, row.paths_of(grid, f));
            classes_[c].add_spread(row.weight * scale);
          }
        }
        if (loaded.ends) classes_[c].end_observation();
      }
    }
    filled_ = 0;
  }

  const ErrorTask& task_;
  const FitFrame& frame_;
  std::int64_t first_;
  LogErrorSums log_;
  std::span<double> sums_;
  std::vector<Loaded> batch_;
  std::size_t filled_ = 0;
  bool any_ = false;  // whether a row of the open observation was evaluated
  std::vector<ClassErrors> classes_;
  std::int64_t step_ = 1;  // every so many rounds of the folds are in the sample of the spread
};

}  // namespace

std::vector<double> error_sums(const ErrorTask& task, const OfflineRows& rows,
                               std::int64_t first) {
  std::vector<double> out(task.size(), 0.0);
  AllErrors all(task, rows, first, out);
  const FitFrame& frame = task.models.frame();
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    const bool last = row + 1 == rows.rows || frame.observation(first + row + 1) !=
                                                  frame.observation(first + row);
    all.add(row, last);
  }
  all.finish();
  return out;
}

}  // namespace rein
