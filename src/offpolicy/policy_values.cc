#include "rein/policy_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "offpolicy/action_models.h"
#include "offpolicy/unit_question.h"
#include "offpolicy/log_policies.h"
#include "offpolicy/propensity_model.h"
#include "offpolicy/rows.h"
#include "offpolicy/scores.h"
#include "offpolicy/tail.h"

namespace rein {
namespace {

// Blocks of an adaptive log, whose predictions come from earlier blocks. The first block has none.
constexpr int kForwardBlocks = 20;

// A policy with its probabilities on the rows [0, rows.rows) that it is evaluated on.
struct Candidate {
  std::string name, kind;
  std::vector<double> target;  // empty for logged
  std::optional<LogReplay> replay;
};

// Whether the range of at least one head is known.
bool has_ranges(const LearnerOptions& learner, int heads) {
  return learner.ranges.size() == at(heads) &&
         std::ranges::any_of(learner.ranges, [](auto range) { return !std::isnan(range.low); });
}

class Answers {
 public:
  Answers(const OfflineRows& rows, const OfflineRows& train, const PolicyValuesOptions& options,
          PolicyValues& out)
      : rows_(rows), train_(train), options_(options), out_(out) {}

  Result<> add(std::size_t index, std::size_t count) {
    LearnerOptions learner = options_.learner;
    if (learner.progress) {
      learner.progress = [&, index, count](double share) {
        return options_.learner.progress((static_cast<double>(index) + share) /
                                         static_cast<double>(count));
      };
      if (!learner.progress(0.0)) return Error{"evaluate: stopped", Reason::kFailed};
    }
    const bool text = index < options_.policies.size();
    auto found = text ? candidate_of(options_.policies[index], learner)
                      : given(options_.given[index - options_.policies.size()]);
    if (!found) return found.failure();
    if (auto done = evaluate(std::move(found).value()); !done) return done;
    if (learner.progress && !learner.progress(1.0)) {
      return Error{"evaluate: stopped", Reason::kFailed};
    }
    return {};
  }

 private:
  Result<Candidate> candidate_of(const std::string& text, const LearnerOptions& learner) {
    if (text == "logged") return Candidate{.name = text, .kind = "logged"};
    auto fixed = fixed_policy(rows_, text, options_.actions);
    if (!fixed) return fixed.failure();
    if (fixed.value()) {
      return Candidate{.name = text, .kind = "fixed", .target = *std::move(fixed).value()};
    }
    if (options_.frozen) {
      auto target = frozen_policy(train_, rows_, text, learner);
      if (!target) return target.failure();
      return Candidate{.name = text, .kind = "frozen", .target = std::move(target).value()};
    }
    auto replay = replay_policy(
        rows_, text,
        {.learner = learner, .rounds = options_.rounds, .quantile = options_.quantile});
    if (!replay) return replay.failure();
    Candidate out{.name = text, .kind = "learning", .replay = std::move(replay).value()};
    out.target = std::exchange(out.replay->target, {});
    return out;
  }

  Result<Candidate> given(const GivenPolicy& policy) const {
    const std::size_t all = at(train_.rows + rows_.rows) * at(rows_.actions);
    if (policy.target.size() != all) {
      return Error{fmt::format(
          "policy {}: found {} probabilities; accepted: {}, one per row and action of the log",
          policy.name, policy.target.size(), all)};
    }
    const auto skip = static_cast<std::ptrdiff_t>(at(train_.rows) * at(rows_.actions));
    return Candidate{.name = policy.name,
                     .kind = "given",
                     .target = {policy.target.begin() + skip, policy.target.end()}};
  }

