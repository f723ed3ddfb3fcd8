// kernel: its curves, its dictionary, its certificate, and what it refuses.
#include "estimate/kernel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "estimate/dense.h"
#include "estimate/kernel_features.h"
#include "estimate/play.h"

namespace rein {
namespace {

std::vector<double> some_point(Rng& rng, int d) {
  std::vector<double> z;
  for (int j = 0; j < d; ++j) z.push_back((2.0 * rng.uniform() - 1.0) / std::sqrt(d));
  return z;
}

double gaussian(const std::vector<double>& a, const std::vector<double>& b, double width) {
  double square = 0.0;
  for (std::size_t j = 0; j < a.size(); ++j) square += (a[j] - b[j]) * (a[j] - b[j]);
  return std::exp(-square / (2.0 * width * width));
}

double product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

std::vector<double> row_of(const KernelFeatures& curves, const std::vector<double>& z, int size) {
  std::vector<double> psi(static_cast<std::size_t>(size)), work(curves.work());
  curves.row(0, z.data(), psi.data(), work.data());
  return psi;
}

// 2000 frequencies: a standard error of at most 1 / sqrt(2 x 2000) = 0.016; 5 of them.
TEST(FourierFeatures, ProductsAreTheGaussianKernelAndLengthIsOne) {
  for (double width : {0.3, 1.0}) {
    const FourierFeatures curves(3, 4000, width, 9);
    Rng rng(2);
    for (int i = 0; i < 20; ++i) {
      const auto a = some_point(rng, 3), b = some_point(rng, 3);
      const auto x = row_of(curves, a, 4000), y = row_of(curves, b, 4000);
      EXPECT_NEAR(product(x, x), 1.0, 1e-12);
      EXPECT_NEAR(product(x, y), gaussian(a, b, width), 0.08);
    }
  }
}

TEST(FourierFeatures, HugeNumbersGiveCurvesAllTheSame) {
  const FourierFeatures curves(2, 16, 0.5, 1);
  for (double huge : {1e7, -1e50, 1e100}) {
    for (double psi : row_of(curves, {huge, 1.0}, 16)) EXPECT_LE(std::abs(psi), 1.0);
  }
}

TEST(DictionaryFeatures, ProductsWithAKeptPointAreExact) {
  const int size = 30;
  DictionaryFeatures curves(2, size, 1, 0.4, 0.05);
  Rng rng(3);
  std::vector<std::vector<double>> kept;
  for (int i = 0; i < 400; ++i) {
    const auto z = some_point(rng, 2);
    const auto psi = row_of(curves, z, size);
    const int before = curves.kept(0);
    curves.learn(0, z.data(), psi.data());
    if (curves.kept(0) > before) kept.push_back(z);
  }
  ASSERT_GT(kept.size(), 8U);
  ASSERT_LT(kept.size(), 30U) << "points near others are not kept";
  for (int i = 0; i < 20; ++i) {
    const auto z = some_point(rng, 2);
    const auto psi = row_of(curves, z, size);
    EXPECT_LE(product(psi, psi), 1.0 + 1e-12);
    for (const auto& point : kept) {
      EXPECT_NEAR(product(psi, row_of(curves, point, size)), gaussian(z, point, 0.4), 1e-9);
    }
  }
}

TEST(DictionaryFeatures, ANewPointHasLengthOneBeforeItIsKeptAndAfter) {
  DictionaryFeatures curves(1, 8, 1, 0.5, 0.1);
  const std::vector<double> first{0.0}, far{100.0};
  auto psi = row_of(curves, first, 8);
  EXPECT_EQ(psi[0], 1.0);
  curves.learn(0, first.data(), psi.data());
  psi = row_of(curves, far, 8);
  EXPECT_NEAR(psi[1], 1.0, 1e-12) << "nothing explains it: the next coordinate is its own";
  EXPECT_EQ(curves.kept(0), 1) << "asking keeps nothing";
}

TEST(DictionaryFeatures, NeverKeepsMoreThanItsSizeAndEverySetHasItsOwn) {
  DictionaryFeatures curves(1, 4, 2, 0.1, 0.01);
  for (int i = 0; i < 50; ++i) {
    const std::vector<double> z{static_cast<double>(i)};
    const auto psi = row_of(curves, z, 4);
    curves.learn(0, z.data(), psi.data());
  }
  EXPECT_EQ(curves.kept(0), 4);
  EXPECT_EQ(curves.kept(1), 0);
}

// The loss exceeds that of the best function of the curves by at most ln det(A / reg) + reg
// |theta|^2, for any outcomes: against the prediction, or random.
TEST(Kernel, RegretStaysUnderItsBoundWhateverTheOutcomes) {
  const Shape shape{.actions = 2, .features = 2};
  for (const char* spec : {"kernel(size=16,linear=0)", "kernel(size=16)", "kernel(size=16,reg=2)",
                           "kernel(kind=dictionary,size=12)"}) {
    SCOPED_TRACE(spec);
    const auto oracle = oracle_of(spec, shape);
    Rounds rounds(shape, false, 8);
    double before = 0.0;
    for (int t = 0; t < 1500; ++t) {
      const OwnedRound round = rounds.next();
      const double p = predict(*oracle, shape, round.view()).mean(0)[t % 2];
      const double y = t % 600 < 300 ? (p > 0.0 ? -1.0 : 1.0) : rounds.rng().rademacher();
      oracle->learn(round.view(), t % 2, {&y, 1});
      ASSERT_LE(oracle->regret(), oracle->bound(t + 1) + 1e-9);
      before = oracle->regret();
    }
    EXPECT_GT(before, 1.0);
  }
}

// The prediction for a round and the one in its loss are the same.
TEST(Kernel, TheLossItIsChargedIsThatOfItsPredictions) {
  const Shape shape{.actions = 3, .features = 2};
  for (const char* spec : {"kernel(size=8)", "kernel(kind=dictionary,size=8)"}) {
    const auto oracle = oracle_of(spec, shape);
    Rounds rounds(shape, false, 5);
    // If outcomes equal the predictions, the loss is 0, and regret is at most reg.
    for (int t = 0; t < 200; ++t) {
      const OwnedRound round = rounds.next();
      const double y = predict(*oracle, shape, round.view()).mean(0)[t % 3];
      oracle->learn(round.view(), t % 3, {&y, 1});
      ASSERT_NEAR(oracle->regret(), 0.1, 1e-12) << spec;
    }
  }
}

TEST(Kernel, WidthsFallWhereItHasBeenAndStayWhereItHasNot) {
  const Shape shape{.actions = 1, .features = 2};
  for (const char* spec : {"kernel(linear=0)", "kernel(kind=dictionary,linear=0)"}) {
    const auto oracle = oracle_of(spec, shape);
    const std::vector<double> here{0.1, 0.2}, there{-5.0, 4.0};
    const double y = 0.5;
    for (int t = 0; t < 100; ++t) oracle->learn({.actions = 1, .features = here}, 0, {&y, 1});
    const double known = predict(*oracle, shape, {.actions = 1, .features = here}).width()[0];
    const double unknown = predict(*oracle, shape, {.actions = 1, .features = there}).width()[0];
    EXPECT_LT(known, 0.02) << spec;
    EXPECT_GT(unknown, 0.8) << spec;
    EXPECT_NEAR(predict(*oracle, shape, {.actions = 1, .features = here}).mean(0)[0], 0.5, 0.01);
  }
}

TEST(Kernel, SeedsDrawOtherCurvesAndTheSameSeedTheSame) {
  const Shape shape{.actions = 2, .features = 3};
  const auto value = [&](const char* spec) {
    const auto oracle = oracle_of(spec, shape);
    Rounds rounds(shape, false, 4);
    const double y = 0.7;
    for (int t = 0; t < 20; ++t) oracle->learn(rounds.next().view(), 0, {&y, 1});
    return predict(*oracle, shape, rounds.next().view()).mean(0)[1];
  };
  EXPECT_EQ(value("kernel"), value("kernel(seed=1)"));
  EXPECT_NE(value("kernel"), value("kernel(seed=2)"));
}

TEST(Kernel, OptimisticTakesIt) {
  const Shape shape{.actions = 2, .features = 3};
  const auto oracle = oracle_of("optimistic(of=kernel(size=10))", shape);
  EXPECT_EQ(oracle->dimension(), 13);
}

TEST(Kernel, RefusalsSayWhatIsAccepted) {
  const Shape shape{.actions = 2, .features = 3};
  const auto error = [&](const char* spec) {
    const auto made = make_oracle(parse_spec(spec).value(), shape);
    return made ? std::string("accepted") : made.error();
  };
  EXPECT_EQ(error("kernel(size=7)"),
            "oracle spec: key \"size\" has 7; kind=fourier accepts even numbers: a cosine and a "
            "sine for every frequency");
  EXPECT_EQ(error("kernel(kind=dictionary,size=7)"), "accepted");
  EXPECT_EQ(error("kernel(kind=dictionary,seed=7)"),
            "oracle spec: key \"seed\" is for kind=fourier");
  EXPECT_EQ(error("kernel(novelty=0.5)"), "oracle spec: key \"novelty\" is for kind=dictionary");
  EXPECT_EQ(error("kernel(size=5000)"),
            "oracle spec: key \"size\" has 5000 at 12; accepted: a whole number from 2 to 4096");
  const Shape many{.actions = 1'000'000, .context = 3};
  EXPECT_NE(make_oracle(Spec("kernel"), many).error().find("accepted: a smaller size"),
            std::string::npos);
}

}  // namespace
}  // namespace rein
