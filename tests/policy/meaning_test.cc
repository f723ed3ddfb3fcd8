// A model keeps what its spec meant when it was made, whatever the defaults are now.
#include "policy/meaning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "rein/catalog.h"

namespace rein {
namespace {

using testing::HasSubstr;

std::string meant_text(const char* spec, int meaning) {
  return meant(parse_spec(spec).value(), meaning).value().str();
}

TEST(Meaning, TheNewestAddsNothing) {
  for (const char* spec : {"ccb", "squarecb(oracle=forest)", "stop(null=0,of=ccb)"}) {
    EXPECT_EQ(meant_text(spec, kMeaning), spec);
  }
}

TEST(Meaning, AnOlderOneIsSpelledByOptionsThatNobodyWrote) {
  EXPECT_EQ(meant_text("ccb", 1), "ccb(challengers=every,new_features=free,noises=pooled,rehearsed=igw,scales=first,tries=0,waits=first)");
  EXPECT_EQ(meant_text("ccb", 2), "ccb(challengers=every)");
  EXPECT_EQ(meant_text("ccb(oracle=auto)", 2), "ccb(oracle=auto(challengers=every))");
  EXPECT_EQ(meant_text("ccb", 0), "ccb(new_features=free,noises=pooled,oracle=vaw(memory=auto),rehearsed=igw,scales=first,tries=0,waits=first)");
  EXPECT_EQ(meant_text("ccb(budget=9,tries=7)", 1), "ccb(budget=9,challengers=every,new_features=free,noises=pooled,rehearsed=igw,scales=first,tries=7,waits=first)");
  const Spec spec = meant(parse_spec("stop(null=0,of=ccb(budget=9))").value(), 1).value();
  EXPECT_EQ(spec.str(), "stop(null=0,of=ccb(budget=9,challengers=every,new_features=free,noises=pooled,rehearsed=igw,scales=first,tries=0,waits=first))");
  EXPECT_EQ(spec.asked().str(), "stop(null=0,of=ccb(budget=9))");
}

// memory=auto is no oracle "auto".
TEST(Meaning, WordsThatNameNoPieceAreLeftAlone) {
  const MeaningChange changes[] = {
      {.last = 0, .name = "auto", .unless = "", .options = "", .what = "it is another race"}};
  const auto spec = [](const char* text) { return parse_spec(text).value(); };
  EXPECT_TRUE(meant_by(spec("ccb(oracle=vaw(memory=auto),tuning=auto)"), 0, 1, changes));
  EXPECT_FALSE(meant_by(spec("ccb(oracle=auto)"), 0, 1, changes));
  EXPECT_FALSE(meant_by(spec("stop(null=0,of=ccb(oracle=stack(of=[vaw,auto])))"), 0, 1, changes));
}

TEST(Meaning, WhatTheSpecSaysStays) {
  for (const char* spec : {"ccb(tuning=theory)", "ccb(challengers=sparse,new_features=mean,noises=own,rehearsed=own,scales=median,tries=5,waits=each)"}) {
    EXPECT_EQ(meant_text(spec, 1), spec);
  }
  for (const char* spec : {"ccb(new_features=free,noises=pooled,oracle=auto(challengers=every),rehearsed=igw,scales=first,tries=0,waits=first)",
                           "ccb(cost_oracle=ridge,new_features=free,noises=pooled,rehearsed=igw,scales=first,tries=0,waits=first)"}) {
    EXPECT_EQ(meant_text(spec, 0), spec);
  }
}

TEST(Meaning, ANewerOneIsRefusedAndBothAreNamed) {
  const auto refused = meant(parse_spec("ccb").value(), 77);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.reason(), Reason::kMeaning);
  EXPECT_THAT(refused.error(), HasSubstr("found meaning 77 (a newer program made it)"));
  EXPECT_THAT(refused.error(), HasSubstr("accepted: 0 to"));
}

TEST(Meaning, OneThatNoOptionsSpellAnyMoreIsNamed) {
  const MeaningChange changes[] = {
      {.last = 0, .name = "ccb", .unless = "oracle", .options = "oracle=ons", .what = ""},
      {.last = 4, .name = "ons", .unless = "", .options = "", .what = "its steps were longer"}};
  const auto spec = [](const char* text) { return parse_spec(text).value(); };
  // The second change meets what the first one added.
  const auto refused = meant_by(spec("ccb"), 0, 5, changes);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.reason(), Reason::kMeaning);
  EXPECT_EQ(refused.error(),
            "policy ccb: found meaning 0 of \"ons\", which this program no longer makes: its steps "
            "were longer; accepted: meaning 5 to 5");
  EXPECT_EQ(meant_by(spec("ccb"), 3, 5, changes).value().str(), "ccb");
  EXPECT_EQ(meant_by(spec("ccb(oracle=ons)"), 5, 5, changes).value().str(), "ccb(oracle=ons)");
}

// The table of changes goes by names, whatever they are the names of: a policy and an explorer are both
// called greedy. So a change of such a name needs more than this table.
TEST(Meaning, EveryChangeIsThatOfOnePiece) {
  std::multiset<std::string_view> names;
  for (const auto& entries : {policies(), oracles(), pricers(), gains(), explorers()}) {
    for (const Entry& entry : entries) names.insert(entry.name);
  }
  for (const MeaningChange& change : meaning_changes()) {
    EXPECT_EQ(names.count(change.name), 1U) << change.name;
    EXPECT_LT(change.last, kMeaning) << change.name;
  }
}

TEST(Meaning, WrittenOutHasTheDefaults) {
  const Shape shape{.actions = 3, .context = 2};
  const std::string text = written_out(parse_spec("ccb").value(), shape);
  for (const char* part : {"oracle=auto(", "tuning=auto", "explorer=igw", "gain=noise", "optimism=1"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_EQ(parse_spec(text).value().str(), text);
}

}  // namespace
}  // namespace rein
