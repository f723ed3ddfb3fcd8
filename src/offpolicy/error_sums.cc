// What rows add to the covariance of the mixtures that meet the budgets. Rows of one unit are one
// observation: their errors are added up before they are squared.
//
// The covariance between folds. The models of a fold learn from the rows of all other folds, and
// choose where these rows look good. So the errors of two folds k and l are not independent: fold k
// chooses by the noise of fold l, and l by that of k. Write R for the other folds' part of what decides
// between two actions in some contexts, e_k and e_l for that of k and l, all of mean 0 and normal. Fold
// k then earns noise e_k sign(R + e_l), and
//   E e_k sign(R + e_l) e_l sign(R + e_k) = E (E[e sign(R + e) | R])^2 = 4 s^2 E phi(R / s)^2,
// s^2 the variance of e. Where R is spread evenly around 0 that is half of
//   s^2 P(R + e_k and R + e_l have different signs),
// and less elsewhere, or if noise that decides is not the noise of the scores. With F folds of n / F
// rows this sums up to at most
//   (1 / n) * mean over rows of 1/2 sum over folds f of (score_f - their mean)^2,
// where score_f is the row's score if the models of fold f choose. That is added: as rows of their own,
// to all covariances. Without it intervals hold in 91 % of logs where models disagree about a fifth of
// the rows. In a forward fit folds learn only from earlier ones, and given models from none: nothing is
// added.
#include <algorithm>
#include <cmath>

#include "offpolicy/at.h"
#include "offpolicy/balance.h"
#include "offpolicy/priced_sums.h"
#include "offpolicy/scored_rows.h"

namespace rein {
namespace {

constexpr std::size_t kRowsTogether = 8;
constexpr std::int64_t kSpreadRows = 4096;  // of which the covariance between folds is estimated

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
              std::span<const double> mean, double* block)
      : grid_(grid),
        mean_(mean),
        layout_(grid, mixes.size()),
        mixes_(mixes),
        block_(block),
        heads_(at(grid.heads)),
        cost_(at(grid.options.cost)),
        off_(kRowsTogether * heads_ * mixes.size()),
        plain_(2 * mixes.size(), 0.0),
        raw_((heads_ + 1) * mixes.size(), 0.0),
        score_(heads_),
        target_(at(grid.actions)) {}

  void add(const ScoredRows& row, const Paths& paths);
  // The last row of an observation was added: its errors are one.
  void end_observation();
  // The scores that this fold's models would have. After all folds, add_spread() adds how they differ,
  // and after all rows of the observation, end_spread() counts it. Between observations only.
  void score_fold(const ScoredRows& row, int fold, const Paths& paths);
  void add_spread(double weight);
  void end_spread();
  void finish() { add_products(); }

 private:
  double score_mix(const ScoredRows& row, std::span<const MixPart> parts, const Paths& paths,
                   double* shares);
  std::span<const MixPart> parts_of(const BudgetMix& mix, int fold) const {
    return mix.parts[mix.parts.size() > 1 ? at(fold) : 0];
  }
  void add_log(const ScoredRows& row);
  // Where the next row's errors go, head x mixture, and that it is filled.
  double* next() { return off_.data() + filled_ * heads_ * mixes_.size(); }
  void end_row() {
    if (++filled_ == kRowsTogether) add_products();
  }
  // `score`: one per head, less their means. Adds to the errors of mixture k, and to those of reward and
  // cost as they are.
  void add_errors(std::size_t k, const double* score, double weight, double* errors, double* plain);
  void add_plain(std::span<double> plain);
  void add_products();

  const PricedGrid& grid_;
  std::span<const double> mean_;  // outcome of the log, per head
  ErrorSums layout_;
  std::span<const BudgetMix> mixes_;
  double* block_;
  std::size_t heads_, cost_;
  std::vector<double> off_;  // of the rows that wait for their products: row x head x mixture
  std::size_t filled_ = 0;   // how many wait
  // Of the observation, of every mixture: reward and cost; and weighted outcomes less their means, then
  // the weights.
  std::vector<double> plain_, raw_;
  std::vector<double> score_, target_;
  std::vector<double> of_folds_;  // of a row: fold x mixture x head
  std::vector<double> spread_;    // of the observation: fold x (head x mixture, then plain)
};

