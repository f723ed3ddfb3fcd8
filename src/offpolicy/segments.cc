#include "rein/segments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/math.h"
#include "offpolicy/segment_tree.h"
#include "offpolicy/whole_models.h"
#include "rein/policy_values.h"
#include "rein/rng.h"

namespace rein {
namespace {

// A segment has at least this share of the rows, and so many: below it its value says little.
constexpr double kLeastShare = 0.05;
constexpr std::int64_t kLeastRows = 30;
// The tree is grown on at most so many rows: its thresholds have 31 candidates.
constexpr std::int64_t kMostGrown = 200'000;

struct Halves {
  RowColumns grown, valued;
};

// Whole units go to one half.
Halves cut(const OfflineRows& rows, const SegmentsOptions& options, bool adaptive) {
  std::vector<std::int64_t> first, second;
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    const std::int64_t unit = rows.unit.empty() ? row : rows.unit[at(row)];
    const bool in_first = adaptive ? 2 * row < rows.rows
                                   : Rng(options.seed, static_cast<std::uint64_t>(unit)).uniform() < 0.5;
    (in_first ? first : second).push_back(row);
  }
  return {copied(rows, first), copied(rows, second)};
}

std::string name_of(const std::vector<std::string>& names, int i) {
  return names.empty() ? fmt::format("{}", i) : names[at(i)];
}

// Words for one column: the tightest bounds of all conditions on it.
class ColumnWords {
 public:
  explicit ColumnWords(std::string name) : name_(std::move(name)) {}
  const std::string& name() const { return name_; }
  void add(const SegmentCondition& condition) {
    if (condition.above) {
      low_ = std::fmax(low_, condition.at);
    } else {
      high_ = std::fmin(high_, condition.at);
    }
  }
  std::string text() const {
    const std::string below = std::isnan(high_) ? "" : fmt::format("at most {:.6g}", high_);
    const std::string above = std::isnan(low_) ? "" : fmt::format("over {:.6g}", low_);
    return fmt::format("{} {}{}{}", name_, above, above.empty() || below.empty() ? "" : " and ", below);
  }

 private:
  std::string name_;
  double low_ = kNan, high_ = kNan;
};

// "recency over 0.6 and at most 0.8, region is west"; nothing is said of values that a column is not where
// it is said what the column is.
std::string words_of(const SegmentPath& path, const std::vector<std::string>& columns,
                     const std::vector<bool>& flags) {
  std::vector<ColumnWords> numbers;
  std::vector<std::string> is, is_not, named;
  for (const SegmentCondition& each : path) {
    const std::string name = name_of(columns, each.feature);
    const std::size_t equals = name.find('=');
    if (flags[at(each.feature)] && equals != std::string::npos) {
      const std::string column = name.substr(0, equals), value = name.substr(equals + 1);
      (each.above ? is : is_not).push_back(fmt::format("{} is {}{}", column, each.above ? "" : "not ", value));
      if (each.above) named.push_back(column + " is not ");
      continue;
    }
    auto found = std::ranges::find(numbers, name, &ColumnWords::name);
    if (found == numbers.end()) found = numbers.insert(numbers.end(), ColumnWords(name));
    found->add(each);
  }
  std::string out;
  const auto say = [&](const std::string& text) { out += (out.empty() ? "" : ", ") + text; };
  for (const ColumnWords& each : numbers) say(each.text());
  for (const std::string& each : is) say(each);
  for (const std::string& each : is_not) {
    if (std::ranges::none_of(named, [&](const std::string& start) { return each.starts_with(start); })) say(each);
  }
  return out.empty() ? "everybody" : out;
}

// Features that are 0 or 1 in every row.
std::vector<bool> flags_of(const OfflineRows& rows) {
  std::vector<bool> out(at(rows.features), true);
  for (std::size_t i = 0; i < rows.context.size(); ++i) {
    if (rows.context[i] != 0.0 && rows.context[i] != 1.0) out[i % out.size()] = false;
  }
  return out;
}

// The action with the least mean cost, by the models, over the rows that offer it.
int cheapest_of(const OfflineRows& rows, const PricedModels& policy) {
  std::vector<double> sums(at(rows.actions), 0.0), counts(at(rows.actions), 0.0);
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    for (int a = 0; a < rows.actions; ++a) {
      if (!offers(rows, row, a)) continue;
      const std::size_t lane = at(a) * at(rows.heads) + at(policy.cost);
      sums[at(a)] += policy.models.predict(lane, context_of(rows, row));
      counts[at(a)] += 1.0;
    }
  }
  int best = -1;
  for (int a = 0; a < rows.actions; ++a) {
    if (counts[at(a)] == 0.0) continue;
    if (best < 0 || sums[at(a)] * counts[at(best)] < sums[at(best)] * counts[at(a)]) best = a;
  }
  return best;
}

