// What takes long: a primary with a synchronous standby, and writers that are paused, killed and raced.
// `make test-postgres` runs these; `make test` does not.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <random>
#include <thread>

#include "journal/folder_model.h"
#include "journal/log_journal.h"
#include "journal/postgres/server_model.h"
#include "journal/throwaway.h"

namespace rein {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kFailoverWithin{10'000};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::shared_ptr<SharedLog> open(const std::string& address,
                                milliseconds deadline = milliseconds(1'000)) {
  return open_postgres_log(address, {.deadline = deadline, .connections = 2, .notice = {}}).value();
}

// The last number that a writer in another process has been told of.
class Acknowledged {
 public:
  Acknowledged()
      : last_(static_cast<std::atomic<std::int64_t>*>(
            ::mmap(nullptr, sizeof(std::atomic<std::int64_t>), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  ~Acknowledged() { ::munmap(last_, sizeof *last_); }
  Acknowledged(const Acknowledged&) = delete;
  Acknowledged& operator=(const Acknowledged&) = delete;
  std::atomic<std::int64_t>& operator*() const { return *last_; }

 private:
  std::atomic<std::int64_t>* last_;
};

constexpr int kExitFenced = 7, kExitFailed = 8;

// A node of its own: claims the model and appends groups of different sizes until it cannot.
int write_on(const std::string& address, std::atomic<std::int64_t>& acknowledged) {
  const auto journal = LogJournal::claim(open(address), "m", "writer", true).value();
  for (std::int64_t group = 1;; ++group) {
    const auto done = append_next(*journal, 1 + group % 64);
    if (!done) return done.reason() == Reason::kFenced ? kExitFenced : kExitFailed;
    acknowledged = journal->last();
  }
}

Reading reading(const std::string& address) {
  const auto journal = LogJournal::follow(open(address, milliseconds(10'000)), "m").value();
  return reading_of(*journal, journal->first());
}

TEST(PostgresFailoverTest, OfTwoHundredRacesEachHasOneWinner) {
  PostgresServer server;
  const std::string address = server.new_place();
  const auto left = open(address), right = open(address);
  for (int race = 0; race < 200; ++race) {
    const LogHead head = left->claim("m", "a", true).value();
    std::atomic<int> ready{0};
    std::vector<Result<>> done(2);
    const auto send = [&](SharedLog& log, std::size_t side) {
      const std::string bytes = fmt::format("side {} of race {}", side, race);
      const std::vector<std::string_view> entries{bytes};
      ++ready;
      while (ready < 2) std::this_thread::yield();
      done[side] = log.append(
          "m", {.epoch = head.epoch, .last = head.last, .chain = head.chain, .entries = entries});
    };
    std::thread other(send, std::ref(*right), 1);
    send(*left, 0);
    other.join();
    ASSERT_NE(done[0].ok(), done[1].ok()) << race;
    ASSERT_EQ((done[0].ok() ? done[1] : done[0]).reason(), Reason::kFenced);
  }
  EXPECT_EQ(left->head("m").value().last, 200);
}

// The writer is a process of its own that is stopped at any moment, also in the middle of a statement.
TEST(PostgresFailoverTest, TenOfTenPausedWritersAreFenced) {
  PostgresServer server;
  const std::string address = server.new_place();
  std::mt19937 random(1);
  for (int round = 0; round < 10; ++round) {
    Acknowledged acknowledged;
    const pid_t writer = ::fork();
    if (writer == 0) ::_exit(write_on(address, *acknowledged));
    wait_until("the writer writes", [&] { return *acknowledged != 0; });
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 100'000));
    ::kill(writer, SIGSTOP);
    const auto next =
        LogJournal::claim(open(address, milliseconds(5'000)), "m", "next", false).value();
    EXPECT_GE(next->last(), *acknowledged) << "of what was acknowledged nothing may be missing";
    append_next(*next, 3).check();
    ::kill(writer, SIGCONT);
    int status = 0;
    ::waitpid(writer, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), kExitFenced) << round;
    EXPECT_EQ(next->last(), reading(address).last);
    EXPECT_TRUE(reading(address).exact);
    append_next(*next, 1).check();
  }
}

// A writer goes on in a thread while `break_it` happens to the primary. What it was told is there.
void fail_over(PostgresServer& server, const std::function<void()>& break_it) {
  const std::string address = server.new_place();
  std::atomic<std::int64_t> acknowledged{0};
  std::atomic<bool> ending{false};
  std::atomic<double> longest{0};
  std::thread writer([&] {
    const auto journal = LogJournal::claim(open(address), "m", "a", true,
                                           {.resend_for = milliseconds(60'000), .pause = {}})
                             .value();
    for (std::int64_t group = 1; !ending; ++group) {
      const auto start = Clock::now();
      append_next(*journal, 1 + group % 16).check();
      acknowledged = journal->last();
      longest = std::max(longest.load(), seconds_since(start));
    }
  });
  wait_until("2000 entries", [&] { return acknowledged >= 2'000; });
  const auto start = Clock::now();
  break_it();
  server.promote();
  const std::int64_t before = acknowledged;
  wait_until("1000 more entries", [&] { return acknowledged >= before + 1'000; });
  const double silence = seconds_since(start);
  ending = true;
  writer.join();
  const std::string now =
      server.address_of(server.standby_port(), address.substr(address.find("%3D") + 3));
  const Reading found = reading(now);
  EXPECT_TRUE(found.exact);
  found.result.check();
  EXPECT_EQ(found.last, acknowledged);
  fmt::print(
      "  {} entries, none lost; the longest append took {:.2f} s, {:.2f} s after the break 1000 "
      "were there\n",
      acknowledged.load(), longest.load(), silence);
  EXPECT_LT(longest, std::chrono::duration<double>(kFailoverWithin).count());
}

TEST(PostgresFailoverTest, APrimaryThatIsKilledLosesNothingThatWasAcknowledged) {
  PostgresServer server({}, true);
  EXPECT_FALSE(open_postgres_log(server.address_of(server.standby_port(), "public")).ok())
      << "a standby is not used";
  fail_over(server, [&] { server.signal("primary", SIGKILL); });
}

TEST(PostgresFailoverTest, APrimaryThatIsStoppedAcknowledgesNothingWhenItWakes) {
  PostgresServer server({}, true);
  std::shared_ptr<SharedLog> old;
  LogHead head;
  fail_over(server, [&] {
    old = open(server.address_of(server.primary_port(), "place1"), milliseconds(3'000));
    head = old->head("m").value();
    server.signal("primary", SIGSTOP);
  });
  server.signal("primary", SIGCONT);
  std::this_thread::sleep_for(milliseconds(200));
  // It takes writes again, of whoever still knows it, and can commit none.
  const std::string bytes = "of the old primary";
  const std::vector<std::string_view> entries{bytes};
  const LogHead stale = old->head("m").value();
  const auto done = old->append(
      "m", {.epoch = stale.epoch, .last = stale.last, .chain = stale.chain, .entries = entries});
  EXPECT_EQ(done.reason(), Reason::kFailed);
  EXPECT_EQ(old->claim("m", "b", false).reason(), Reason::kFailed);
  // Whoever comes with both addresses finds the new one: its line of history is the longer one.
  const auto fresh = open(server.address("place1"));
  EXPECT_GE(fresh->head("m").value().last, head.last + 1'000);
  EXPECT_TRUE(fresh->claim("m", "c", false).ok());
}

}  // namespace
}  // namespace rein
