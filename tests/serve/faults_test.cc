// A writer whose disk fails at every operation of a workload, once or for good: those of SQLite in a
// disk in memory, those of snapshots by calls of the system that fail. After a failed commit every
// request is answered that the model has stopped. A snapshot that fails stops nothing. Opened again,
// the model has all that was acknowledged, and the hash of its journal.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>

#include "journal/archived_journal.h"
#include "journal/disk_model.h"
#include "journal/folder_model.h"
#include "journal/sqlite_journal.h"
#include "serve/failing_calls_model.h"
#include "serve/model_life.h"
#include "serve/writer.h"

namespace rein::serve {
namespace {

constexpr const char* kFaultsDocument =
    R"({"actions":["small","large"],"context":1,"costs":{"dollars":[0,1]},"reward":[0,1],"seed":3,
        "largest_costs":{"small":0.01,"large":0.1},
        "budgets":[{"name":"burst","cost":"dollars","amount":0.5,"hard":true,"per":"5 ticks"}]})";

// What a caller was told.
struct Told {
  struct Exchange {
    std::string verb, body, answer;
  };
  std::vector<Exchange> all;
  bool stopped = false;                // by a failed commit
  std::int64_t snapshot_failures = 0;
};

class FaultsTest : public testing::Test {
 protected:
  Result<std::unique_ptr<Journal>> journal_on(Disk& disk) {
    return open_sqlite_journal(path_,
                               {.page_bytes = 512, .checkpoint_pages = 24, .vfs = disk.vfs()});
  }
  ModelOptions options() {
    ModelOptions options{.folder = folder_.path(),
                         .snapshot_every = keep_ > 0 ? 6 : 12,
                         .wall = [this] { return wall_++; }};
    options.keep_seconds = keep_;
    return options;
  }
  Result<std::unique_ptr<Model>> model_on(Disk& disk) {
    auto journal = journal_on(disk);
    if (!journal) return journal.failure();
    return journal.value()->last() == 0
               ? Model::create("m", kFaultsDocument, std::move(journal).value(), options())
               : Model::open("m", std::move(journal).value(), options());
  }

  // Asks and waits. After the first failure nothing is acknowledged.
  bool exchange(Writer& writer, const std::string& verb, const std::string& body, Told& told) {
    auto reply = std::make_shared<Waiting>();
    auto answer = reply->answer();
    writer.ask(post(verb, body), std::move(reply));
    const auto found = answer.get();
    EXPECT_TRUE(found) << "a request must get an answer";
    if (!found || found->status == 503) {
      EXPECT_EQ(writer.stopped().has_value(), true);
      EXPECT_TRUE(!found || found->body.find(R"("code":"stopped")") != std::string::npos);
      return false;
    }
    EXPECT_LT(found->status, 500) << found->body;
    if (found->status == 200) told.all.push_back({verb, body, found->body});
    return found->status == 200 || found->status == 429;
  }

  // One life of a service: decisions with a request id, and an outcome in two parts for each.
  bool life(Writer& writer, int number, Told& told) {
    for (int i = 0; i < 8; ++i) {
      const std::string body =
          fmt::format(R"({{"context":[0.{}],"request_id":"{}-{}"}})", i, number, i);
      if (!exchange(writer, "decide", body, told)) return false;
      if (told.all.empty() || told.all.back().body != body) continue;  // refused by the budget
      const std::string id = text_in({.body = told.all.back().answer, .headers = {}}, "id");
      for (const char* part : {R"("reward":1)", R"("costs":0.004)"}) {
        if (!exchange(writer, "outcome", fmt::format(R"({{"id":"{}",{}}})", id, part), told)) {
          return false;
        }
      }
    }
    return true;
  }

  Told work(Disk& disk, bool wait_for_snapshots = false) {
    Told told;
    wall_ = 1'000'000;
    for (int number = 0; number < 2; ++number) {
      auto model = model_on(disk);
      if (!model) return told;
      std::atomic<int> stops = 0;
      bool alive = true;
      {
        Writer writer(std::move(model).value(), {.wait_for_snapshots = wait_for_snapshots,
                                                 .stopped = [&](const std::string&) { ++stops; }});
        alive = life(writer, number, told);
        // After it stopped nothing is acknowledged, whatever is asked.
        for (int i = 0; i < 3 && !alive; ++i) {
          Told late;
          EXPECT_FALSE(exchange(writer, "decide", R"({"context":[0.5]})", late));
          EXPECT_TRUE(late.all.empty());
        }
        writer.read([&](Model& read) { told.snapshot_failures += read.watch().snapshots.failures; });
      }
      EXPECT_LE(stops, 1);
      EXPECT_TRUE(alive || stops == 1);
      told.stopped = stops > 0;
      if (told.stopped) return told;
    }
    return told;
  }

