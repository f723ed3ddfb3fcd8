// Whatever happens to one file of a data folder, a start gives the whole state, or the model has stopped
// for a reason that names it. `rein recover` then gives a state that the model had, and no other.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "journal/damage_cases.h"
#include "serve/service_folder.h"
#include "tools/recover.h"

namespace rein::serve {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kDamagePath = "/v1/models/m";
constexpr const char* kDamageDocument =
    R"({"actions":["small","large"],"context":1,"costs":{"dollars":[0,1]},"reward":[0,1],"seed":3,
        "budgets":[{"name":"day","cost":"dollars","amount":500,"per":"day"}]})";

class ServiceDamageTest : public testing::Test {
 protected:
  // Three lives of a service; in the last one it is killed. States are known after each request.
  void live(int requests) {
    for (int life = 0; life < 3; ++life) {
      {
        ServiceOnDisk service(data_);
        service.recovered().check();
        if (life == 0) {
          ASSERT_EQ(service.ask("PUT", kDamagePath, kDamageDocument).status, 201);
        }
        for (int i = 0; i < requests; ++i) exchange(service, life * requests + i);
        now_ = files_in(data_);
        hash_ = service.hash("m");
        if (life < 2) earlier_.push_back(now_);
      }
      if (life < 2) earlier_.push_back(files_in(data_));
    }
  }
  void exchange(ServiceOnDisk& service, int number) {
    states_.insert(service.hash("m"));
    const std::string body = request(number);
    const HttpResponse decided = service.ask("POST", decide_, body);
    ASSERT_EQ(decided.status, 200) << decided.body;
    expected_.push_back(decided.body);
    states_.insert(service.hash("m"));
    ASSERT_EQ(service.ask("POST", outcome_, outcome_of(decided.body)).status, 200);
    states_.insert(service.hash("m"));
  }
  static std::string request(int number) {
    return fmt::format(R"({{"context":[0.{}],"request_id":"r{}"}})", number % 10, number);
  }

  // `complete`: whether an accepted start must have everything; otherwise a state that there was.
  void expect_no_silent_loss(const Files& files, bool complete) {
    put_files(data_, files);
    {
      ServiceOnDisk service(data_);
      ASSERT_TRUE(service.recovered().ok()) << service.recovered().error();
      const std::string why = service.stopped("m");
      if (why.empty()) return expect_state(service, complete);
      ++refused_;
      ASSERT_THAT(why, HasSubstr("`rein recover " + data_ + "/m`"));
      ASSERT_EQ(service.ask("POST", decide_, R"({"context":[0.5]})").status, 503);
      ASSERT_EQ(service.ask("PUT", kDamagePath, kDamageDocument).status, 503);
    }
    if (refused_ % 5 == 0) expect_recovery();
  }
  void expect_state(ServiceOnDisk& service, bool complete) {
    ++accepted_;
    const std::uint64_t hash = service.hash("m");
    if (!complete) {
      ASSERT_TRUE(hash == 0 || hash == hash_ || states_.contains(hash));
      return;
    }
    ASSERT_EQ(hash, hash_);
    const auto number = static_cast<int>(accepted_ * 7 % static_cast<int>(expected_.size()));
    const HttpResponse again = service.ask("POST", decide_, request(number));
    if (again.status == 503) {
      ASSERT_THAT(again.body, HasSubstr(R"("code":"journal")"));
    } else {
      ASSERT_EQ(again.body, expected_[static_cast<std::size_t>(number)]);
    }
  }
  // Accepts the loss: the model then has one of its states and is served.
  void expect_recovery() {
    const ModelFolder folder{"m", data_ + "/m"};
    if (!std::filesystem::is_directory(folder.path)) return;
    const auto remains = remains_of(folder);
    ASSERT_TRUE(remains.ok()) << remains.error();
    ASSERT_FALSE(remains.value().damage.empty());
    const auto accepted = accept_loss(folder, remains.value());
    ASSERT_EQ(accepted.ok(), remains.value().usable) << (accepted.ok() ? "" : accepted.error());
    if (!accepted) return;
    ++recovered_;
    const std::uint64_t kept = kept_hash(folder, remains.value());
    ASSERT_TRUE(kept == hash_ || states_.contains(kept));
    ServiceOnDisk service(data_);
    ASSERT_EQ(service.stopped("m"), "");
    expect_others(service);
  }
  // Of the state that was kept, before the entry that leaves ids out.
  static std::uint64_t kept_hash(const ModelFolder& folder, const Remains& remains) {
    std::optional<Snapshot> snapshot;
    if (remains.snapshot > 0) snapshot = SnapshotFiles(folder.path).read(remains.snapshot).value();
    const FoldRange range{.from = snapshot ? &*snapshot : nullptr, .to = remains.end};
    return fold_journal(*open_journal_of(folder).value(), range).value().hash();
  }
  // New decisions have ids that no decision had, and outcomes of lost ones are refused.
  void expect_others(ServiceOnDisk& service) {
    for (int i = 0; i < 40; ++i) {
      const HttpResponse made = service.ask("POST", decide_, R"({"context":[0.5]})");
      ASSERT_EQ(made.status, 200) << made.body;
      for (const std::string& before : expected_) ASSERT_NE(id_in(made.body), id_in(before));
    }
    const HttpResponse last = service.ask("POST", outcome_, outcome_of(expected_.back()));
    const bool lost = last.status == 404 && last.body.find("it was lost") != std::string::npos;
    ASSERT_TRUE(lost || last.status == 200) << last.body;  // or only its outcome was, or nothing
  }
  static std::string id_in(const std::string& answer) {
    return answer.substr(answer.find("\"id\":\"") + 6, 16);
  }
  static std::string outcome_of(const std::string& answer) {
    return fmt::format(R"({{"id":"{}","reward":1,"costs":0.25}})", id_in(answer));
  }