  Result<> evaluate(Candidate candidate) {
    const OfflineRows rows = candidate.replay ? slice(rows_, 0, candidate.replay->rows) : rows_;
    PolicyLine line{.name = candidate.name, .kind = candidate.kind};
    PolicyScores scores;
    if (candidate.kind == "logged") {
      scores = logged_scores(rows);
      line.evaluation = logged_value(rows, scores);
    } else {
      auto all = predictions();
      if (!all) return all.failure();
      const std::span<const double> predicted =
          all.value().subspan(0, at(rows.rows) * at(rows.actions) * at(rows.heads));
      ValueOptions value = options_.value;
      value.adaptive = out_.adaptive ? Adaptive::kYes : Adaptive::kNo;
      value.learning = candidate.kind == "learning";
      value.actions = out_.actions;
      value.heads = out_.heads;
      value.ranges = options_.learner.ranges;
      const bool same = rows.rows == rows_.rows;
      if (same && !model_) model_.emplace(rows_);
      auto found = same ? evaluate_policy(rows, candidate.target, predicted, value, *model_)
                        : evaluate_policy(rows, candidate.target, predicted, value);
      if (!found) return found.failure().in(fmt::format("policy {}: ", candidate.name));
      line.evaluation = std::move(found).value();
      if (auto done = add_guarantees(line, rows, candidate.target, predicted); !done) return done;
      scores = policy_scores(rows, candidate.target, predicted);
    }
    if (candidate.replay) {
      auto& warnings = line.evaluation.warnings;
      warnings.insert(warnings.begin(), candidate.replay->warnings.begin(),
                      candidate.replay->warnings.end());
      drop_heavy(line, candidate.replay->rejection);
    }
    line.replay = std::move(candidate.replay);
    warn_of_budgets(line);
    if (!options_.limits.empty()) {
      auto region = reward_region(best_of(line), options_.limits);
      if (!region) return region.failure();
      if (has_region(line)) line.region = region.value();
    }
    add_difference(line, std::move(scores));
    out_.policies.push_back(std::move(line));
    return {};
  }

  // A policy that was given a budget and is not meant to keep one.
  void warn_of_budgets(PolicyLine& line) const {
    if (line.kind != "learning" && line.kind != "frozen") return;
    const std::vector<double>& budgets = options_.learner.budgets;
    const PolicyValue& best = best_of(line);
    const std::size_t heads = best.value.size();
    for (std::size_t h = 1; h < heads && h <= budgets.size(); ++h) {
      const double over = best.value[h] - budgets[h - 1];
      if (!(over > 2.0 * std::sqrt(best.covariance[h * heads + h]))) continue;
      line.evaluation.warnings.push_back(fmt::format(
          "it spends {:.4g} of {} per round, over its budget of {:.4g}", best.value[h],
          head_name(options_.learner, static_cast<int>(h)), budgets[h - 1]));
    }
  }

  // Sequences and sensitivity bands.
  Result<> add_guarantees(PolicyLine& line, const OfflineRows& rows, std::span<const double> target,
                    std::span<const double> predicted) {
    const bool sequences =
        options_.sequence || (out_.adaptive && has_ranges(options_.learner, rows.heads));
    for (int head = 0; head < rows.heads; ++head) {
      if (sequences) {
        if (auto added = add_sequence(line, rows, target, head); !added) return added;
      }
      if (out_.lambda > 0.0) {
        auto band = sensitivity_band(rows, target, predicted, head, out_.lambda);
        if (!band) return band.failure();
        line.sensitivity.push_back(band.value());
        if (is_heavy(line, at(head))) line.sensitivity.back().low = line.sensitivity.back().high = kNan;
      }
    }
    return {};
  }

  // An outcome outside its range is an error if sequences were asked for, and a warning otherwise.
  Result<> add_sequence(PolicyLine& line, const OfflineRows& rows, std::span<const double> target,
                        int head) {
    const OutcomeRange range = options_.learner.ranges[at(head)];
    ConfidenceSequence sequence{.rows = {rows.rows}, .low = {NAN}, .high = {NAN}};
    if (!std::isnan(range.low)) {
      auto found = confidence_sequence(rows, target, head, range, 1);
      if (found) {
        sequence = std::move(found).value();
        if (std::isnan(sequence.low.back())) {
          line.evaluation.warnings.push_back(fmt::format(
              "no interval at all times for {}: its ends contradict each other. The propensities are "
              "wrong, or this is one log of 20",
              head_name(options_.learner, head)));
        }
      } else {
        const Error wrong = found.failure().in(head_name(options_.learner, head) + ": ");
        if (options_.sequence) return wrong;
        line.evaluation.warnings.push_back("no interval at all times: " + wrong.message);
      }
    }
    line.sequences.push_back(std::move(sequence));
    return {};
  }

  // Both policies are scored on the same rows, because the rows that count do not depend on the policy.
  // A replay may end earlier.
  void add_difference(PolicyLine& line, PolicyScores scores) {
    if (out_.policies.empty()) {
      first_ = std::move(scores);
      return;
    }
    const PolicyScores& shorter = scores.size() < first_.size() ? scores : first_;
    std::vector<double> off = robust_scores(scores, scores.ratio);
    const std::vector<double> of_first = robust_scores(first_, first_.ratio);
    off.resize(shorter.size() * at(rows_.heads));
    for (std::size_t i = 0; i < off.size(); ++i) off[i] -= of_first[i];
    const bool interval = has_interval(line) && has_interval(out_.policies[0]);
    const std::int64_t rows = line.replay ? line.replay->rows : rows_.rows;
    const std::int64_t rows_of_first =
        out_.policies[0].replay ? out_.policies[0].replay->rows : rows_.rows;
    line.difference = {
        .value = mean_of("dr", off, shorter.weight, rows_.heads, shorter.units, interval),
        .rows = std::min(rows, rows_of_first)};
    for (std::size_t h = 0; h < line.difference->value.low.size(); ++h)
      add_tail(off, shorter, h, line, line.difference->value);
    drop_heavy(line, line.difference->value);
    drop_heavy(out_.policies[0], line.difference->value);
  }

