#include "world/fixed_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "world/keys.h"
#include "world/known_means.h"
#include "world/means.h"

namespace rein {
namespace {


class FixedContext final : public KnownMeans {
 public:
  FixedContext(const Shape& shape, const Noise& noise, std::int64_t rounds,
               std::vector<double> features)
      : KnownMeans(shape, noise, rounds), features_(std::move(features)) {}
  bool iid() const override { return true; }

 private:
  void arrange(std::int64_t) override {
    round_ = {.actions = shape().actions, .features = features_};
  }
  std::vector<double> features_;
};

// Appends a row: the unit vector along the sum of some e_j, counted from 1.
void add_row(const std::vector<int>& places, int d, std::vector<double>& rows) {
  const std::size_t first = rows.size();
  rows.resize(first + static_cast<std::size_t>(d));
  for (int j : places) {
    rows[first + static_cast<std::size_t>(j - 1)] =
        1.0 / std::sqrt(static_cast<double>(places.size()));
  }
}

std::vector<double> features_of(int k, int d) {
  std::vector<double> rows;
  add_row({}, d, rows);  // the null action
  for (int a = 1; a <= k; ++a) add_row({1, a + 1}, d, rows);
  return rows;
}

std::vector<double> theta_of(int m, int d) {
  std::vector<double> rows;
  add_row({1, 2}, d, rows);
  for (int i = 1; i <= m; ++i) {
    if (i == 1) add_row({1, 3}, d, rows);
    if (i == 2) add_row({2, 3, 4, 5}, d, rows);
    if (i >= 3) add_row({i + 1}, d, rows);
  }
  return rows;
}

}  // namespace

Result<std::unique_ptr<World>> make_fixed_context(const Spec& spec, std::uint64_t seed,
                                                  std::int64_t rounds) {
  SpecReader read(spec, "world spec");
  const auto k = static_cast<int>(read.integer("k", 3, 1, kMaxWorldDimension - 1));
  const auto m = static_cast<int>(read.integer("m", 4, 1, kMaxCosts));
  const auto d = static_cast<int>(read.integer("d", 10, 5, kMaxWorldDimension));
  if (d < std::max(k, m) + 1) {
    read.refuse(
        fmt::format("k={} and m={} need d of at least {}, found {}", k, m, std::max(k, m) + 1, d));
  }
  const Noise noise(read, "gaussian", seed, /*usual_sd=*/0.2);
  // Wide enough for the noise around rewards of 0 and 1. Costs stay non-negative.
  Shape shape{.actions = k + 1,
              .features = d,
              .reward = {-1.0, 2.0},
              .costs = cost_shapes(m, /*positive=*/true)};
  shape.budgets = read_budgets(read, m, rounds, 0.25);
  if (auto done = read.finish(); !done) return done.failure();
  shape.truth = std::make_shared<LinearMeans>(theta_of(m, d), ranges_of(shape));
  return std::make_unique<FixedContext>(shape, noise, rounds, features_of(k, d));
}

}  // namespace rein