  Folder folder_{"service_damage", true};
  std::string data_ = folder_.at("data");
  std::string decide_ = std::string(kDamagePath) + "/decide";
  std::string outcome_ = std::string(kDamagePath) + "/outcome";
  Files now_;
  std::vector<Files> earlier_;
  std::uint64_t hash_ = 0;
  std::set<std::uint64_t> states_;
  std::vector<std::string> expected_;  // answers, by number of the request
  std::int64_t refused_ = 0, accepted_ = 0, recovered_ = 0;
};

TEST_F(ServiceDamageTest, NoDamageToOneFileLosesAnythingInSilence) {
  testing::internal::CaptureStderr();  // thousands of log lines
  live(12);
  std::size_t bytes = 0;
  for (const auto& [name, content] : now_) bytes += content.size();
  for_each_damage(now_, bytes / (every_damage() ? 5000 : 100),
                  [&](const std::string& what, const Files& files) {
                    if (HasFailure()) return;
                    SCOPED_TRACE(what);
                    expect_no_silent_loss(files, true);
                  });
  testing::internal::GetCapturedStderr();
  EXPECT_GT(refused_, 20);
  EXPECT_GT(accepted_, 20);
  EXPECT_GT(recovered_, 2);
  RecordProperty("refused", static_cast<int>(refused_));
  RecordProperty("accepted", static_cast<int>(accepted_));
}

TEST_F(ServiceDamageTest, NoOldCopyLosesAnythingInSilence) {
  testing::internal::CaptureStderr();
  live(12);
  for_each_old_copy(now_, earlier_, [&](const std::string& what, const Files& files,
                                        const std::vector<std::string>& old) {
    if (HasFailure()) return;
    SCOPED_TRACE(what);
    // An old end mark beside another old file may look like a folder of that time.
    const bool marked = std::ranges::find(old, "m/journal-end") == old.end() || old[0] == old[1];
    expect_no_silent_loss(files, marked);
  });
  testing::internal::GetCapturedStderr();
  EXPECT_GT(refused_, 10);
  EXPECT_GT(accepted_, 10);
}

TEST_F(ServiceDamageTest, RecoverNamesWhatIsLostAndKeepsTheFiles) {
  live(12);
  const ModelFolder folder{"m", data_ + "/m"};
  put_files(data_, now_);
  EXPECT_TRUE(remains_of(folder).value().damage.empty());
  const std::int64_t end = remains_of(folder).value().end;
  Files damaged = now_;
  damaged["m/journal-wal"].resize(damaged["m/journal-wal"].size() / 2);
  put_files(data_, damaged);
  const Remains remains = remains_of(folder).value();
  ASSERT_EQ(remains.damage.size(), 1U);
  EXPECT_THAT(remains.damage[0],
              HasSubstr(fmt::format("its end mark says that entry {} was committed: entries {} to "
                                    "{} are lost",
                                    end, remains.end + 1, end)));
  EXPECT_EQ(files_in(data_), damaged);  // looking changes nothing
  const std::string kept = accept_loss(folder, remains).value();
  EXPECT_EQ(kept, folder.path + "/damaged-1");
  for (const char* name : {"journal", "journal-wal", "journal-end"}) {
    EXPECT_EQ(bytes_in(kept + "/" + name), damaged["m/" + std::string(name)]) << name;
  }
  EXPECT_TRUE(remains_of(folder).value().damage.empty());
  EXPECT_EQ(remains_of(folder).value().end, remains.end + 1) << "one entry leaves ids out";
}

