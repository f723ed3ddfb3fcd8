// rein migrate: another policy learns the journal again; ids, money and open decisions stay.
#include "tools/migrate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "../engine/unknown_policy.h"
#include "serve/compat_model.h"
#include "serve/model_life.h"
#include "tools/export.h"
#include "tools/renew.h"

namespace rein::serve {
namespace {

using testing::HasSubstr;

// An empty data folder for the new model.
class NewData {
 public:
  NewData() {
    static int count = 0;
    path_ = fs::temp_directory_path() / fmt::format("rein_migrate_{}_{}", ::getpid(), ++count);
    fs::create_directories(path_);
  }
  ~NewData() { fs::remove_all(path_); }
  NewData(const NewData&) = delete;
  NewData& operator=(const NewData&) = delete;

  std::string folder() const { return (path_ / "now").string(); }
  Result<Migrated> from(const ModelFolder& old, const std::string& policy) const {
    return migrate(old, trained_place(folder()).value(), policy);
  }
  std::unique_ptr<Model> open(std::int64_t at) const {
    return Model::open("now", open_sqlite_journal(folder() + "/journal", {.create = false}).value(),
                       {.folder = folder(), .wall = [at] { return at; }})
        .value();
  }

 private:
  fs::path path_;
};

std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("journal") && !name.ends_with("-shm") && !name.ends_with("-lock")) {
      files[name] = compat_text(entry.path());
    }
  }
  return files;
}

// Spent and held; newer rules may put limits right.
void expect_same_money(const Engine& old, const Engine& now) {
  for (const std::vector<Scope>& scopes :
       {std::vector<Scope>{}, std::vector<Scope>{{"tenant", "acme"}}, {{"tenant", "bolt"}}}) {
    const auto was = old.budgets(scopes), is = now.budgets(scopes);
    ASSERT_EQ(was.ok(), is.ok());
    if (!was) continue;  // the model has no tenants
    ASSERT_EQ(was.value().size(), is.value().size());
    for (std::size_t i = 0; i < was.value().size(); ++i) {
      SCOPED_TRACE(was.value()[i].name);
      EXPECT_EQ(was.value()[i].spent, is.value()[i].spent);
      EXPECT_EQ(was.value()[i].held, is.value()[i].held);
    }
  }
}

TEST(Migrate, MoneyIdsAndOpenDecisionsStayToTheMicroUnit) {
  const CompatModel old("0.1.0", "money");
  const auto before = contents(old.path());
  const auto was = fold_journal(*old.journal(), {}).value();
  const NewData data;
  const auto done = data.from(old.folder(), "ccb(oracle=vaw(memory=auto))");
  ASSERT_TRUE(done) << done.error();
  EXPECT_EQ(contents(old.path()), before) << "the old journal stays as it was";
  EXPECT_GT(done.value().learned, 50);
  const auto now = data.open(old.figure("last_at"));
  EXPECT_EQ(now->engine().policy_origin().asked, "ccb(oracle=vaw(memory=auto))");
  EXPECT_EQ(now->engine().policy_state().warm, done.value().learned);
  EXPECT_EQ(now->state().hash(), done.value().hash);
  expect_same_money(was.engine, now->engine());

  const auto open = was.engine.open(), still = now->engine().open();
  ASSERT_EQ(open.size(), still.size());
  for (std::size_t i = 0; i < open.size(); ++i) {
    EXPECT_EQ(open[i].id, still[i].id);
    const DecideRecord& then = *was.engine.open_record(open[i].id).value();
    const DecideRecord& here = *now->engine().open_record(open[i].id).value();
    EXPECT_EQ(then.decision.probability, here.decision.probability);
    EXPECT_EQ(then.decision.action, here.decision.action);
  }
  EXPECT_THAT(now->state().document, HasSubstr(R"x("policy":"ccb(oracle=vaw(memory=auto))")x"));
}