  // The process starts again, and the disk is in order.
  void check_after(Disk& disk, const Told& told) {
    auto opened = model_on(disk);
    ASSERT_TRUE(opened.ok()) << opened.error();
    Model& model = *opened.value();
    for (const Told::Exchange& one : told.all) {
      model.begin();
      const HttpResponse answer = model.call(post(one.verb, one.body));
      ASSERT_EQ(answer.status, 200) << answer.body;
      if (one.verb == "decide") {
        EXPECT_EQ(answer.body, one.answer);
        EXPECT_EQ(answer.headers.size(), 1U);  // Rein-Repeated
      } else {
        EXPECT_EQ(text_in(answer, "result"), "duplicate") << one.body;
      }
      model.commit().check();
    }
    const std::uint64_t hash = model.state().hash();
    opened.value().reset();
    auto journal = journal_on(disk);
    ASSERT_TRUE(journal.ok()) << journal.error();
    const auto whole = with_archive(std::move(journal).value(), folder_.at("archive"));
    ASSERT_TRUE(whole.ok()) << whole.error();
    EXPECT_EQ(whole.value()->first(), 1);  // every entry is in the journal or in its archive
    EXPECT_EQ(hash_of_fold(*whole.value()), hash);
  }

  void clean_folder() {
    for (const std::string& name : folder_.names()) std::filesystem::remove_all(folder_.at(name));
  }

  std::int64_t keep_ = 0;
  Folder folder_{"writer_faults"};
  std::string path_ = folder_.at("journal");
  std::atomic<std::int64_t> wall_ = 0;
};

TEST_F(FaultsTest, EveryOperationOfTheJournalFails) {
  const FailingCalls quick(0, false);
  std::int64_t all = 0;
  {
    Disk disk;
    const Told told = work(disk);
    all = disk.operations();
    EXPECT_GT(told.all.size(), 40U);
    ASSERT_GT(folder_.names().size(), 1U);  // snapshots
    check_after(disk, told);
  }
  ASSERT_GT(all, 300);
  int cases = 0;
  std::size_t fewest = 1000;
  for (const auto fault : {Disk::Fault::kError, Disk::Fault::kFull, Disk::Fault::kShort}) {
    for (const bool for_good : {false, true}) {
      for (std::int64_t nth = 1; nth <= all && !HasFailure(); ++nth, ++cases) {
        SCOPED_TRACE(testing::Message()
                     << "operation " << nth << ", fault " << static_cast<int>(fault)
                     << (for_good ? ", for good" : ""));
        clean_folder();
        Disk disk;
        disk.fail(nth, fault, for_good);
        const Told told = work(disk);
        fewest = std::min(fewest, told.all.size());
        disk.restart();
        check_after(disk, told);
      }
    }
  }
  RecordProperty("cases", cases);
  fmt::print("{} operations, {} cases\n", all, cases);
  EXPECT_EQ(fewest, 0U);  // some faults came before the first answer
}

TEST_F(FaultsTest, PowerIsLostAtOperationsOfTheJournal) {
  const FailingCalls quick(0, false);
  std::int64_t all = 0;
  {
    Disk disk;
    work(disk);
    all = disk.operations();
  }
  for (std::int64_t nth = 1; nth <= all && !HasFailure(); nth += 2) {
    SCOPED_TRACE(testing::Message() << "operation " << nth);
    clean_folder();
    Rng rng(static_cast<std::uint64_t>(nth));
    Disk disk;
    disk.fail(nth, Disk::Fault::kError, true);
    const Told told = work(disk);
    disk.restart_without_power(rng);
    check_after(disk, told);
  }
}

// Entries move to an archive meanwhile. The disk of the journal fails for good at every operation, or
// loses its power: with the archive every entry is there, once.
TEST_F(FaultsTest, NoEntryIsLostWhileEntriesMoveToAnArchive) {
  const FailingCalls quick(0, false);
  keep_ = 5;
  std::int64_t all = 0;
  {
    Disk disk;
    const Told told = work(disk, true);
    all = disk.operations();
    const Archive archive = Archive::open(folder_.at("archive")).value();
    ASSERT_GE(archive.files(), 1);
    disk.restart();
    check_after(disk, told);
  }
  for (std::int64_t nth = 1; nth <= all && !HasFailure(); ++nth) {
    SCOPED_TRACE(testing::Message() << "operation " << nth);
    clean_folder();
    Rng rng(static_cast<std::uint64_t>(nth));
    Disk disk;
    disk.fail(nth, Disk::Fault::kError, true);
    const Told told = work(disk, true);
    if (nth % 2 == 0) {
      disk.restart_without_power(rng);
    } else {
      disk.restart();
    }
    check_after(disk, told);
  }
}