// Probabilities of the policy and of the cheapest action on these rows.
std::pair<GivenPolicy, GivenPolicy> targets_of(const OfflineRows& rows, const PricedModels& policy,
                                               int cheapest) {
  const std::size_t size = at(rows.rows) * at(rows.actions);
  GivenPolicy least{"cheapest", std::vector<double>(size, 0.0)}, priced{"priced", least.target};
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    const std::size_t begin = at(row) * at(rows.actions);
    const int low = priced_action(rows, row, policy.models, policy.cost, policy.low);
    const int high = priced_action(rows, row, policy.models, policy.cost, policy.high);
    priced.target[begin + at(low)] += 1.0 - policy.share;
    priced.target[begin + at(high)] += policy.share;
    int free = cheapest;
    for (int a = 0; a < rows.actions && !offers(rows, row, free); ++a) {
      if (offers(rows, row, a)) free = a;
    }
    least.target[begin + at(free)] = 1.0;
  }
  return {std::move(least), std::move(priced)};
}

std::vector<SegmentValue> values_of(const PolicyValue& value) {
  std::vector<SegmentValue> out;
  for (std::size_t h = 0; h < value.value.size(); ++h) {
    out.push_back({value.value[h], value.low[h], value.high[h]});
  }
  return out;
}

class Valuer {
 public:
  Valuer(const OfflineRows& rows, const PricedModels& policy, const SegmentsOptions& options, bool adaptive,
         Segments& out)
      : rows_(rows), policy_(policy), options_(options), adaptive_(adaptive), out_(out) {}

  // The value of the policy on the rows of this path; of `total` weight in all.
  Segment value(const SegmentPath& path, std::string words, double total) {
    Segment segment{.conditions = path, .words = std::move(words)};
    std::vector<std::int64_t> members;
    double weight = 0.0;
    for (std::int64_t row = 0; row < rows_.rows; ++row) {
      if (!in_segment(path, context_of(rows_, row))) continue;
      members.push_back(row);
      weight += rows_.weight(row);
    }
    segment.rows = static_cast<std::int64_t>(members.size());
    segment.share = total > 0.0 ? weight / total : 0.0;
    segment.actions.assign(at(rows_.actions), 0.0);
    segment.values.assign(at(rows_.heads), {kNan, kNan, kNan});
    segment.gain = segment.values;
    if (members.empty()) return segment;
    const RowColumns columns = copied(rows_, members);
    const OfflineRows some = columns.view();
    auto [least, priced] = targets_of(some, policy_, out_.cheapest);
    for (std::size_t i = 0; i < priced.target.size(); ++i) {
      const double share = some.weight(static_cast<std::int64_t>(i / at(some.actions)));
      segment.actions[i % at(some.actions)] += weight > 0.0 ? priced.target[i] * share / weight : 0.0;
    }
    segment.action = static_cast<int>(std::ranges::max_element(segment.actions) - segment.actions.begin());
    PolicyValuesOptions question{.learner = {.heads = out_.heads}, .actions = out_.actions, .fit = options_.fit};
    question.value.adaptive = adaptive_ ? Adaptive::kYes : Adaptive::kNo;
    question.given.push_back(std::move(least));
    question.given.push_back(std::move(priced));
    auto found = policy_values(some, question);
    if (!found) {
      out_.warnings.push_back(fmt::format("{}: no value: {}", segment.words, found.error()));
      return segment;
    }
    const PolicyLine& line = found.value().policies[1];
    segment.values = values_of(line.evaluation.values[line.evaluation.recommended]);
    if (line.difference) segment.gain = values_of(line.difference->value);
    // Of a group without an interval, one line says why.
    for (const PolicyLine& each : found.value().policies) {
      if (!std::isnan(segment.gain[0].low) || each.evaluation.warnings.empty()) continue;
      out_.warnings.push_back(fmt::format("{}: {}", segment.words, each.evaluation.warnings[0]));
      break;
    }
    return segment;
  }

 private:
  const OfflineRows& rows_;
  const PricedModels& policy_;
  const SegmentsOptions& options_;
  bool adaptive_;
  Segments& out_;
};

