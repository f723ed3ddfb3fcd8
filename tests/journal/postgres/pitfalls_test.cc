// What goes wrong with a database, and must not go wrong with a journal in it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <future>
#include <map>
#include <thread>

#include "journal/folder_model.h"
#include "journal/log_journal.h"
#include "journal/postgres/server_model.h"
#include "journal/throwaway.h"

namespace rein {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kPatience{10'000};  // of these tests, for what should take a moment

class PostgresPitfallTest : public testing::Test {
 protected:
  std::shared_ptr<SharedLog> open(milliseconds deadline = milliseconds(5'000)) {
    return open_postgres_log(address_, {.deadline = deadline, .connections = 4, .notice = {}})
        .value();
  }
  std::unique_ptr<LogJournal> claim(const std::shared_ptr<SharedLog>& log,
                                    const std::string& node) {
    return LogJournal::claim(log, "m", node, true, {.resend_for = milliseconds(0), .pause = {}})
        .value();
  }
  Reading reading() {
    const auto journal = LogJournal::follow(open(), "m").value();
    return reading_of(*journal, journal->first());
  }
  // One group as it is sent, so that the same can be sent again.
  Result<> send(SharedLog& log, const LogHead& head, const std::string& bytes) {
    const std::vector<std::string_view> entries{bytes};
    return log.append(
        "m", {.epoch = head.epoch, .last = head.last, .chain = head.chain, .entries = entries});
  }
  // Waits until the statement gives `wanted`.
  testing::AssertionResult becomes(const std::string& statement, const std::string& wanted) {
    std::string found;
    for (const auto start = Clock::now(); Clock::now() - start < kPatience;) {
      found = ask_(statement);
      if (found == wanted) return testing::AssertionSuccess();
      std::this_thread::sleep_for(milliseconds(10));
    }
    return testing::AssertionFailure() << statement << " gives " << found << ", not " << wanted;
  }
  // So that one test that fails does not stop the others: they share the server.
  void TearDown() override {
    if (HasFailure()) want_standby("");
  }
  // A standby that is never there: no commit ends.
  void want_standby(const std::string& name) {
    ask_(fmt::format("ALTER SYSTEM SET synchronous_standby_names = '{}'", name));
    ask_("SELECT pg_reload_conf()");
    ASSERT_TRUE(becomes("SHOW synchronous_standby_names", name));
    if (name.empty()) return;
    // Sessions know of it before commits do. Commits that wait end when nobody wants the standby.
    wait_until("a commit that waits for " + name, [&] { return !commits_end(); }, kPatience);
  }
  // Whether a commit ends now. The role may have it that its commits wait for nothing.
  bool commits_end() const {
    const Psql session(address_);
    session("SET synchronous_commit = on");
    session("SET statement_timeout = 0");
    return session.ends_within("SELECT pg_logical_emit_message(true, '', '')", 100);
  }

  PostgresServer& server_ = shared_server();
  std::string address_ = server_.new_place();
  Psql ask_{address_};
};

constexpr const char* kWaiting =
    "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE "
    "'%rein_entries%'";

TEST_F(PostgresPitfallTest, AWriterThatStopsInTheMiddleOfItsCommitIsEndedByTheNextClaim) {
  const auto log = open();
  append_next(*claim(log, "a"), 3).check();
  const Psql paused(address_);
  paused("BEGIN");
  paused("UPDATE rein_heads SET last = 4");
  paused("INSERT INTO rein_entries SELECT id, 4, 1, 0, 'x' FROM rein_heads");
  const auto start = Clock::now();
  const auto next = claim(open(), "b");
  EXPECT_LT(Clock::now() - start, kPatience / 2);
  EXPECT_EQ(next->last(), 3);
  EXPECT_THROW(paused("COMMIT"), std::runtime_error);
  append_next(*next, 2).check();
  EXPECT_TRUE(reading().exact);
  EXPECT_EQ(reading().last, 5);
}

TEST_F(PostgresPitfallTest, OfManyThatClaimBehindAPausedWriterAllSucceed) {
  claim(open(), "a");
  const Psql paused(address_);
  paused("BEGIN");
  paused("UPDATE rein_heads SET last = last");
  std::vector<std::future<std::int64_t>> epochs;
  for (int node = 0; node < 4; ++node) {
    epochs.push_back(
        std::async(std::launch::async, [this] { return claim(open(), "b")->epoch(); }));
  }
  std::set<std::int64_t> found;
  for (auto& epoch : epochs) found.insert(epoch.get());
  EXPECT_EQ(found.size(), 4U);
}

TEST_F(PostgresPitfallTest, AServerThatIsStoppedIsNoticedByOurOwnDeadline) {
  const auto log = open(milliseconds(700));
  const LogHead head = log->claim("m", "a", true).value();
  server_.signal("primary", SIGSTOP);
  const auto start = Clock::now();
  const auto sent = send(*log, head, entry_bytes(1));
  const auto waited = Clock::now() - start;
  const auto asked = log->head("m");
  const auto opened = open_postgres_log(address_, {.deadline = milliseconds(300), .notice = {}});
  server_.signal("primary", SIGCONT);
  EXPECT_EQ(sent.reason(), Reason::kFailed);
  EXPECT_LT(waited, milliseconds(5'000));
  EXPECT_EQ(asked.reason(), Reason::kFailed);
  EXPECT_FALSE(opened.ok());
  // The first one may have been committed since. It is there once.
  Result<> again = send(*log, head, entry_bytes(1));
  for (int tries = 0; tries < 20 && again.reason() == Reason::kFailed; ++tries) {
    again = send(*log, head, entry_bytes(1));
  }
  again.check();
  EXPECT_TRUE(reading().exact);
  EXPECT_EQ(reading().last, 1);
}

TEST_F(PostgresPitfallTest, ConnectionsThatAreEndedAreReplaced) {
  const auto log = open();
  const auto journal = claim(log, "a");
  for (int round = 1; round <= 5; ++round) {
    ask_(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE application_name = 'rein' AND pid <> pg_backend_pid()");
    append_next(*journal, 3).check();
  }
  EXPECT_TRUE(reading().exact);
  EXPECT_EQ(reading().last, 15);
}

TEST_F(PostgresPitfallTest, ACancelledCommitIsNoAcknowledgement) {
  const auto log = open();
  const LogHead head = log->claim("m", "a", true).value();
  want_standby("ghost");
  auto sent = std::async(std::launch::async, [&] { return send(*log, head, entry_bytes(1)); });
  EXPECT_TRUE(becomes(kWaiting, "1"));
  // The server reports success, with a warning.
  ask_(
      "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep' "
      "AND query LIKE '%rein_entries%'");
  const auto first = sent.get();
  EXPECT_EQ(first.reason(), Reason::kFailed);
  EXPECT_NE(first.error().find("01000"), std::string::npos) << first.error();
  // It is in the table now, and still not on the standby: sent again, it waits.
  const auto impatient = open(milliseconds(500));
  EXPECT_EQ(ask_("SELECT count(*) FROM rein_entries"), "1");
  EXPECT_EQ(send(*impatient, head, entry_bytes(1)).reason(), Reason::kFailed);
  want_standby("");
  send(*log, head, entry_bytes(1)).check();
  EXPECT_EQ(reading().last, 1);
}

TEST_F(PostgresPitfallTest, AnEntryThatOnlyADeadPrimaryHadIsAnsweredForWhenTheStandbyHasIt) {
  const auto impatient = open(milliseconds(700));
  const LogHead head = impatient->claim("m", "a", true).value();
  want_standby("ghost");
  EXPECT_EQ(send(*impatient, head, entry_bytes(1)).reason(), Reason::kFailed);
  // The server is killed while the commit waits. After its restart the entry can be read by everybody.
  server_.signal("primary", SIGKILL);
  std::this_thread::sleep_for(milliseconds(100));
  server_.restart_primary();
  ask_ = Psql(address_);
  EXPECT_EQ(ask_("SELECT count(*) FROM rein_entries"), "1");
  EXPECT_EQ(send(*impatient, head, entry_bytes(1)).reason(), Reason::kFailed);
  EXPECT_EQ(impatient->claim("m", "b", false).reason(), Reason::kFailed);
  want_standby("");
  send(*open(), head, entry_bytes(1)).check();
  EXPECT_EQ(reading().last, 1);
}

TEST_F(PostgresPitfallTest, AClaimNeverEndsACommitThatWaitsForItsStandby) {
  const auto log = open(milliseconds(60'000));
  const LogHead head = log->claim("m", "a", true).value();
  want_standby("ghost");
  auto sent = std::async(std::launch::async, [&] { return send(*log, head, entry_bytes(1)); });
  EXPECT_TRUE(becomes(kWaiting, "1"));
  EXPECT_EQ(open(milliseconds(1'500))->claim("m", "b", false).reason(), Reason::kFailed);
  EXPECT_EQ(ask_(kWaiting), "1");
  want_standby("");
  sent.get().check();
  EXPECT_EQ(claim(open(), "b")->last(), 1);
}

// A beat must say that a node is alive also while no commit of an entry ends.
TEST_F(PostgresPitfallTest, BeatsDoNotWaitForCommitsThatWaitForAStandby) {
  const auto log = open(milliseconds(2'000));
  const LogHead head = log->claim("m", "a", true).value();
  want_standby("ghost");
  std::vector<std::future<Result<>>> sent;
  for (int i = 0; i < 6; ++i) {
    sent.push_back(
        std::async(std::launch::async, [&] { return send(*log, head, entry_bytes(1)); }));
  }
  EXPECT_TRUE(becomes(kWaiting, "1"));
  const auto start = Clock::now();
  EXPECT_TRUE(log->take_lease("m", "a", milliseconds(9'000)).value());
  log->beat({.node = "a",
             .address = "a:1",
             .lease = milliseconds(9'000),
             .held = {"m"},
             .followed = {}})
      .value();
  EXPECT_LT(Clock::now() - start, milliseconds(1'500));
  want_standby("");
  for (auto& done : sent) (void)done.get();
}

// Settings that new sessions of the role have, until the end of a test.
class RoleSettings {
 public:
  RoleSettings(const Psql& ask, const std::map<std::string, std::string>& settings) : ask_(ask) {
    for (const auto& [name, value] : settings)
      ask_(fmt::format("ALTER ROLE postgres SET {} = {}", name, value));
  }
  ~RoleSettings() { ask_("ALTER ROLE postgres RESET ALL"); }
  RoleSettings(const RoleSettings&) = delete;
  RoleSettings& operator=(const RoleSettings&) = delete;

 private:
  const Psql& ask_;
};

TEST_F(PostgresPitfallTest, SettingsOfTheRoleDoNotWeakenAJournal) {
  const RoleSettings weak(ask_, {{"synchronous_commit", "off"},
                                 {"statement_timeout", "'300ms'"},
                                 {"default_transaction_isolation", "serializable"}});
  // An operator's session of this role does not wait for the standby. A test that took it for one that
  // does waited for ever, unless the machine was busy.
  want_standby("ghost");
  EXPECT_TRUE(Psql(address_).ends_within("SELECT pg_logical_emit_message(true, '', '')", 10'000));
  want_standby("");
  const auto log = open(milliseconds(1'500));
  const LogHead head = log->claim("m", "a", true).value();
  want_standby("ghost");
  EXPECT_EQ(send(*log, head, entry_bytes(1)).reason(), Reason::kFailed);
  want_standby("");
  send(*log, head, entry_bytes(1)).check();
}

TEST_F(PostgresPitfallTest, NodesThatStartAtOnceMakeTheTablesOnce) {
  std::vector<std::future<bool>> opened;
  for (int node = 0; node < 8; ++node) {
    opened.push_back(
        std::async(std::launch::async, [this] { return open_postgres_log(address_).ok(); }));
  }
  for (auto& one : opened) EXPECT_TRUE(one.get());
  EXPECT_EQ(ask_("SELECT count(*) FROM rein_meta"), "1");
}

TEST_F(PostgresPitfallTest, TablesOfANewerVersionAreRefused) {
  open();
  ask_("UPDATE rein_meta SET version = 7");
  const auto opened = open_postgres_log(address_);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error(),
            "PostgreSQL: the tables of rein have version 7; this program knows version 1");
}

TEST_F(PostgresPitfallTest, MessagesNameHostsAndNoPassword) {
  const auto unreachable = open_postgres_log("postgres://user:secret@127.0.0.1:1,127.0.0.1:2/db");
  EXPECT_EQ(unreachable.reason(), Reason::kFailed);
  EXPECT_NE(unreachable.error().find("127.0.0.1:1: "), std::string::npos) << unreachable.error();
  EXPECT_NE(unreachable.error().find("127.0.0.1:2: "), std::string::npos) << unreachable.error();
  const auto unreadable = open_postgres_log("postgres://user:secret@h1/db?colour=red");
  EXPECT_EQ(unreadable.reason(), Reason::kInvalid);
  for (const auto& text : {unreachable.error(), unreadable.error()}) {
    EXPECT_EQ(text.find("secret"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

TEST_F(PostgresPitfallTest, WhatIsRiskyAboutTheServerIsSaid) {
  std::vector<std::string> notices;
  open_postgres_log(address_, {.notice = [&](const std::string& text) { notices.push_back(text); }})
      .value();
  ASSERT_EQ(notices.size(), 2U);
  EXPECT_NE(notices[0].find("fsync"), std::string::npos);
  EXPECT_NE(notices[1].find("synchronous_standby_names"), std::string::npos);
}

TEST_F(PostgresPitfallTest, DamageIsFoundAndNamed) {
  const auto log = open();
  const auto journal = claim(log, "a");
  append_next(*journal, 30).check();
  ask_("UPDATE rein_entries SET bytes = 'other' WHERE position = 20");
  EXPECT_EQ(reading().last, 19);
  EXPECT_EQ(reading().result.reason(), Reason::kCorrupt);
  EXPECT_NE(reading().result.error().find("entry 20"), std::string::npos)
      << reading().result.error();
  ask_("DELETE FROM rein_entries WHERE position = 10");
  EXPECT_EQ(reading().result.reason(), Reason::kCorrupt);
  EXPECT_NE(reading().result.error().find("entry 10"), std::string::npos)
      << reading().result.error();
}

TEST_F(PostgresPitfallTest, AnEntryInTheWayOfTheJournalIsDamage) {
  const auto log = open();
  const LogHead head = log->claim("m", "a", true).value();
  ask_("INSERT INTO rein_entries SELECT id, 1, 1, 0, 'x' FROM rein_heads");
  EXPECT_EQ(send(*log, head, entry_bytes(1)).reason(), Reason::kCorrupt);
}

TEST_F(PostgresPitfallTest, ADamagedSnapshotIsSkippedAndTheOlderOneStays) {
  const auto log = open();
  append_next(*claim(log, "a"), 9).check();
  const LogSnapshots snapshots(log, "m");
  const std::string large(3 << 20, 's');
  EXPECT_EQ(snapshots.write(3, large, 33).value(), 0);
  EXPECT_EQ(snapshots.write(5, large, 55).value(), 3);
  ask_(
      "UPDATE rein_snapshot_pieces SET bytes = 'x' WHERE piece = 2 AND snapshot = "
      "(SELECT id FROM rein_snapshots WHERE position = 5)");
  EXPECT_EQ(snapshots.read(5).reason(), Reason::kCorrupt);
  EXPECT_EQ(snapshots.latest().value().snapshot->position, 3);
  EXPECT_EQ(snapshots.latest().value().skipped.size(), 1U);
  // The older of the two that are intact: entries after 3 are still needed if 8 is damaged later.
  EXPECT_EQ(snapshots.write(8, "eight", 88).value(), 3);
  ask_(
      "DELETE FROM rein_snapshot_pieces WHERE piece = 3 AND snapshot = "
      "(SELECT id FROM rein_snapshots WHERE position = 3)");
  EXPECT_EQ(snapshots.read(3).reason(), Reason::kCorrupt);
  ask_("UPDATE rein_snapshots SET chain = 1 WHERE position = 8");
  EXPECT_EQ(snapshots.read(8).reason(), Reason::kCorrupt);
}

TEST_F(PostgresPitfallTest, ASnapshotThatWasNotFinishedDoesNotCount) {
  const auto log = open();
  append_next(*claim(log, "a"), 9).check();
  const LogSnapshots snapshots(log, "m");
  ask_(
      "INSERT INTO rein_snapshots (model, position, length, complete, begun) "
      "SELECT id, 7, 100, false, '2000-01-01' FROM rein_heads");
  EXPECT_TRUE(snapshots.positions().value().empty());
  snapshots.write(3, "three", 33).value();
  snapshots.write(5, "five", 55).value();
  EXPECT_EQ(ask_("SELECT count(*) FROM rein_snapshots"), "2");
}

TEST_F(PostgresPitfallTest, DroppedEntriesLeaveTheTable) {
  const auto log = open();
  const auto journal = claim(log, "a");
  for (int group = 0; group < 10; ++group) append_next(*journal, 500).check();
  journal->drop_before(4'801).check();
  EXPECT_TRUE(becomes("SELECT count(*) FROM rein_entries", "200"));
  EXPECT_TRUE(reading().exact);
}

TEST_F(PostgresPitfallTest, AReaderIsWokenWhenEntriesCome) {
  const auto owner = open(), reader = open();
  const auto journal = claim(owner, "a");
  reader->wait_for_entries(milliseconds(1));  // now it listens
  for (int group = 1; group <= 5; ++group) {
    auto woken = std::async(std::launch::async, [&] {
      const auto start = Clock::now();
      wait_until("the entry is there", [&] {
        const bool there = reader->head("m").value().last >= group;
        if (!there) reader->wait_for_entries(kPatience);
        return there;
      });
      return Clock::now() - start;
    });
    std::this_thread::sleep_for(milliseconds(50));
    append_next(*journal, 1).check();
    EXPECT_LT(woken.get(), kPatience / 2);
  }
}

}  // namespace
}  // namespace rein