// The row's score of one mixture and the probabilities of its actions. Returns the weight of the row.
// `shares` may be null.
double ClassErrors::score_mix(const ScoredRows& row, std::span<const MixPart> parts,
                              const Paths& paths, double* shares) {
  double ratio = 0.0;
  std::fill(target_.begin(), target_.end(), 0.0);
  const int only = action_at(paths[at(parts[0].held)], parts[0].price);
  const bool same = std::all_of(parts.begin() + 1, parts.end(), [&](const MixPart& one) {
    return action_at(paths[at(one.held)], one.price) == only;
  });
  if (same) {  // as in most rows
    std::copy_n(row.scores.data() + at(only) * heads_, heads_, score_.data());
    if (shares != nullptr) shares[only] += row.weight;
    target_[at(only)] = 1.0;
    return only == row.played ? row.inverse : 0.0;
  }
  std::fill(score_.begin(), score_.end(), 0.0);
  for (const MixPart& one : parts) {
    const int action = action_at(paths[at(one.held)], one.price);
    const double* each = row.scores.data() + at(action) * heads_;
    for (std::size_t h = 0; h < heads_; ++h) score_[h] += one.share * each[h];
    if (shares != nullptr) shares[action] += row.weight * one.share;
    target_[at(action)] += one.share;
    if (action == row.played) ratio += one.share * row.inverse;
  }
  return ratio;
}

void ClassErrors::add_log(const ScoredRows& row) {
  block_[layout_.total] += row.weight;
  if (!row.all_offered()) {
    block_[layout_.partial] += row.weight;
    return;
  }
  add_log_balance({.played = at(row.played),
                   .weight = row.weight,
                   .context = row.context,
                   .center = row.center},
                  row.inverse, at(grid_.features),
                  {block_ + layout_.log_balance, layout_.total - layout_.log_balance});
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
    RawMoments::add(raw_[i], raw_[heads_ * mixes_.size() + i % mixes_.size()],
                    block_ + layout_.raw + RawMoments::kSize * i);
  }
  std::fill(raw_.begin(), raw_.end(), 0.0);
  block_[layout_.observations] += 1.0;
  end_row();
}

