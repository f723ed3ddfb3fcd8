// The error of the linear oracles on one plain problem, for several settings of each. It is the
// source of the tables in docs/estimate/, and checks that the defaults are not far from the best.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "engine/small.h"
#include "estimate/play.h"

namespace rein {
namespace {

// A random direction.
std::vector<double> unit(Rng& rng, int d) {
  std::vector<double> x(static_cast<std::size_t>(d));
  double square = 0.0;
  for (double& v : x) {
    v = rng.normal();
    square += v * v;
  }
  for (double& v : x) v /= std::sqrt(square);
  return x;
}

// Squared error of each spec over 20 000 rounds: features and parameters of length 1, outcomes -1
// or 1.
std::map<std::string, double> errors(int d, const std::vector<std::string>& specs) {
  const Shape shape{.actions = 1, .features = d};
  std::vector<std::unique_ptr<Oracle>> oracles;
  for (const std::string& spec : specs) oracles.push_back(oracle_of(spec, shape));
  std::map<std::string, double> squared;
  Rng rng(5);
  const std::vector<double> theta = unit(rng, d);
  for (int t = 0; t < 20'000; ++t) {
    const std::vector<double> phi = unit(rng, d);
    double mean = 0.0;
    for (int i = 0; i < d; ++i) mean += theta[i] * phi[i];
    const double y = rng.rademacher(mean);
    const Round round{.actions = 1, .features = phi};
    for (std::size_t i = 0; i < specs.size(); ++i) {
      const double miss = predict(*oracles[i], shape, round).mean(0)[0] - mean;
      squared[specs[i]] += miss * miss;
      oracles[i]->learn(round, 0, {&y, 1});
    }
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    fmt::print("d {:2} {:20} squared error {:5.0f}   U {:5.0f}\n", d, specs[i], squared[specs[i]],
               oracles[i]->bound(20'000));
  }
  return squared;
}

TEST(Sweep, AdagradsDefaultIsWithinTwiceTheBestRate) {
  if (sanitized()) GTEST_SKIP() << "statistics, which the plain build has";
  const std::vector<std::string> rates{"adagrad(rate=1.414)", "adagrad(rate=0.5)",
                                       "adagrad(rate=0.25)",  "adagrad",
                                       "adagrad(rate=0.05)",  "adagrad(rate=0.02)"};
  for (int d : {8, 32, 99}) {
    auto squared = errors(d, rates);
    for (const std::string& rate : rates) EXPECT_LE(squared["adagrad"], 2.0 * squared[rate]) << d;
  }
}

TEST(Sweep, VawIsMoreAccurateThanOnsOnAPlainProblem) {
  if (sanitized()) GTEST_SKIP() << "statistics, which the plain build has";
  for (int d : {8, 32, 99}) {
    auto squared = errors(d, {"ons(reg=1)", "ons", "ons(reg=64)", "vaw"});
    EXPECT_LT(squared["ons"], squared["ons(reg=1)"]) << d;
    EXPECT_LT(squared["vaw"], squared["ons"]) << d;
  }
}

}  // namespace
}  // namespace rein
