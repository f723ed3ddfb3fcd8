// The table of worlds lists exactly the keys that its worlds take, and refusals say what was found.
#include <gtest/gtest.h>

#include <map>

#include "catalog_keys.h"
#include "world/worlds.h"

namespace rein {
namespace {

std::string catalog_error(std::string_view spec, std::int64_t rounds = 10) {
  const auto made = make_world(spec, 1, rounds);
  return made ? "accepted" : made.error();
}

// Keys that have an effect only with another key.
const std::map<std::string, std::string> kBeside = {
    {"block", "order=switching"}, {"period", "order=cyclic"},       {"turns", "order=drift"},
    {"target", "order=adaptive"}, {"candidates", "order=adaptive"}, {"sd", "noise=gaussian"}};

TEST(WorldTable, OptionsAreTheKeysThatTheWorldTakes) {
  for (const Entry& entry : worlds()) {
    EXPECT_EQ(listed_keys(entry), taken_keys(catalog_error(fmt::format("{}(zzz=1)", entry.name))));
  }
}

TEST(WorldTable, DefaultsAreWhatItSaysAndEveryWordIsAccepted) {
  for (const Entry& entry : worlds()) {
    for (const Option& option : entry.options) {
      const auto beside = kBeside.find(std::string(option.key));
      const std::string also = beside == kBeside.end() ? "" : beside->second;
      for (const std::string& value : values_of(option)) {
        const std::string with = spec_of(
            entry.name, fmt::format("{}{}{}={}", also, also.empty() ? "" : ",", option.key, value));
        SCOPED_TRACE(with);
        ASSERT_TRUE(make_world(std::string_view(with), 1, 100).ok()) << catalog_error(with);
        if (value == option.default_value) {
          EXPECT_EQ(trace_of(with), trace_of(spec_of(entry.name, also)));
        }
      }
    }
  }
}

TEST(WorldTable, RefusesWithAMessageThatSaysWhatIsAccepted) {
  EXPECT_TRUE(catalog_error("linaer").starts_with(
      "world spec: unknown name \"linaer\" at 0; accepted: linear, finite, heavy, "));
  EXPECT_EQ(catalog_error("linear(k=0)"),
            "world spec: key \"k\" has 0 at 9; accepted: a whole number from 1 to 1000000");
  EXPECT_EQ(catalog_error("linear(order=random)"),
            "world spec: key \"order\" has random at 13; accepted: iid, switching, cyclic, drift, "
            "adaptive");
  EXPECT_EQ(catalog_error("linear(m=2,margin=0.9)"),
            "world spec: key \"margin\" has 0.9 at 18; accepted: a number from 0 to 0.8");
  EXPECT_EQ(catalog_error("linear(block=5)"), "world spec: key \"block\" is for order=switching");
  EXPECT_EQ(catalog_error("linear(sd=1)"),
            "world spec: key \"sd\" is for noise=gaussian, and noise is rademacher");
  EXPECT_EQ(catalog_error("linear(costs=positive,margin=0.1)"),
            "world spec: key \"margin\" is for costs=signed; safe= is for costs=positive");
  EXPECT_EQ(catalog_error("linear(safe=0.1)"),
            "world spec: key \"safe\" is for costs=positive; margin= is for costs=signed");
  EXPECT_EQ(catalog_error("linear(costs=positive,d=1)"),
            "world spec: key \"d\" has 1 at 24; accepted: a whole number from 2 to 4096");
  EXPECT_EQ(catalog_error("linear(order=adaptive,target=queue,m=0)"),
            "world spec: target=queue needs a cost, and m is 0");
  EXPECT_EQ(catalog_error("linear(k=1000000,d=4096)"),
            "world spec: k=1000000 and d=4096 make 4096000000 numbers per round; accepted: at most "
            "16777216");
  EXPECT_TRUE(catalog_error("linear(k=3").starts_with("world spec: "));
}

TEST(WorldTable, RefusesBudgetsThatDoNotFit) {
  EXPECT_EQ(catalog_error("linear(budget=1,rate=1)"),
            "world spec: both \"budget\" and \"rate\" are given; accepted: one of them");
  EXPECT_EQ(catalog_error("linear(m=3,rate=[1,2])"),
            "world spec: key \"rate\" has 2 numbers; accepted: one for all, or one per cost (3)");
  EXPECT_EQ(catalog_error("linear(m=0,budget=1)"),
            "world spec: key \"budget\" has 1 numbers; accepted: one for all, or one per cost (0)");
  EXPECT_EQ(catalog_error("heavy(rate=-1)"),
            "world spec: key \"rate\" has -1 at 11; accepted: a number from 0 to 1000000000000000");
}

TEST(WorldTable, RefusesRoundsThatAreNone) {
  EXPECT_EQ(catalog_error("two_arm", 0), "world: found 0 rounds; accepted: 1 to 9007199254740992");
  EXPECT_EQ(catalog_error("two_arm", -5),
            "world: found -5 rounds; accepted: 1 to 9007199254740992");
  for (const Entry& entry : worlds()) EXPECT_EQ(catalog_error(spec_of(entry.name), 1), "accepted");
}

}  // namespace
}  // namespace rein