void ClassErrors::add(const ScoredRows& row, const Paths& paths) {
  add_log(row);
  const std::size_t few = balance_size(at(grid_.actions), 0);
  double* const errors = next();
  double before = 0.0;
  for (std::size_t k = 0; k < mixes_.size(); ++k) {
    const BudgetMix& mix = mixes_[k];
    double ratio = 0.0;
    if (mix.possible) {
      ratio = score_mix(row, parts_of(mix, row.fold), paths,
                        block_ + layout_.shares + k * at(grid_.actions));
      const double w = row.weight * ratio;
      for (std::size_t h = 0; h < heads_; ++h) {
        raw_[h * mixes_.size() + k] += w * (row.outcome(h) - mean_[h]);
      }
      raw_[heads_ * mixes_.size() + k] += w;
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

void ClassErrors::score_fold(const ScoredRows& row, int fold, const Paths& paths) {
  if (fold == 0) of_folds_.clear();
  for (const BudgetMix& mix : mixes_) {
    if (mix.possible) score_mix(row, parts_of(mix, fold), paths, nullptr);
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

}  // namespace

void RawMoments::add(double outcome, double weight, double* sums) {
  const double products[] = {outcome * outcome, outcome * weight, weight * weight};
  for (int i = 0; i < 3; ++i) sums[i] += products[i];
  sums[3] += products[0] * products[0];
  sums[4] += products[0] * products[1];
  sums[5] += products[0] * products[2];
  sums[6] += products[1] * products[2];
  sums[7] += products[2] * products[2];
}

double RawMoments::carriers(const double* sums) {
  if (!(sums[2] > 0.0)) return 0.0;
  const double mean = sums[1] / sums[2];
  const double square = sums[0] - mean * sums[1];
  // Where all outcomes are the same, nothing is left but rounding.
  if (!(square > 1e-6 * sums[0])) return 0.0;
  const double fourth =
      sums[3] + mean * (-4.0 * sums[4] +
                        mean * (6.0 * sums[5] + mean * (-4.0 * sums[6] + mean * sums[7])));
  return square * square / fourth;
}

ErrorSums::ErrorSums(const PricedGrid& grid, std::size_t mixes)
    : triangle(mixes * (mixes + 1) / 2),
      shares(at(grid.heads) * triangle),
      sum(shares + mixes * at(grid.actions)),
      square(sum + mixes),
      fourth(square + mixes),
      balance(fourth + mixes),
      balance_each(balance_size(at(grid.actions), at(grid.features))),
      plain(balance + mixes * balance_each),
      powers(plain + 3 * mixes),
      raw(powers + 3 * at(grid.heads) * mixes),
      log_balance(raw + RawMoments::kSize * at(grid.heads) * mixes),
      total(log_balance + log_balance_size(at(grid.actions), at(grid.features))),
      partial(total + 1),
      observations(partial + 1),
      size(observations + 1) {}

std::vector<double> error_sums(const ActionModels& models, std::span<const PricedGrid> grids,
                               std::span<const std::vector<BudgetMix>> mixes,
                               std::span<const double> mean, const OfflineRows& rows,
                               std::int64_t first) {
  std::size_t size = 0;
  for (std::size_t g = 0; g < grids.size(); ++g) size += ErrorSums(grids[g], mixes[g].size()).size;
  std::vector<double> out(size, 0.0);
  std::vector<ClassErrors> classes;
  double* block = out.data();
  for (std::size_t g = 0; g < grids.size(); ++g) {
    classes.emplace_back(grids[g], mixes[g], mean, block);
    block += ErrorSums(grids[g], mixes[g].size()).size;
  }
  const FitFrame& frame = models.frame();
  const bool crossed = !frame.forward && !frame.given;
  // Whole rounds of the folds, so that all folds are in the sample.
  const std::int64_t all = frame.units.empty() ? frame.rows : frame.units.back() + 1;
  const std::int64_t step = std::max<std::int64_t>(1, all / kSpreadRows);
  const double scale = std::sqrt(0.5 * static_cast<double>(step));
  ScoredRows row(models, grids, rows);
  std::int64_t begin = 0;  // of the observation
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    const std::int64_t observation = frame.observation(first + i);
    if (i + 1 < rows.rows && frame.observation(first + i + 1) == observation) continue;
    bool any = false;
    for (std::int64_t one = begin; one <= i; ++one) {
      if (!row.load(one, first + one)) continue;
      row.prepare();
      any = true;
      for (std::size_t g = 0; g < grids.size(); ++g) classes[g].add(row, row.paths(g));
    }
    const bool sampled = crossed && observation / frame.folds % step == 0;
    for (ClassErrors& each : classes) {
      if (any) each.end_observation();
    }
    for (std::int64_t one = begin; any && sampled && one <= i; ++one) {
      if (begin < i && !row.load(one, first + one)) continue;
      for (std::size_t g = 0; g < grids.size(); ++g) {
        for (int f = 0; f < frame.folds; ++f) classes[g].score_fold(row, f, row.paths_of(g, f));
        classes[g].add_spread(row.weight * scale);
      }
    }
    if (any && sampled) {
      for (ClassErrors& each : classes) each.end_spread();
    }
    begin = i + 1;
  }
  for (ClassErrors& each : classes) each.finish();
  return out;
}

}  // namespace rein
