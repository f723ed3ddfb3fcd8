// The beginning of a journal, and a journal that begins with the state of another.
#include "tools/renew.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "journal/folder_model.h"
#include "journal/sqlite_journal.h"
#include "serve/first_entries.h"
#include "serve/model_life.h"

namespace rein::serve {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kNow = 1'800'000'000;

std::unique_ptr<Model> made_in(std::unique_ptr<Journal> journal, const std::string& document) {
  return Model::create("m", document, std::move(journal), {.folder = "", .wall = [] { return kNow; }})
      .value();
}
HttpResponse ask_of(Model& model, const std::string& verb, const std::string& body) {
  model.begin();
  HttpResponse answer = model.call(post(verb, body));
  model.commit().check();
  return answer;
}
std::string small_document() { return R"({"policy":"uniform","actions":3,"reward":[0,1],"seed":3})"; }

TEST(FirstEntries, ALongStateIsCutAndPutTogetherAgain) {
  const std::shared_ptr<Journal> whole = make_memory_journal();
  auto model = made_in(std::make_unique<LentJournal>(whole), small_document());
  const Event first = read_first(*whole).value().created;
  const std::vector<std::string> entries = first_entries(first, 100);
  EXPECT_EQ(entries.size(), (first.record.size() + 99) / 100);
  const std::shared_ptr<Journal> cut = make_memory_journal();
  for (const std::string& entry : entries) {
    EXPECT_EQ(read_first(*cut).reason(), Reason::kCorrupt) << "not all of it is there";
    const std::string_view view = entry;
    cut->append({&view, 1}).check();
  }
  const FirstEvent again = read_first(*cut).value();
  EXPECT_EQ(again.last, static_cast<std::int64_t>(entries.size()));
  EXPECT_EQ(again.created.record, first.record);
  EXPECT_EQ(again.created.text, first.text);
  auto opened =
      Model::open("m", std::make_unique<LentJournal>(cut), {.folder = "", .wall = [] { return kNow; }})
          .value();
  EXPECT_EQ(opened->state().hash(), model->state().hash());
  EXPECT_EQ(ask_of(*opened, "decide", "{}").status, 200);
  EXPECT_EQ(hash_of_fold(*cut), opened->state().hash());
}

TEST(FirstEntries, APartElsewhereIsDamage) {
  const std::shared_ptr<Journal> journal = make_memory_journal();
  auto model = made_in(std::make_unique<LentJournal>(journal), small_document());
  std::string bytes;
  encode(Event{.kind = Event::Kind::kPart, .at = kNow}, bytes);
  const std::string_view view = bytes;
  journal->append({&view, 1}).check();
  EXPECT_EQ(fold_journal(*journal, {}).reason(), Reason::kCorrupt);
}

// Rounds of many actions that stay open make a state that no single entry could hold.
TEST(Renew, AStateOfAnySizeGoesOn) {
  const Folder folder("renew_large");
  const std::string old = folder.at("old"), data = folder.at("data");
  fs::create_directory(old);
  constexpr int kRounds = 750;
  std::uint64_t hash = 0;
  std::string id;
  {
    auto model = made_in(open_sqlite_journal(old + "/journal").value(),
                         R"({"policy":"uniform","actions":3000,"reward":[0,1],"seed":3})");
    model->begin();
    for (int n = 0; n < kRounds; ++n) id = text_in(model->call(post("decide", "{}")), "id");
    model->commit().check();
    ASSERT_GT(model->engine().snapshot().size(), static_cast<std::size_t>(kMostEntryBytes));
    hash = model->state().hash();
  }
  const auto done = renew({"old", old}, {data, "m"});
  ASSERT_TRUE(done.ok()) << done.error();
  EXPECT_EQ(done.value().hash, hash);
  auto model = Model::open("m", open_sqlite_journal(data + "/m/journal").value(),
                           {.folder = "", .wall = [] { return kNow; }})
                   .value();
  EXPECT_EQ(model->state().hash(), hash);
  EXPECT_EQ(ask_of(*model, "outcome", R"({"id":")" + id + R"(","reward":1})").status, 200);
}

TEST(Renew, LeavesNothingBehindWhenItFails) {
  const Folder folder("renew_fails");
  const std::string old = folder.at("old"), data = folder.at("data");
  fs::create_directory(old);
  made_in(open_sqlite_journal(old + "/journal").value(), small_document());
  // A folder in the way, with a file of somebody else.
  fs::create_directories(data + "/m");
  std::ofstream(data + "/m/notes") << "mine";
  const auto in_the_way = renew({"old", old}, {data, "m"});
  EXPECT_EQ(in_the_way.reason(), Reason::kFailed);
  EXPECT_THAT(in_the_way.error(), HasSubstr("data/m"));
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(data)) left.push_back(entry.path().filename());
  std::ranges::sort(left);
  EXPECT_THAT(left, ElementsAre("lock", "m"));
  // A damaged journal: not even the data folder is made.
  const std::string other = folder.at("other");
  fs::resize_file(old + "/journal", fs::file_size(old + "/journal") / 2);
  fs::remove(old + "/journal-wal");
  EXPECT_FALSE(renew({"old", old}, {other, "m"}).ok());
  EXPECT_FALSE(fs::exists(other));
  // What a crash left is removed by the next try, and a stub makes way.
  fs::remove_all(old);
  fs::create_directory(old);
  made_in(open_sqlite_journal(old + "/journal").value(), small_document());
  fs::remove(data + "/m/notes");
  fs::create_directory(data + "/.m.new");
  std::ofstream(data + "/.m.new/journal") << "half";
  ASSERT_TRUE(renew({"old", old}, {data, "m"}).ok());
  EXPECT_FALSE(fs::exists(data + "/.m.new"));
  EXPECT_TRUE(fs::exists(data + "/m/journal"));
}

}  // namespace
}  // namespace rein::serve