// Files of snapshots and of the archive fail, at every call. The model goes on.
TEST_F(FaultsTest, EveryCallForAnArchiveFails) {
  keep_ = 5;
  std::int64_t all = 0;
  {
    Disk disk;
    const FailingCalls calls(0, false);
    static_cast<void>(work(disk, true));
    all = FailingCalls::made();
  }
  for (const bool for_good : {false, true}) {
    for (std::int64_t nth = 1; nth <= all && !HasFailure(); ++nth) {
      SCOPED_TRACE(testing::Message() << "call " << nth << (for_good ? ", for good" : ", once"));
      clean_folder();
      Disk disk;
      Told told;
      {
        const FailingCalls calls(nth, for_good);
        told = work(disk, true);
      }
      EXPECT_FALSE(told.stopped);
      disk.restart();
      check_after(disk, told);
    }
  }
}

// The process ends between the write of a commit and its sync. The next one answers the same request
// from what the kernel still has, so that must survive a loss of power right after the answer.
TEST_F(FaultsTest, ARepeatedAnswerSurvivesALossOfPower) {
  const FailingCalls quick(0, false);
  const Ask decide = post("decide", R"({"context":[0.5],"request_id":"again"})");
  // One life with one request. The result is the number of operations until its commit is done.
  const auto live = [&](Disk& disk) {
    clean_folder();
    wall_ = 1'000'000;
    auto model = model_on(disk);
    if (model) {
      model.value()->begin();
      model.value()->call(decide);
      static_cast<void>(model.value()->commit());
    }
    return disk.operations();
  };
  std::int64_t all = 0;
  {
    Disk disk;
    all = live(disk);
  }
  int repeated = 0;
  for (std::int64_t nth = 1; nth <= all && !HasFailure(); ++nth) {
    SCOPED_TRACE(testing::Message() << "operation " << nth);
    Disk disk;
    disk.fail(nth, Disk::Fault::kError, true);
    live(disk);
    disk.restart();
    HttpResponse answer;
    {
      auto model = model_on(disk);
      ASSERT_TRUE(model.ok()) << model.error();
      model.value()->begin();
      answer = model.value()->call(decide);
      ASSERT_EQ(answer.status, 200) << answer.body;
      // The answer goes out without a commit of its own if the request is known.
      const bool known = !answer.headers.empty();
      repeated += known ? 1 : 0;
      if (!known) model.value()->commit().check();
      disk.fail(disk.operations() + 1, Disk::Fault::kError, true);  // closing syncs nothing
    }
    Rng rng(static_cast<std::uint64_t>(nth));
    disk.restart_without_power(rng);
    auto model = model_on(disk);
    ASSERT_TRUE(model.ok()) << model.error();
    model.value()->begin();
    EXPECT_EQ(model.value()->call(decide).body, answer.body);
  }
  EXPECT_GT(repeated, 0);  // it came up
}

// With waiting, every run makes the same calls, so each of them can fail. The model goes on.
TEST_F(FaultsTest, EveryCallForSnapshotsFails) {
  std::int64_t all = 0;
  {
    Disk disk;
    const FailingCalls calls(0, false);
    const Told told = work(disk, true);
    EXPECT_FALSE(told.stopped);
    EXPECT_EQ(told.snapshot_failures, 0);
    all = FailingCalls::made();
  }
  ASSERT_GE(all, 15);  // open, write, sync, rename, sync the folder: for three snapshots
  std::int64_t failures = 0;  // those at the end of a life are in the log only
  for (const bool for_good : {false, true}) {
    for (std::int64_t nth = 1; nth <= all && !HasFailure(); ++nth) {
      SCOPED_TRACE(testing::Message() << "call " << nth << (for_good ? ", for good" : ", once"));
      clean_folder();
      Disk disk;
      Told told;
      {
        const FailingCalls calls(nth, for_good);
        told = work(disk, true);
      }
      EXPECT_FALSE(told.stopped);
      failures += told.snapshot_failures;
      EXPECT_GT(told.all.size(), 40U);
      disk.restart();
      check_after(disk, told);
    }
  }
  EXPECT_GT(failures, all / 2);
}

// Beside the work, which call fails depends on the threads. Nothing that was answered may be lost.
TEST_F(FaultsTest, CallsForSnapshotsFailBesideTheWork) {
  for (std::int64_t nth = 1; nth <= 20 && !HasFailure(); ++nth) {
    SCOPED_TRACE(testing::Message() << "call " << nth);
    clean_folder();
    Disk disk;
    Told told;
    {
      const FailingCalls calls(nth, true);
      told = work(disk);
      EXPECT_FALSE(told.stopped);
      EXPECT_GT(told.all.size(), 40U);
    }
    disk.restart();
    check_after(disk, told);
  }
}

}  // namespace
}  // namespace rein::serve
