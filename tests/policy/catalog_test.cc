// The table of policies says which values are the defaults and which words are accepted.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "catalog_keys.h"
#include "policy/play.h"

namespace rein {
namespace {

// What a choice needs beside it.
std::string beside(std::string_view value) {
  if (value == "margin") return ",margin=0.1";
  if (value == "stop") return ",null=0";
  return "";
}

// The probabilities of 30 rounds, one after the other.
std::vector<double> played(const Case& c) {
  Game game(c);
  std::vector<double> all;
  for (int t = 0; t < 30; ++t) {
    game.play(t);
    const auto p = game.decision.probabilities();
    all.insert(all.end(), p.begin(), p.end());
  }
  return all;
}

TEST(PolicyTable, DefaultsAreWhatItSaysAndEveryChoiceIsAccepted) {
  Shape shape{.actions = 4, .context = 2, .costs = {{"dollars", {0.0, 1.0}}}, .rounds = 300};
  shape.budgets = {90.0};
  int defaults = 0, choices = 0;
  for (const Entry& entry : policies()) {
    if (needs_safe_action(entry.name)) continue;
    for (const Option& option : entry.options) {
      for (const std::string& value : values_of(option)) {
        const Case with{
            .spec = fmt::format("{}({}={}{})", entry.name, option.key, value, beside(value)),
            .shape = shape};
        const auto made = make_policy(with.spec, shape);
        ASSERT_TRUE(made.ok()) << with.spec << ": " << made.error();
        ++choices;
        if (value != option.default_value) continue;
        EXPECT_EQ(played(with), played({.spec = std::string(entry.name), .shape = shape}))
            << with.spec;
        ++defaults;
      }
    }
  }
  EXPECT_GT(defaults, 40);
  EXPECT_GT(choices, defaults);
}

}  // namespace
}  // namespace rein
