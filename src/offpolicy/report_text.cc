#include "offpolicy/report_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "offpolicy/cheapest_text.h"
#include "offpolicy/errors.h"

namespace rein {
namespace {

std::string interval(const CurveValue& value) {
  if (std::isnan(value.low)) return fmt::format("{:.4g} (no interval)", value.value);
  return fmt::format("{:.4g} [{:.4g}, {:.4g}]", value.value, value.low, value.high);
}

// The reward of the first point as a share of that of the second.
std::optional<RewardShare> share_of(const CurvePoint& part, const CurvePoint& whole, double of,
                                    std::span<const double> covariance, std::size_t at_part,
                                    std::size_t at_whole, std::size_t size) {
  if (!part.possible || !whole.possible || !(of > 0.0)) return std::nullopt;
  const CurveValue& low = part.values[0];
  const CurveValue& high = whole.values[0];
  const bool many = std::min(part.error_rows, whole.error_rows) >= kFewestVarianceRows;
  const bool known = many && !std::isnan(low.error) && !std::isnan(high.error);
  if (!(high.value > (known ? 3.0 * high.error : 0.0))) return std::nullopt;
  const double ratio = low.value / high.value;
  RewardShare out{.budget = part.budget, .of = of, .share = ratio, .low = kNan, .high = kNan};
  if (!known) return out;
  const auto shared = [&](std::size_t k, std::size_t m) { return covariance[k * size + m]; };
  const double variance = shared(at_part, at_part) + ratio * ratio * shared(at_whole, at_whole) -
                          2.0 * ratio * shared(at_part, at_whole);
  const double reach = kNormal95 * std::sqrt(std::max(variance, 0.0)) / high.value;
  out.low = ratio - reach;
  out.high = ratio + reach;
  return out;
}

std::string percent(const RewardShare& share) {
  if (std::isnan(share.low)) return fmt::format("{:.1f} % (no interval)", 100.0 * share.share);
  return fmt::format("{:.1f} % [{:.1f}, {:.1f}]", 100.0 * share.share, 100.0 * share.low,
                     100.0 * share.high);
}

// "At half the budget 94 % of the reward [91, 96]".
std::string half_in_words(const Whatif& curve) {
  const RewardShare& half = *curve.half_of_last;
  const std::string& name = curve.heads[static_cast<std::size_t>(curve.cost)];
  if (curve.points.back().binding) {
    return fmt::format(
        "At half the budget, {0} {1:.4g} per round instead of {2:.4g}, priced policies earn {3} of "
        "the reward.",
        name, half.budget, half.of, percent(half));
  }
  return fmt::format(
      "At half the spend, {0} {1:.4g} per round instead of {2:.4g}, priced policies earn {3} of "
      "the reward. More than {2:.4g} earns nothing.",
      name, half.budget, half.of, percent(half));
}

// What the log earned, and what priced policies earn for the same and for half.
std::string logged_in_words(const Whatif& curve, const CurvePoint& at_logged) {
  const std::size_t cost = static_cast<std::size_t>(curve.cost);
  const std::string& name = curve.heads[cost];
  std::string out = fmt::format("The log earned {} per round at {} {:.4g}.",
                                interval(curve.logged[0]), name, curve.logged[cost].value);
  if (!at_logged.possible) return out;
  out +=
      fmt::format(" {} {} priced policies earn {}", at_logged.binding ? "At the same" : "With less",
                  name, interval(at_logged.values[0]));
  if (!curve.half_of_logged) return out + ".";
  return out + fmt::format("; at half of it, {:.4g}, {} of that.", curve.half_of_logged->budget,
                           percent(*curve.half_of_logged));
}

// Which budgets have no band, per reason, with the number that decides. The first reason counts.
class BandReasons {
 public:
  BandReasons(const Whatif& curve, std::vector<std::string>& out) : curve_(curve), out_(out) {}