// What the policy plays on the rows that the tree is grown on, and what another action would lose there.
std::vector<SegmentPath> paths_of(const OfflineRows& rows, const PricedModels& policy, int most) {
  const std::int64_t step = rows.rows / kMostGrown + 1;
  std::vector<double> context, weight;
  std::vector<std::int32_t> label;
  for (std::int64_t row = 0; row < rows.rows; row += step) {
    double margin = 0.0;
    label.push_back(priced_action(rows, row, policy.models, policy.cost, policy.price, &margin));
    weight.push_back(margin * rows.weight(row));
    context.insert(context.end(), context_of(rows, row), context_of(rows, row) + rows.features);
  }
  const auto count = static_cast<double>(label.size());
  const auto least = std::max(kLeastRows, static_cast<std::int64_t>(kLeastShare * count));
  return grow_segments({.features = rows.features,
                        .labels = rows.actions,
                        .context = context,
                        .label = label,
                        .weight = weight},
                       most, least);
}

void name_all(const OfflineRows& rows, const SegmentsOptions& options, Segments& out) {
  out.heads = options.heads;
  out.actions = options.actions;
  out.columns = options.columns;
  if (out.heads.empty()) {
    out.heads.emplace_back("reward");
    for (int h = 1; h < rows.heads; ++h) {
      out.heads.push_back(rows.heads == 2 ? "cost" : fmt::format("cost{}", h));
    }
  }
  for (int a = 0; out.actions.empty() && a < rows.actions; ++a) out.actions.push_back(fmt::format("{}", a));
  for (int j = 0; out.columns.empty() && j < rows.features; ++j) out.columns.push_back(fmt::format("{}", j));
}

Result<> check_segments(const OfflineRows& rows, const SegmentsOptions& options) {
  const bool names = (options.heads.empty() || options.heads.size() == at(rows.heads)) &&
                     (options.actions.empty() || options.actions.size() == at(rows.actions)) &&
                     (options.columns.empty() || options.columns.size() == at(rows.features));
  if (!names) {
    return Error{fmt::format("segments: found {} names of outcomes, {} of actions and {} of features; accepted: "
                             "{}, {} and {}, or none",
                             options.heads.size(), options.actions.size(), options.columns.size(), rows.heads,
                             rows.actions, rows.features)};
  }
  if (options.most < 2 || options.most > kMaxSegments) {
    return Error{fmt::format("segments: found {}; accepted: 2 to {}", options.most, kMaxSegments)};
  }
  return {};
}

}  // namespace

Result<Segments> segments(const OfflineRows& given, const SegmentsOptions& options) {
  if (auto good = check_rows(given); !good) return good.failure();
  if (auto good = check_segments(given, options); !good) return good.failure();
  Segments out{.cost = options.cost, .budget = options.budget};
  name_all(given, options, out);
  OfflineRows rows = given;
  std::vector<double> estimated;
  if (rows.propensity.empty()) {
    auto found = estimate_propensities(given, options.fit.threads);
    if (!found) return found.failure();
    estimated = std::move(found).value();
    rows.propensity = estimated;
    out.warnings.emplace_back(
        "the log has no propensities. They are estimated from the context, and the intervals hold only if the "
        "logging policy saw nothing else");
  }
  const bool adaptive =
      options.adaptive == Adaptive::kYes ||
      (options.adaptive == Adaptive::kAuto && !given.propensity.empty() && varies_with_time(given));
  const Halves halves = cut(rows, options, adaptive);
  if (halves.grown.rows() == 0 || halves.valued.rows() == 0) {
    return Error{"segments: found too few rows, or units, to cut in two; accepted: at least some hundreds"};
  }
  const OfflineRows grown = halves.grown.view(), valued = halves.valued.view();
  auto fitted = fit_priced(grown, {.cost = options.cost, .budget = options.budget, .fit = options.fit});
  if (!fitted) return fitted.failure().in("segments: ");
  const PricedModels& policy = fitted.value();
  out.price = policy.price;
  out.cheapest = cheapest_of(grown, policy);
  out.grown = grown.rows;
  out.valued = valued.rows;
  double total = 0.0;
  for (std::int64_t row = 0; row < valued.rows; ++row) total += valued.weight(row);
  const std::vector<bool> flags = flags_of(rows);
  Valuer valuer(valued, policy, options, adaptive, out);
  for (const SegmentPath& path : paths_of(grown, policy, options.most)) {
    out.segments.push_back(valuer.value(path, words_of(path, out.columns, flags), total));
  }
  const auto gain = [](const Segment& segment) {
    const double value = segment.gain[0].value;
    return std::isnan(value) ? -std::numeric_limits<double>::infinity() : value;
  };
  std::ranges::stable_sort(out.segments, std::ranges::greater{}, gain);
  out.all = valuer.value({}, "everybody", total);
  return out;
}

}  // namespace rein