  // Makes the interval of a difference as long as the tail asks for. `off`: what every row adds.
  static void add_tail(std::span<const double> off, const PolicyScores& scores, std::size_t head,
                       const PolicyLine& line, PolicyValue& value) {
    const std::vector<double>& tails = line.evaluation.tail_index;
    if (head >= tails.size() || !(tails[head] > 0.0)) return;
    std::vector<double> errors;
    for (std::size_t i = 0; i < scores.size(); ++i)
      errors.push_back(scores.weight[i] * off[i * value.value.size() + head]);
    const Stretch stretch = stretch_of(std::move(errors), scores.units, tails[head]);
    const double middle = value.value[head];
    value.low[head] = middle - stretch.low * (middle - value.low[head]);
    value.high[head] = middle + stretch.high * (value.high[head] - middle);
  }

  // Whether the tail of this head's outcomes is too heavy for an interval from errors.
  static bool is_heavy(const PolicyLine& line, std::size_t head) {
    const std::vector<double>& tails = line.evaluation.tail_index;
    return head < tails.size() && heavy(tails[head]);
  }
  static void drop_heavy(const PolicyLine& line, PolicyValue& value) {
    for (std::size_t head = 0; head < value.low.size(); ++head) {
      if (is_heavy(line, head)) value.low[head] = value.high[head] = kNan;
    }
  }

  static const PolicyValue& best_of(const PolicyLine& line) {
    return line.evaluation.values[line.evaluation.recommended];
  }
  static bool has_interval(const PolicyLine& line) { return !std::isnan(best_of(line).low[0]); }
  // A joint region is normal: every head that it is about needs enough rows.
  bool has_region(const PolicyLine& line) const {
    const PolicyValue& best = best_of(line);
    return has_interval(line) && best.error_rows[0] >= kFewestVarianceRows && !is_heavy(line, 0) &&
           std::ranges::all_of(options_.limits, [&](const HeadLimit& limit) {
             if (is_heavy(line, at(limit.head))) return false;
             const double rows = best.error_rows[at(limit.head)];
             return rows == 0.0 || rows >= kFewestVarianceRows;
           });
  }

  Evaluation logged_value(const OfflineRows& rows, const PolicyScores& scores) const {
    Evaluation out;
    double sum = 0.0, squares = 0.0;
    out.used = static_cast<std::int64_t>(scores.size());
    for (const double weight : scores.weight) {
      sum += weight;
      squares += weight * weight;
    }
    for (std::int64_t row = 0; row < rows.rows; ++row) out.missing += rows.complete(row) ? 0 : 1;
    out.overlap.effective_size = squares > 0.0 ? sum * sum / squares : 0.0;
    out.overlap.expected_size = out.overlap.variance_rows = out.overlap.effective_size;
    out.overlap.largest_weight = out.overlap.mean_weight = 1.0;
    out.adaptive = out_.adaptive;
    const bool enough = out.overlap.effective_size >= kSmallestEffectiveSize;
    out.values.push_back(
        mean_of("mean", scores.outcome, scores.weight, rows.heads, scores.units, enough));
    if (enough) {
      set_logged_interval(rows, scores,
                          {.adaptive = out_.adaptive ? Adaptive::kYes : Adaptive::kNo,
                           .heads = out_.heads,
                           .ranges = options_.learner.ranges},
                          out.values.back(), out);
    } else {
      out.warnings.push_back(fmt::format("no interval: the log has only {} rows", out.used));
    }
    return out;
  }

