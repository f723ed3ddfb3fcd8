// Reading a journal without its service: folds, checks of snapshots, and rows of an export.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "journal/folder_model.h"
#include "journal/sqlite_journal.h"
#include "serve/model_life.h"
#include "tools/export.h"
#include "tools/journal_check.h"

namespace rein::serve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kOfflineDocument =
    R"({"policy":"squarecb","actions":["small","large"],"context":1,"costs":{"dollars":[0,1]},
        "reward":[0,1],"expire_after":10,"remember":2,"seed":3})";

class OfflineTest : public testing::Test {
 protected:
  void make(std::unique_ptr<Journal> journal, const std::string& snapshots = "") {
    model_ = Model::create("m", kOfflineDocument, std::move(journal),
                           {.folder = snapshots, .wall = [this] { return wall_; }})
                 .value();
  }
  HttpResponse ask(const std::string& verb, const std::string& body) {
    model_->begin();
    HttpResponse answer = model_->call(post(verb, body));
    model_->commit().check();
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer;
  }
  std::string decide() { return text_in(ask("decide", R"({"context":[0.5]})"), "id"); }
  void outcome(const std::string& id, const std::string& parts) {
    ask("outcome", fmt::format(R"({{"id":"{}",{}}})", id, parts));
  }
  // "id state reward cost", in the order of the export. Ids as the test names them.
  std::vector<std::string> rows(const std::map<std::string, std::string>& names) {
    std::string text;
    const auto exported = export_journal(*journal_, ExportFormat::kJsonl, [&](std::string_view part) {
      text += part;
      return Result<>();
    });
    EXPECT_TRUE(exported.ok()) << exported.error();
    std::vector<std::string> found;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
      const Json row = read_json(text.substr(at, text.find('\n', at) - at));
      Fields fields(row);
      Fields costs(fields.get("costs"));
      const auto shown = [](double number) {
        return std::isnan(number) ? std::string("-") : fmt::format("{}", number);
      };
      found.push_back(fmt::format("{} {} {} {}", names.at(fields.text("id", "")),
                                  fields.text("state", ""), shown(fields.number("reward", NAN)),
                                  shown(costs.number("dollars", NAN))));
    }
    EXPECT_EQ(static_cast<std::int64_t>(found.size()), exported.value().rows);
    return found;
  }

  std::int64_t wall_ = 1'000'000;
  std::shared_ptr<Journal> journal_ = make_memory_journal();
  std::unique_ptr<Model> model_;
};

TEST_F(OfflineTest, RowsComeWhenTheyAreComplete) {
  make(std::make_unique<LentJournal>(journal_));
  const std::string a = decide(), b = decide(), c = decide(), d = decide();
  outcome(c, R"("reward":1)");
  outcome(b, R"("reward":0,"costs":0.25)");
  outcome(c, R"("costs":0.5)");
  outcome(c, R"("costs":0.5)");
  ask("cancel", fmt::format(R"({{"id":"{}"}})", d));
  outcome(a, R"("costs":0.125)");
  EXPECT_THAT(
      rows({{a, "a"}, {b, "b"}, {c, "c"}, {d, "d"}}),
      ElementsAre("b settled 0 0.25", "c settled 1 0.5", "d cancelled - -", "a open - 0.125"));
}

TEST_F(OfflineTest, LateBillsAreOnTheRowsOfExpiredDecisions) {
  make(std::make_unique<LentJournal>(journal_));
  const std::string a = decide(), b = decide();
  wall_ += 11;
  const std::string c = decide();
  outcome(b, R"("costs":0.25)");  // late
  outcome(c, R"("reward":1,"costs":0)");
  EXPECT_THAT(rows({{a, "a"}, {b, "b"}, {c, "c"}}),
              ElementsAre("b expired - 0.25", "c settled 1 0", "a expired - -"));
}