  void add_all() const {
    const CurvePoint& first = curve_.points[0];
    add([](const CurvePoint& p) { return p.effective_size < p.least_size; },
        [](const CurvePoint& p) { return p.effective_size; },
        fmt::format("their effective sample size is under {}", first.least_size), "");
    add([](const CurvePoint& p) { return p.effective_size >= p.least_size && !sized(p); },
        [](const CurvePoint& p) { return p.expected_size; },
        fmt::format("logs with such propensities may have an effective sample size under {}",
                    first.least_size),
        ". This log may lack rows that it plays very rarely");
    if (first.floor_size < kSmallestFloorSize) {
      out_.push_back(fmt::format(
          "no band, because a learning policy made the log, and its rows times its least "
          "propensity are {:.3g}, under {}. Set a larger least probability of each action "
          "(least=), or take more rows",
          first.floor_size, kSmallestFloorSize));
    }
    add([](const CurvePoint& p) { return sized(p) && p.variance_rows < kFewestVarianceRows; },
        [](const CurvePoint& p) { return p.variance_rows; },
        fmt::format("under {} rows with large weights carry the variance", kFewestVarianceRows),
        "");
    add([](const CurvePoint& p) { return carried(p) && p.error_rows < kFewestErrorRows; },
        [](const CurvePoint& p) { return p.error_rows; },
        "one row, or unit, makes up most of their error", ". More rows are needed");
    add([](const CurvePoint& p) {
          return carried(p) && p.error_rows >= kFewestErrorRows && p.balance > p.balance_limit;
        },
        [](const CurvePoint& p) { return p.balance; },
        fmt::format("weighted actions or contexts are more standard errors from what the policies "
                    "meet than the accepted {:.1f}",
                    first.balance_limit),
        ". The log could hardly play some actions in some contexts, or propensities are wrong");
  }

 private:
  static bool sized(const CurvePoint& point) {
    return std::min(point.effective_size, point.expected_size) >= point.least_size;
  }
  static bool carried(const CurvePoint& point) {
    return sized(point) && !(point.floor_size < kSmallestFloorSize) &&  // NaN: no such rule
           !(point.variance_rows < kFewestVarianceRows);
  }
  template <class Concerned, class Number>
  void add(const Concerned& concerned, const Number& number, const std::string& why,
           const char* after) const {
    std::string found;
    for (const CurvePoint& point : curve_.points) {
      if (!point.possible || !concerned(point)) continue;
      found +=
          fmt::format("{}{:.4g} ({:.3g})", found.empty() ? "" : ", ", point.budget, number(point));
    }
    if (found.empty()) return;
    out_.push_back(fmt::format("no band at these budgets, because {}: {}{}", why, found, after));
  }

  const Whatif& curve_;
  std::vector<std::string>& out_;
};

}  // namespace

void add_verdict(Whatif& curve, std::span<const CurvePoint> marks,
                 std::span<const double> covariance) {
  const std::size_t count = curve.points.size();
  const std::size_t size = count + marks.size();
  const CurvePoint& last = curve.points.back();
  curve.half_of_last =
      share_of(marks[2], last, 2.0 * marks[2].budget, covariance, count + 2, count - 1, size);
  curve.half_of_logged =
      share_of(marks[1], marks[0], 2.0 * marks[1].budget, covariance, count + 1, count, size);
  curve.at_logged = marks[0];
  const std::size_t places[] = {count - 1, count + 2, count + 3};
  curve.cheapest = cheapest_choice(curve, marks, {covariance, size, places});
  if (curve.half_of_last) curve.verdict.push_back(half_in_words(curve));
  if (curve.cheapest) add_cheapest(curve);
  curve.verdict.push_back(logged_in_words(curve, marks[0]));
  if (std::ranges::all_of(curve.points, &CurvePoint::possible)) return;
  if (std::isnan(curve.least)) {
    curve.verdict.emplace_back("No budget can be met: no priced policy keeps the limit.");
    return;
  }
  curve.verdict.push_back(fmt::format(
      "Budgets of {} per round below {:.4g} cannot be met: no priced policy spends less{}.",
      curve.heads[static_cast<std::size_t>(curve.cost)], curve.least,
      curve.limits.empty() ? "" : " and keeps the limit"));
}

std::vector<std::string> warnings_of(const Whatif& curve, std::span<const int> unused) {
  std::vector<std::string> out;
  if (curve.estimated) {
    out.emplace_back(
        "the log has no propensities. They are estimated from the context, and the bands hold only "
        "if the logging policy saw nothing else. The sensitivity bands show what hidden reasons "
        "could change");
  }
  if (curve.missing > 0) {
    out.emplace_back(
        fmt::format("{} rows lack an outcome and are left out. That is right only if what is "
                    "missing does not depend on the action",
                    curve.missing));
  }
  warn_of_actions(out, unused.size(), [&](std::size_t i) {
    return fmt::format("action {} was played fewer than 20 times; no policy of the curve plays it",
                       curve.actions[static_cast<std::size_t>(unused[i])]);
  });
  BandReasons(curve, out).add_all();
  return out;
}

void warn_of_actions(std::vector<std::string>& out, std::size_t actions,
                     const std::function<std::optional<std::string>(std::size_t)>& warning) {
  constexpr std::size_t kInWords = 3;  // so that warnings about the log are not lost among them
  std::size_t count = 0;
  for (std::size_t a = 0; a < actions; ++a) {
    std::optional<std::string> text = warning(a);
    if (text && ++count <= kInWords) out.push_back(*std::move(text));
  }
  if (count > kInWords) out.push_back(fmt::format("the same for {} more actions", count - kInWords));
}

}  // namespace rein