// A journal that was migrated, renewed or trained begins with a state that nobody can learn again.
TEST(Migrate, SaysHowManyRoundsOfBeforeTheJournalAreForgotten) {
  const CompatModel old("0.1.0", "money");
  const NewData data, again, renewed, last;
  const Migrated first = data.from(old.folder(), "ccb(oracle=vaw)").value();
  EXPECT_EQ(first.before, 0);
  const Migrated second = again.from({"now", data.folder()}, "ccb").value();
  EXPECT_LT(second.learned, first.learned);  // of decisions that were open then
  EXPECT_GE(second.before, first.learned);
  renew({"now", data.folder()}, trained_place(renewed.folder()).value()).value();
  EXPECT_EQ(last.from({"now", renewed.folder()}, "ccb").value().before, second.before);
}

TEST(Migrate, BillsOfOpenDecisionsStillCount) {
  const CompatModel old("0.1.0", "money");
  const NewData data;
  data.from(old.folder(), "ccb(oracle=vaw(memory=auto))").value();
  auto now = data.open(old.figure("last_at"));
  now->begin();
  std::string id;
  for (const OpenDecision& each : now->engine().open()) {
    if (is_missing(each.came.costs[0])) id = fmt::format("{:016x}", each.id);
  }
  ASSERT_FALSE(id.empty());
  const auto spent = [&] { return now->engine().state().budgets[0].spent; };
  const std::int64_t before = spent();
  const std::string bill = fmt::format(R"({{"id":"{}","costs":{{"dollars":0.073501}}}})", id);
  const HttpResponse answer = now->call(post("outcome", bill));
  EXPECT_EQ(text_in(answer, "result"), "applied") << answer.body;
  EXPECT_EQ(spent(), before + 73'501);
  EXPECT_EQ(text_in(now->call(post("outcome", bill)), "result"), "duplicate");
  now->commit().check();
  const std::uint64_t hash = now->state().hash();
  now.reset();  // it has the journal open
  EXPECT_EQ(hash_of_fold(*open_journal_of({"now", data.folder()}).value()), hash);
}

// Of what the old model settled, the new one knows the outcomes: the same again is a duplicate, and bills
// of expired decisions are booked.
TEST(Migrate, SettledAndExpiredDecisionsAreRemembered) {
  const CompatModel old("0.1.0", "late");
  std::string settled, waits;
  const auto note = [&](const ExportRow& row, const ModelState&) -> Result<> {
    const std::string id = fmt::format("{:016x}", row.decided.id);
    if (row.state == ExportRow::State::kSettled) {
      settled = fmt::format(R"({{"id":"{}","reward":{}}})", id, row.came.reward);
    }
    if (row.state == ExportRow::State::kExpired && is_missing(row.came.costs[0])) {
      waits = fmt::format(R"({{"id":"{}","costs":[0.125]}})", id);
    }
    return {};
  };
  read_rows(*old.journal(), false, note).value();
  const NewData data;
  data.from(old.folder(), "ccb(oracle=vaw)").value();
  const auto now = data.open(old.figure("last_at"));
  now->begin();
  EXPECT_EQ(text_in(now->call(post("outcome", settled)), "result"), "duplicate");
  const std::int64_t before = now->engine().state().budgets[0].spent;
  EXPECT_EQ(text_in(now->call(post("outcome", waits)), "result"), "late") << waits;
  // The largest cost of the action was booked at expiry; the bill replaces it.
  EXPECT_LT(now->engine().state().budgets[0].spent, before);
}

// The journal of a model whose first entry was made by a program with another oracle.
class UnknownModel {
 public:
  explicit UnknownModel(const std::function<std::string(const Engine&)>& forge) {
    fs::create_directories(data_.folder());
    auto kept = make_memory_journal();
    std::shared_ptr<Journal> shared = std::move(kept);
    const std::string document =
        R"x({"actions":["a","b"],"context":1,"costs":{"dollars":[0,1]},"policy":"ccb(oracle=ons)",
            "reward":[0,1],"seed":3,"largest_costs":{"a":1,"b":1},
            "budgets":[{"name":"day","cost":"dollars","amount":20,"per":"day","hard":true}]})x";
    const ModelOptions options{.wall = [] { return std::int64_t{1'800'000'000}; }};
    auto model =
        Model::create("m", document, std::make_unique<LentJournal>(shared), options).value();
    model->begin();
    for (int n = 0; n < 12; ++n) {
      const std::string id = text_in(model->call(post("decide", R"({"context":[0.5]})")), "id");
      if (n < 8) {
        model->call(post("outcome", fmt::format(R"({{"id":"{}","reward":1,"costs":[0.25]}})", id)));
      }
      last_ = id;
    }
    model->commit().check();
    model->make_snapshot().value();
    engine_spent = model->engine().state().budgets[0].spent;
    auto file = open_sqlite_journal(data_.folder() + "/journal").value();
    auto copied = shared->read(1, [&](std::int64_t number, std::string_view bytes) -> Result<bool> {
      Event event = decode_event(bytes).value();
      if (number == 1) event.record = forge(Engine::restore(event.record).value());
      std::string entry;
      encode(event, entry);
      const std::string_view view = entry;
      file->append({&view, 1}).check();
      return true;
    });
    copied.check();
  }
  ModelFolder folder() const { return {"now", data_.folder()}; }
  const std::string& last_id() const { return last_; }
  std::int64_t engine_spent = 0;

 private:
  NewData data_;
  std::string last_;
};

void expect_read_and_migrated(const UnknownModel& old, const char* said) {
  const auto journal = open_journal_of(old.folder()).value();
  const auto refused = fold_journal(*journal, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.reason(), Reason::kMeaning) << refused.error();
  EXPECT_THAT(refused.error(), HasSubstr(said));
  std::string text;
  const auto exported = export_journal(*journal, ExportFormat::kJsonl, [&](std::string_view part) {
    text += part;
    return Result<>();
  });
  ASSERT_TRUE(exported) << exported.error();
  EXPECT_EQ(exported.value().rows, 12);
  EXPECT_THAT(exported.value().unknown_policy, HasSubstr(said));
  EXPECT_THAT(text, HasSubstr(old.last_id()));

  const NewData data;
  const auto done = data.from(old.folder(), "ccb");
  ASSERT_TRUE(done) << done.error();
  EXPECT_EQ(done.value().learned, 8);
  EXPECT_EQ(done.value().open, 4);
  const auto now = data.open(1'800'000'001);
  EXPECT_EQ(now->engine().state().budgets[0].spent, old.engine_spent);
  now->begin();
  const HttpResponse answer = now->call(
      post("outcome", fmt::format(R"({{"id":"{}","reward":1,"costs":[0.5]}})", old.last_id())));
  EXPECT_EQ(text_in(answer, "result"), "applied") << answer.body;
  EXPECT_EQ(now->engine().state().budgets[0].spent, old.engine_spent + 500'000);
}

TEST(Migrate, WorksWhereTheOracleIsUnknown) {
  const UnknownModel old([](const Engine& e) { return with_unknown_oracle(e, "ons", "onz"); });
  // REIN_UNKNOWN_POLICY=tests/compat/unknown_policy makes that folder again.
  if (const char* to = std::getenv("REIN_UNKNOWN_POLICY"); to != nullptr) {
    for (const char* name : {"journal", "journal-end"}) {
      fs::copy_file(fs::path(old.folder().path) / name, fs::path(to) / name,
                    fs::copy_options::overwrite_existing);
    }
  }
  expect_read_and_migrated(old, "unknown name \"onz\"");
}

TEST(Migrate, WorksWhereTheMeaningIsUnknown) {
  const UnknownModel old([](const Engine& e) { return with_meaning(e, 99); });
  expect_read_and_migrated(old, "found meaning 99");
}

TEST(Migrate, APolicyThatCannotTakeOverLeavesNothingBehind) {
  const CompatModel old("0.1.0", "money");
  const NewData data;
  const auto refused = data.from(old.folder(), "squarecb");
  ASSERT_FALSE(refused);
  EXPECT_FALSE(fs::exists(data.folder()));
  const CompatModel plain("0.1.0", "plain");  // without budgets that must be followed
  const auto unknown = data.from(plain.folder(), "cbc");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error(), HasSubstr("accepted: ccb, squarecb"));
  EXPECT_FALSE(fs::exists(data.folder()));
}

}  // namespace
}  // namespace rein::serve
