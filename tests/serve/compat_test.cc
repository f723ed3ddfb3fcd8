// Models of every earlier version (tests/compat): this program folds their journals to the hashes that
// they had, and goes on by its own rules.
#include "compat_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "model_life.h"
#include "rein/state_version.h"
#include "tools/migrate.h"

namespace rein::serve {
namespace {

class Compat : public testing::TestWithParam<std::string> {};

constexpr const char* kCompatModels[] = {"money", "plain", "late"};

// Models whose policy this program no longer makes, as "0.1.0/plain": a line of src/policy/meaning.cc
// says what has gone. They are refused with that sentence, and rein migrate takes them on.
const std::set<std::string> kMigratedModels = {};

bool is_migrated(const std::string& version, const char* name) {
  return kMigratedModels.contains(version + "/" + name);
}

TEST_P(Compat, JournalsFoldToTheHashesThatTheyHad) {
  for (const char* name : kCompatModels) {
    SCOPED_TRACE(name);
    if (is_migrated(GetParam(), name)) continue;
    const CompatModel model(GetParam(), name);
    const auto journal = model.journal();
    EXPECT_EQ(journal->last(), model.figure("last"));
    const auto whole = fold_journal(*journal, {});
    ASSERT_TRUE(whole) << whole.error();
    EXPECT_EQ(fmt::format("{:016x}", whole.value().hash()), model.hash());
    const auto snapshot = model.snapshot();
    if (!snapshot) continue;
    const auto rest = fold_journal(*journal, {.from = &*snapshot});
    ASSERT_TRUE(rest) << rest.error();
    EXPECT_EQ(fmt::format("{:016x}", rest.value().hash()), model.hash());
  }
}

TEST_P(Compat, ModelsGoOnByTheNewestRulesFromAnEntryOn) {
  for (const char* name : kCompatModels) {
    SCOPED_TRACE(name);
    if (is_migrated(GetParam(), name)) continue;
    const CompatModel model(GetParam(), name);
    std::uint64_t hash = 0;
    {
      const auto opened = model.open();
      EXPECT_EQ(opened->engine().rules(), kRules);
      const std::int64_t adopted = GetParam().starts_with("0.1.0") ? 1 : 0;
      EXPECT_EQ(opened->committed(), model.figure("last") + adopted);
      opened->begin();
      if (std::string_view(name) != "late") {  // there all may have expired by now
        const OpenDecision oldest = opened->engine().open(1).at(0);
        const bool costs = !opened->engine().policy().shape().costs.empty();
        const HttpResponse answer = opened->call(
            post("outcome", fmt::format(R"({{"id":"{:016x}","reward":0.5{}}})", oldest.id,
                                        costs ? R"(,"costs":{"tokens":1})" : "")));
        EXPECT_EQ(answer.status, 200) << answer.body;
      }
      opened->commit().check();
      opened->make_snapshot().value();
      hash = opened->state().hash();
    }
    // A reader of the journal, from the beginning and from the old snapshot, has the same.
    const auto journal = model.journal();
    EXPECT_EQ(hash_of_fold(*journal), hash);
    if (const auto snapshot = model.snapshot()) {
      EXPECT_EQ(fold_journal(*journal, {.from = &*snapshot}).value().hash(), hash);
    }
  }
}

std::int64_t limit_of(const Engine& engine, std::string_view name) {
  for (const BudgetState& budget : engine.state().budgets) {
    if (budget.name == name) return budget.limit;
  }
  return -1;
}

// Before rules 2, an account for everybody had the money of every window since 1970.
TEST_P(Compat, WhatCarryGrantedForTheTimeBeforeTheModelIsTakenBack) {
  if (GetParam() != "0.1.0") GTEST_SKIP() << "its models are made by rules 2";
  const CompatModel model(GetParam(), "money");
  const std::int64_t before = limit_of(fold_journal(*model.journal(), {}).value().engine, "ticks");
  const auto opened = model.open(0);
  constexpr std::int64_t kDay = 86'400, kAmount = 300'000'000;
  const std::int64_t made = opened->state().began / kDay, now = opened->now() / kDay;
  EXPECT_LE(limit_of(opened->engine(), "ticks"), (now - made + 1) * kAmount);
  EXPECT_GT(limit_of(opened->engine(), "ticks"), (now - made) * kAmount);
  EXPECT_EQ(before - limit_of(opened->engine(), "ticks"), made * kAmount);
}

TEST_P(Compat, ModelsAreSavedInTheNewestFormWithTheirRules) {
  const CompatModel model(GetParam(), "money");
  const auto journal = model.journal();
  const auto old = fold_journal(*journal, {});
  const auto again = ModelState::restore(old.value().save());
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(again.value().engine.rules(), old.value().engine.rules());
  EXPECT_EQ(again.value().hash(), old.value().hash());
}

// Every model of every version can be read without its policy, and another policy can take it over.
TEST_P(Compat, ModelsMigrateWithTheirBooks) {
  for (const char* name : kCompatModels) {
    SCOPED_TRACE(name);
    const CompatModel model(GetParam(), name);
    const auto journal = model.journal();
    if (is_migrated(GetParam(), name)) {
      EXPECT_EQ(fold_journal(*journal, {}).reason(), Reason::kMeaning);
    }
    const auto blind = fold_journal(*journal, {.blind = true});
    ASSERT_TRUE(blind) << blind.error();
    const EngineState was = blind.value().engine.state();
    const std::string to = model.path().string() + "_migrated/now";
    const auto done = migrate(model.folder(), trained_place(to).value(), "ccb");
    ASSERT_TRUE(done) << done.error();
    const auto now = fold_journal(*open_journal_of({"now", to}).value(), {});
    const EngineState is = now.value().engine.state();
    EXPECT_EQ(was.decided, is.decided);
    EXPECT_EQ(was.open, is.open);
    for (std::size_t i = 0; i < was.budgets.size(); ++i) {
      EXPECT_EQ(was.budgets[i].spent, is.budgets[i].spent);
      EXPECT_EQ(was.budgets[i].held, is.budgets[i].held);
    }
    fs::remove_all(model.path().string() + "_migrated");
  }
}

// A saved agent is the snapshot of its engine.
TEST_P(Compat, AgentsGoOnAsTheyWereSaved) {
  const fs::path folder = fs::path(source_dir()) / "tests/compat" / GetParam();
  if (!fs::exists(folder / "agent.rein")) GTEST_SKIP() << "it has models only";
  const Json all = read_json(compat_text(folder / "figures.json"));
  const Json figures = Fields(all).get("agent");
  Fields agent(figures);
  auto engine = Engine::restore(compat_text(folder / "agent.rein"));
  ASSERT_TRUE(engine) << engine.error();
  EXPECT_EQ(fmt::format("{:016x}", engine.value().state_hash()), agent.text("hash", ""));
  const Json::List& open = list_of(agent.get("open"), "open");
  ASSERT_EQ(engine.value().open().size(), open.size());
  for (std::size_t i = 0; i < open.size(); ++i) {
    EXPECT_EQ(std::to_string(engine.value().open()[i].id), text_of(open[i], "open"));
  }
  const Scope scope{"user", "acme"};
  const auto budgets = engine.value().budgets({&scope, 1}).value();
  for (const BudgetState& budget : budgets) {
    EXPECT_EQ(budget.spent, Fields(agent.get("spent")).whole(budget.name, -1));
    EXPECT_EQ(budget.held, Fields(agent.get("held")).whole(budget.name, -1));
  }
  const std::vector<Cell> row = {Cell::of(40.0), Cell::of("FR")};
  LookScratch scratch;
  const Engine::Decision next =
      engine.value()
          .look({.actions = 2}, scratch, {.row = row, .scopes = {&scope, 1}})
          .value();
  EXPECT_EQ(engine.value().action_name(next.action), agent.text("next", ""));
  const Json::List& probabilities = list_of(agent.get("probabilities"), "probabilities");
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    EXPECT_EQ(next.probabilities[i], number_of(probabilities[i], "probabilities"));
  }
}

std::vector<std::string> compat_versions() {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(fs::path(source_dir()) / "tests/compat")) {
    if (fs::exists(entry.path() / "models")) found.push_back(entry.path().filename().string());
  }
  std::ranges::sort(found);
  return found;
}

INSTANTIATE_TEST_SUITE_P(Versions, Compat, testing::ValuesIn(compat_versions()),
                         [](const auto& given) {
                           std::string name = given.param;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

// 0.1.0_vaw: of the commit before the default oracle of ccb became auto. Nothing in its journals says what
// ccb meant; the saved state of the policy does.
TEST(CompatFiles, AJournalWithoutAMeaningHasTheOneThatFits) {
  for (const auto& [version, meaning, oracle] :
       {std::tuple("0.1.0_vaw", 0, "oracle=vaw("), std::tuple("0.1.0", 1, "oracle=auto(")}) {
    const CompatModel model(version, "money");
    const PolicyOrigin origin = model.open()->engine().policy_origin();
    EXPECT_EQ(origin.asked, "ccb");
    EXPECT_EQ(origin.meaning, meaning);
    EXPECT_NE(origin.resolved.find(oracle), std::string::npos) << origin.resolved;
  }
}

TEST(CompatFiles, EveryVersionFromTheFirstIsThere) {
  const std::vector<std::string> found = compat_versions();
  EXPECT_TRUE(std::ranges::find(found, "0.1.0") != found.end());
}

}  // namespace
}  // namespace rein::serve
