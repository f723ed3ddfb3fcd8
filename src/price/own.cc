#include "price/own.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "base/own.h"
#include "price/scaled.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr double kMaxSlope = 1e100;
constexpr std::int64_t kUsualRounds = 1'000'000;  // reach of the queues if T is unknown
constexpr int kEven = 64;                         // even grid points on either side of 0,
constexpr int kHalvings = 40;                     // and points that halve towards 0
constexpr double kRounding = 1e-9;                // relative tolerance of sums that should agree

// The grid over all values that a queue can reach: even steps, and halving steps towards 0, sorted.
std::vector<double> grid(double reach) {
  std::vector<double> points = {0.0};
  for (int i = 1; i <= kEven; ++i) points.push_back(reach * i / kEven);
  for (int i = 1; i <= kHalvings; ++i) points.push_back(std::ldexp(reach, -i));
  const std::size_t positive = points.size();
  for (std::size_t i = 1; i < positive; ++i) points.push_back(-points[i]);
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

bool is_slope(double slope) { return slope >= 0.0 && slope <= kMaxSlope; }

Error broken(std::string_view name, int cost, std::string_view what) {
  return Error{fmt::format("pricer spec: potential \"{}\" of cost {}: {}", name, cost, what)};
}

struct Point {
  double queue, value, slope;
};

// The message about what is wrong between two neighbours of the grid; empty if nothing is.
std::string wrong_between(const Point& a, const Point& b) {
  const double fuzz = kRounding * (std::abs(a.slope) + std::abs(b.slope));
  if (b.slope < a.slope - fuzz) {
    return fmt::format(
        "its slope falls from {} at queue {} to {} at queue {}; accepted: a convex "
        "potential, whose slope never falls",
        a.slope, a.queue, b.slope, b.queue);
  }
  const double step = b.queue - a.queue, rise = b.value - a.value;
  const double noise = kRounding * (std::abs(a.value) + std::abs(b.value)) + fuzz * step;
  if (rise < a.slope * step - noise || rise > b.slope * step + noise) {
    return fmt::format(
        "its value rises by {} from queue {} to queue {}, and its slope allows {} to "
        "{}; accepted: a slope that is the derivative of the value",
        rise, a.queue, b.queue, a.slope * step, b.slope * step);
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Pricer>> OwnPrice::make(const Spec& spec, const Terms& terms,
                                               const Own& own) {
  auto potential = find_own(own.potentials, spec, "pricer spec");
  if (!potential) return potential.failure();
  const std::string name = name_of_own(spec, "pricer spec").value();
  std::unique_ptr<OwnPrice> made(new OwnPrice(name, std::move(potential).value(), terms));
  const auto rounds = static_cast<double>(terms.rounds > 0 ? terms.rounds : kUsualRounds);
  for (int i = 0; i < terms.costs; ++i) {
    double most = 1.0;  // largest amount that one round adds
    if (!terms.rates.empty()) most += std::abs(terms.rates[i]);
    if (terms.setting == Setting::kPacing && !terms.budgets.empty()) {
      most += std::abs(terms.budgets[i]) / rounds;
    }
    if (auto fits = made->check(i, most * rounds); !fits) return fits.failure();
  }
  return made;
}

OwnPrice::OwnPrice(std::string name, std::shared_ptr<const OwnPotential> potential,
                   const Terms& terms)
    : name_(std::move(name)),
      potential_(std::move(potential)),
      print_(0xcbf29ce484222325U),
      queues_(terms.costs) {}

Result<> OwnPrice::check(int cost, double reach) {
  Point before{};
  bool first = true;
  for (double queue : grid(reach)) {
    const Point point{queue, potential_->value(cost, queue), potential_->slope(cost, queue)};
    if (!std::isfinite(point.value) || !is_slope(point.slope)) {
      return broken(name_, cost,
                    fmt::format("found value {} and slope {} at queue {}; accepted: a finite value "
                                "and a slope of 0 to {}",
                                point.value, point.slope, queue, kMaxSlope));
    }
    if (!first) {
      if (const std::string wrong = wrong_between(before, point); !wrong.empty()) {
        return broken(name_, cost, wrong);
      }
    }
    print_ = (print_ ^ std::bit_cast<std::uint64_t>(point.slope)) * 0x100000001b3U;
    before = point;
    first = false;
  }
  return {};
}

void OwnPrice::price(const Books& books, Prices& out) const {
  Costs plain = queues_;
  for (int i = 0; i < plain.size(); ++i) {
    const double queue = queues_[i] + books.owed(i);
    plain[i] = potential_->slope(i, queue);
    if (!is_slope(plain[i])) {
      throw Failure(
          fmt::format("potential \"{}\" of cost {}: found slope {} at queue {}; accepted: "
                      "0 to {}",
                      name_, i, plain[i], queue, kMaxSlope));
    }
  }
  out = scaled_down(plain);
}

void OwnPrice::learn(const Books&, const Paid& paid) {
  for (int i = 0; i < queues_.size(); ++i) queues_[i] += paid.queued[i];
}

void OwnPrice::save(ByteWriter& out) const {
  out.state("own");
  out.text(name_);
  out.u64(print_);
  out.parts(queues_);
}

Result<> OwnPrice::load(ByteReader& in) {
  if (auto read = in.state("own"); !read) return read;
  in.tag(name_);
  if (in.u64() != print_) {
    in.fail(fmt::format("saved state is of a potential \"{}\" with other slopes", name_));
  }
  in.parts(queues_);
  return in.status();
}

}  // namespace rein