TEST_F(OfflineTest, NoMoreExpiredRowsWaitThanAreRemembered) {
  make(std::make_unique<LentJournal>(journal_));
  std::map<std::string, std::string> names;
  for (int i = 0; i < 5; ++i) names[decide()] = fmt::format("{}", i);
  wall_ += 11;
  const std::string last = decide();
  names[last] = "last";
  outcome(last, R"("reward":1,"costs":0)");
  // Two are remembered: the other three are written before what came later.
  EXPECT_THAT(rows(names), ElementsAre("0 expired - -", "1 expired - -", "2 expired - -",
                                       "last settled 1 0", "3 expired - -", "4 expired - -"));
}

TEST_F(OfflineTest, AHashThatDisagreesStopsTheReplayAndNamesTheEntry) {
  make(std::make_unique<LentJournal>(journal_));
  outcome(decide(), R"("reward":1,"costs":0.5)");
  model_->make_snapshot().check();  // a hash that agrees
  const auto sound = replay(*journal_, {});
  ASSERT_TRUE(sound.ok()) << sound.error();
  EXPECT_EQ(sound.value().hashes, 1);
  EXPECT_EQ(sound.value().hash, model_->state().hash());
  Event wrong{.kind = Event::Kind::kHash, .id = model_->state().hash() ^ 1U};
  std::string bytes;
  encode(wrong, bytes);
  const std::string_view entry = bytes;
  journal_->append({&entry, 1}).check();
  const auto found = replay(*journal_, {});
  EXPECT_EQ(found.reason(), Reason::kSequence);
  EXPECT_THAT(found.error(), HasSubstr(fmt::format("journal entry {}: ", journal_->last())));
  // Up to the entry before it, all is well.
  EXPECT_TRUE(replay(*journal_, {.to = journal_->last() - 1}).ok());
}

TEST_F(OfflineTest, ASnapshotOfAnotherStateIsFound) {
  const Folder folder("offline");
  make(open_sqlite_journal(folder.at("journal")).value(), folder.path());
  outcome(decide(), R"("reward":1,"costs":0.5)");
  const Snapshot snapshot = model_->make_snapshot().value();
  const SnapshotFiles files(folder.path());
  files.write(snapshot.position, snapshot.bytes, snapshot.chain).check();
  outcome(decide(), R"("reward":0,"costs":0.25)");
  const std::uint64_t hash = model_->state().hash();
  const std::string later = model_->state().save();
  model_.reset();
  const ModelFolder model{"m", folder.path()};
  auto check = check_journal(model);
  ASSERT_TRUE(check.ok()) << check.error();
  EXPECT_THAT(check.value().damage, ElementsAre());
  EXPECT_THAT(check.value().snapshots, ElementsAre(snapshot.position));
  EXPECT_EQ(check.value().hash, hash);
  files.write(snapshot.position + 1, later, {}).check();  // a later state under an earlier position
  check = check_journal(model);
  ASSERT_TRUE(check.ok()) << check.error();
  ASSERT_EQ(check.value().damage.size(), 1U);
  EXPECT_THAT(check.value().damage[0],
              HasSubstr(fmt::format("snapshot at entry {}: its state has", snapshot.position + 1)));
  files.write(1000, later, {}).check();  // newer than the journal
  check = check_journal(model);
  ASSERT_TRUE(check.ok()) << check.error();
  EXPECT_THAT(check.value().damage, testing::Contains(HasSubstr("entries were lost")));
}

TEST_F(OfflineTest, FoldersAreFoundByTheirJournal) {
  const Folder folder("offline_folders");
  EXPECT_EQ(model_folders(folder.path()).reason(), Reason::kInvalid);
  for (const char* name : {"b", "a"}) {
    std::filesystem::create_directory(folder.at(name));
    put_bytes(folder.at(name) + "/journal", "x");
  }
  const auto both = model_folders(folder.path()).value();
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0].name, "a");
  EXPECT_EQ(model_folder(folder.at("b") + "/").value().name, "b");
  EXPECT_THAT(model_folder(folder.path()).error(), HasSubstr("one of a, b"));
}

}  // namespace
}  // namespace rein::serve
