// phi(x, a): its parts and their order, and the combinations that are refused.
#include "estimate/feature_map.h"

#include <gtest/gtest.h>

#include "base/kernels.h"
#include "estimate/play.h"
#include "estimate/variants.h"

namespace rein {
namespace {

Result<FeatureMap> map_of(const std::string& spec, const Shape& shape) {
  const Spec parsed = parse_spec(spec).value();
  SpecReader read(parsed, "oracle spec");
  const FeatureMap map(read, shape);
  if (auto done = read.finish(); !done) return done.failure();
  return map;
}

std::vector<double> row(const FeatureMap& map, const Round& round, int action) {
  std::vector<double> phi(static_cast<std::size_t>(map.size()), -7.0);
  map.row(round, action, phi);
  return phi;
}

TEST(FeatureMap, JoinsMultipliesAndAppendsAOne) {
  const std::vector<double> x{2.0, 3.0}, a{5.0, 7.0, 11.0, 13.0};
  const Round round{.actions = 2, .context = x, .features = a};
  const Shape shape{.actions = 2, .context = 2, .features = 2};
  using Row = std::vector<double>;
  EXPECT_EQ(row(map_of("v(features=joint)", shape).value(), round, 1), (Row{2, 3, 11, 13}));
  EXPECT_EQ(row(map_of("v(features=per_action)", shape).value(), round, 0), (Row{2, 3, 5, 7, 1}));
  EXPECT_EQ(row(map_of("v", shape).value(), round, 0), (Row{2, 3, 5, 7, 10, 14, 15, 21, 1}));
  EXPECT_EQ(row(map_of("v(bias=0)", shape).value(), round, 0), (Row{2, 3, 5, 7, 10, 14, 15, 21}));
}

TEST(FeatureMap, LanesHoldTheRows) {
  for (const Variant& variant : variants()) {
    if (!variant.spec.starts_with("vaw")) continue;
    if (variant.spec.find("=both") != std::string::npos) continue;  // race_test.cc
    SCOPED_TRACE(variant.name);
    const FeatureMap map = map_of(variant.spec, variant.shape).value();
    Rounds rounds(variant.shape, variant.sparse, 2);
    const OwnedRound round = rounds.next();
    std::vector<double> block(static_cast<std::size_t>(map.size() * kLanes));
    for (int first = 0; first < round.actions; first += kLanes) {
      const int count = std::min(kLanes, round.actions - first);
      map.pack(round.view(), first, count, block.data());
      for (int lane = 0; lane < count; ++lane) {
        const std::vector<double> phi = row(map, round.view(), first + lane);
        for (int j = 0; j < map.size(); ++j) ASSERT_EQ(block[kLanes * j + lane], phi[j]);
      }
      for (double x : block) ASSERT_TRUE(std::isfinite(x));
    }
  }
}

TEST(FeatureMap, TheNormCoversEveryRow) {
  for (const Variant& variant : variants()) {
    if (!variant.spec.starts_with("vaw")) continue;
    if (variant.spec.find("=both") != std::string::npos) continue;  // race_test.cc
    SCOPED_TRACE(variant.name);
    const FeatureMap map = map_of(variant.spec, variant.shape).value();
    Rounds rounds(variant.shape, variant.sparse, 2);
    for (int t = 0; t < 50; ++t) {
      const OwnedRound round = rounds.next();
      for (int a = 0; a < round.actions; ++a) {
        double square = 0.0;
        for (double x : row(map, round.view(), a)) square += x * x;
        ASSERT_LE(square, map.norm_squared() + 1e-12);
      }
    }
  }
}

TEST(FeatureMap, RefusesWhatMakesNoSense) {
  const Shape context{.actions = 2, .context = 3}, features{.actions = 2, .features = 3};
  const Shape nothing{.actions = 2};
  const Shape large{.actions = 2, .context = 10'000, .features = 10'000};
  const auto error = [](const std::string& spec, const Shape& shape) {
    auto map = map_of(spec, shape);
    return map ? std::string("accepted") : map.error();
  };
  EXPECT_NE(error("v(features=joint)", context).find("needs action features"), std::string::npos);
  EXPECT_NE(error("v(features=product)", context).find("needs action features"), std::string::npos);
  EXPECT_NE(error("v(features=product)", features).find("needs a context"), std::string::npos);
  EXPECT_NE(error("v(bias=0)", nothing).find("nothing to learn from"), std::string::npos);
  EXPECT_NE(error("v", large).find("100020001 features after combining"), std::string::npos);
  EXPECT_NE(error("v(norm=0)", features).find("norm"), std::string::npos);
  EXPECT_EQ(error("v", nothing), "accepted");
  EXPECT_EQ(error("v(features=joint)", large), "accepted");
}

}  // namespace
}  // namespace rein