// The log of commits was removed, and the journal without it was not yet replaced.
TEST_F(ServiceDamageTest, ARecoverThatWasCutOffIsFinishedWithTheSameEntries) {
  live(12);
  const ModelFolder folder{"m", data_ + "/m"};
  Files damaged = now_;
  damaged["m/journal-wal"].resize(damaged["m/journal-wal"].size() * 2 / 3);
  put_files(data_, damaged);
  const Remains remains = remains_of(folder).value();
  accept_loss(folder, remains).value();
  const Files recovered = files_in(data_);
  Files cut_off = damaged;
  cut_off.erase("m/journal-wal");
  cut_off["m/journal-new"] = recovered.at("m/journal");
  cut_off["m/journal-new-end"] = recovered.at("m/journal-end");
  put_files(data_, cut_off);
  const Remains again = remains_of(folder).value();
  EXPECT_TRUE(again.unfinished);
  EXPECT_THAT(again.damage.back(), HasSubstr("was cut off; it had kept entries 1 to"));
  EXPECT_EQ(again.end, remains.end + 1) << "one entry leaves ids out";
  EXPECT_EQ(files_in(data_).at("m/journal"), cut_off.at("m/journal")) << "looking changes nothing";
  accept_loss(folder, again).value();
  EXPECT_TRUE(remains_of(folder).value().damage.empty());
  EXPECT_TRUE(states_.contains(kept_hash(folder, remains)));
  EXPECT_FALSE(std::filesystem::exists(folder.path + "/journal-new"));
  ServiceOnDisk service(data_);
  ASSERT_EQ(service.stopped("m"), "");
  expect_others(service);
}

// A half made journal is worth nothing where the files that it is made from are still there.
TEST_F(ServiceDamageTest, ARecoverThatWasCutOffBeforeItsJournalWasWholeBeginsAnew) {
  live(12);
  const ModelFolder folder{"m", data_ + "/m"};
  Files damaged = now_;
  damaged["m/journal-wal"].resize(damaged["m/journal-wal"].size() * 2 / 3);
  damaged["m/journal-new"] = earlier_[0].at("m/journal");
  damaged["m/journal-new-end"] = earlier_[0].at("m/journal-end");
  put_files(data_, damaged);
  const Remains remains = remains_of(folder).value();
  EXPECT_FALSE(remains.unfinished);
  accept_loss(folder, remains).value();
  EXPECT_EQ(remains_of(folder).value().end, remains.end + 1);
}

TEST_F(ServiceDamageTest, AJournalOfANewerProgramIsNoDamage) {
  live(12);
  Files newer = now_;
  std::string& journal = newer["m/journal"];
  journal[63] = 99;  // the lowest byte of user_version in the header of an SQLite file
  newer.erase("m/journal-wal");
  put_files(data_, newer);
  const auto remains = remains_of({"m", data_ + "/m"});
  ASSERT_FALSE(remains);
  EXPECT_THAT(remains.error(), HasSubstr("has format 99 (a newer program wrote it)"));
  ServiceOnDisk service(data_);
  EXPECT_THAT(service.stopped("m"), HasSubstr("has format 99"));
  EXPECT_THAT(service.stopped("m"), Not(HasSubstr("rein recover")));
}

// An old copy of the whole folder is sound, and its next decisions would have ids that others had.
TEST_F(ServiceDamageTest, AnOldCopyOfTheFolderGivesNewIds) {
  live(12);
  put_files(data_, earlier_[0]);
  const ModelFolder folder{"m", data_ + "/m"};
  ASSERT_TRUE(remains_of(folder).value().damage.empty());
  const std::int64_t end = give_new_ids(folder).value();
  EXPECT_EQ(end, remains_of(folder).value().end);
  ServiceOnDisk service(data_);
  ASSERT_EQ(service.stopped("m"), "");
  expect_others(service);
}

// The journal is gone, and a snapshot has its chain value: a new journal begins there.
TEST_F(ServiceDamageTest, RecoverGoesOnFromASnapshotWithoutTheJournal) {
  live(12);
  Files damaged = now_;
  damaged.erase("m/journal");
  damaged.erase("m/journal-wal");
  put_files(data_, damaged);
  const ModelFolder folder{"m", data_ + "/m"};
  const Remains remains = remains_of(folder).value();
  EXPECT_FALSE(remains.has_journal);
  ASSERT_TRUE(remains.usable);
  EXPECT_GT(remains.snapshot, 0);
  EXPECT_EQ(remains.end, remains.snapshot);
  const std::string kept = accept_loss(folder, remains).value();
  EXPECT_TRUE(states_.contains(kept_hash(folder, remains)));
  // The entries after the older snapshot are gone, so it leads nowhere.
  EXPECT_EQ(SnapshotFiles(folder.path).positions().value(), std::vector{remains.snapshot});
  EXPECT_EQ(SnapshotFiles(kept).positions().value().size(), 1U);
  ServiceOnDisk service(data_);
  ASSERT_EQ(service.stopped("m"), "");
  // Requests from before are known, and what they did was lost with the journal.
  EXPECT_EQ(service.ask("POST", decide_, request(1)).status, 503);
  EXPECT_EQ(service.ask("POST", decide_, request(1000)).status, 200);
}

}  // namespace
}  // namespace rein::serve