  // In a log whose rows are independent of each other, a prediction may use later rows, also for a
  // learner: the learner's probabilities and the prediction depend on other rows only, so the score's
  // mean given these is the value. In a log of a policy that learned, later rows depend on this one.
  Result<std::span<const double>> predictions() {
    if (!options_.predicted.empty()) {
      const std::size_t skip = at(train_.rows) * at(rows_.actions) * at(rows_.heads);
      return std::span<const double>(options_.predicted).subspan(skip);
    }
    if (predicted_.empty()) {
      FitOptions fit = options_.fit;
      fit.forward = out_.adaptive;
      if (fit.forward) fit.folds = std::max(fit.folds, kForwardBlocks);
      fit.folds = static_cast<int>(std::min<std::int64_t>(fit.folds, observations_of(rows_)));
      auto found = cross_fit(rows_, fit);
      if (!found) return found.failure();
      predicted_ = std::move(found).value();
    }
    return std::span<const double>(predicted_);
  }

  const OfflineRows& rows_;
  const OfflineRows& train_;
  const PolicyValuesOptions& options_;
  PolicyValues& out_;
  std::vector<double> predicted_;
  PolicyScores first_;  // of the first policy
  std::optional<PropensityModel> model_;
};

Result<> check_options(const OfflineRows& rows, const PolicyValuesOptions& options) {
  if (auto good = check_rows(rows); !good) return good;
  const std::size_t count = options.policies.size() + options.given.size();
  if (count < 1 || count > static_cast<std::size_t>(kMaxOfflinePolicies)) {
    return Error{
        fmt::format("evaluate: found {} policies; accepted: 1 to {}", count, kMaxOfflinePolicies)};
  }
  if (!options.actions.empty() && options.actions.size() != at(rows.actions)) {
    return Error{fmt::format("evaluate: found {} names of actions; accepted: {}",
                             options.actions.size(), rows.actions)};
  }
  const std::size_t cells = at(rows.rows) * at(rows.actions) * at(rows.heads);
  if (!options.predicted.empty() && options.predicted.size() != cells) {
    return Error{
        fmt::format("evaluate: found {} predictions; accepted: {}, one per row, action and head",
                    options.predicted.size(), cells)};
  }
  if (options.frozen && !(options.train > 0.0 && options.train < 1.0)) {
    return Error{fmt::format("evaluate: found train share {}; accepted: above 0 and below 1",
                             options.train)};
  }
  if (options.sensitivity != 0.0 && !(options.sensitivity >= 1.0)) {
    return Error{fmt::format("evaluate: found sensitivity {}; accepted: at least 1, or 0 for none",
                             options.sensitivity)};
  }
  if (options.sequence && !has_ranges(options.learner, rows.heads)) {
    return Error{
        "evaluate: a confidence sequence needs the range of the outcomes; accepted: a range for at "
        "least one head"};
  }
  return {};
}

}  // namespace

Result<PolicyValues> policy_values(const OfflineRows& log, const PolicyValuesOptions& options) {
  if (auto good = check_options(log, options); !good) return good.failure();
  OfflineRows all = log;
  PolicyValues out{.actions = options.actions, .limits = options.limits, .rows = log.rows};
  if (!log.unit.empty()) out.units = observations_of(log);
  for (int head = 0; head < log.heads; ++head) {
    out.heads.push_back(head_name(options.learner, head));
  }
  for (int a = static_cast<int>(out.actions.size()); a < log.actions; ++a) {
    out.actions.push_back(fmt::format("{}", a));
  }
  std::vector<double> estimated;
  if (all.propensity.empty()) {
    auto found = estimate_propensities(all, options.fit.threads);
    if (!found) return found.failure();
    estimated = std::move(found).value();
    all.propensity = estimated;
    out.estimated = true;
    out.warnings.emplace_back(
        "the log has no propensities. They are estimated from the context, and intervals hold only "
        "if the logging policy saw nothing else. The sensitivity band shows what hidden reasons "
        "could change");
  }
  out.lambda = options.sensitivity > 0.0 ? options.sensitivity : out.estimated ? kUsualLambda : 0.0;
  out.adaptive =
      options.value.adaptive == Adaptive::kYes ||
      (options.value.adaptive == Adaptive::kAuto && !out.estimated && varies_with_time(all));
  if (options.frozen) {
    out.first = static_cast<std::int64_t>(options.train * static_cast<double>(log.rows));
    if (out.first < 1 || out.first >= log.rows) {
      return Error{fmt::format("evaluate: a train share of {} of {} rows leaves an empty part",
                               options.train, log.rows)};
    }
  }
  const OfflineRows train = slice(all, 0, out.first);
  const OfflineRows rows = slice(all, out.first, log.rows);
  if (std::string asked = question_about_units(rows); !asked.empty()) {
    out.warnings.push_back(std::move(asked));
  }
  Answers answers(rows, train, options, out);
  const std::size_t count = options.policies.size() + options.given.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (auto done = answers.add(i, count); !done) return done.failure();
  }
  return out;
}

}  // namespace rein
