// Rules: what records mean is a part of the state, and moves only by a record.
#include <gtest/gtest.h>

#include "rein/state_version.h"
#include "small.h"

namespace rein {
namespace {

TEST(FoldRules, ANewEngineHasTheNewest) {
  Engine engine = small_engine();
  EXPECT_EQ(engine.rules(), kRules);
  const std::uint64_t before = engine.state_hash();
  engine.adopt_rules().check();
  EXPECT_EQ(engine.record(), "");
  EXPECT_EQ(engine.state_hash(), before);
}

TEST(FoldRules, OnlyNewerOnesThatThisProgramKnowsAreAdopted) {
  Engine engine = small_engine();
  const auto same = engine.fold(RulesRecord{.rules = kRules});
  ASSERT_FALSE(same);
  EXPECT_EQ(same.reason(), Reason::kSequence);
  const auto newer = engine.fold(RulesRecord{.rules = 99});
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error(),
            "record: found rules 99 (a newer program wrote it); accepted: newer than 2, up to 2");
}

TEST(FoldRules, ARecordOfThemSurvivesItsBytes) {
  std::string bytes;
  encode(RulesRecord{.rules = 2, .began = 77}, bytes);
  const auto read = decode(bytes);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(std::get<RulesRecord>(read.value()).rules, 2);
  EXPECT_EQ(std::get<RulesRecord>(read.value()).began, 77);
}

TEST(Versions, ANewerOneIsRefusedAndBothAreNamed) {
  Engine engine = small_engine();
  std::string snapshot = engine.snapshot();
  snapshot[8 + std::string_view("rein engine").size()] = 99;
  const auto restored = Engine::restore(snapshot);
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error(),
            "snapshot: found version 99 (a newer program wrote it); accepted: version 6 to 8");
}

}  // namespace
}  // namespace rein
