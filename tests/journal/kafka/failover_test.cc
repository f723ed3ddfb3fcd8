// What breaks: a broker that is killed or stopped, and writers that are paused.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

#include "journal/folder_model.h"
#include "journal/kafka/server_model.h"
#include "journal/log_journal.h"
#include "journal/throwaway.h"

namespace rein {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// With broker.session.timeout.ms=2000 (server_model.cc); a loaded machine takes longer.
constexpr milliseconds kResendFor{60'000};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Reading reading_at(const std::string& address) {
  const auto journal = LogJournal::follow(open_kafka_log(address).value(), "m").value();
  return reading_of(*journal, journal->first());
}

// A node of its own: claims the model and appends groups of different sizes until it cannot.
constexpr int kExitFenced = 7, kExitFailed = 8;

int write_on(const std::string& address, std::atomic<std::int64_t>& acknowledged) {
  const auto journal = LogJournal::claim(open_kafka_log(address).value(), "m", "writer", true).value();
  for (std::int64_t group = 1;; ++group) {
    const auto done = append_next(*journal, 1 + group % 64);
    if (!done) return done.reason() == Reason::kFenced ? kExitFenced : kExitFailed;
    acknowledged = journal->last();
  }
}

TEST(KafkaFailoverTest, PausedWritersAreFenced) {
  const std::string address = shared_brokers().new_place();
  std::mt19937 random(1);
  auto* acknowledged = static_cast<std::atomic<std::int64_t>*>(
      ::mmap(nullptr, sizeof(std::atomic<std::int64_t>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
             -1, 0));
  for (int round = 0; round < 10; ++round) {
    *acknowledged = 0;
    const pid_t writer = ::fork();
    if (writer == 0) ::_exit(write_on(address, *acknowledged));
    wait_until("the writer writes", [&] { return *acknowledged != 0; });
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 100'000));
    ::kill(writer, SIGSTOP);
    {
      const auto next = LogJournal::claim(open_kafka_log(address).value(), "m", "next", false).value();
      EXPECT_GE(next->last(), *acknowledged) << "of what was acknowledged nothing may be missing";
      append_next(*next, 3).check();
      ::kill(writer, SIGCONT);
      int status = 0;
      ::waitpid(writer, &status, 0);
      EXPECT_EQ(WEXITSTATUS(status), kExitFenced) << round;
      append_next(*next, 1).check();
      EXPECT_EQ(next->last(), reading_at(address).last);
    }
    EXPECT_TRUE(reading_at(address).exact);
  }
  ::munmap(acknowledged, sizeof *acknowledged);
}

// A claim is not sent again by itself. Brokers that have just started may take long to answer.
std::unique_ptr<LogJournal> claimed(const std::shared_ptr<SharedLog>& log) {
  const auto until = Clock::now() + kResendFor;
  while (true) {
    auto journal = LogJournal::claim(log, "m", "a", true, {.resend_for = kResendFor, .pause = {}});
    if (journal || journal.reason() != Reason::kFailed || Clock::now() > until) return std::move(journal).value();
  }
}

// A writer goes on in a thread while `break_it` happens. What it was told is there.
void write_while(const std::string& address, const std::function<void()>& break_it) {
  std::atomic<std::int64_t> acknowledged{0};
  std::atomic<bool> ending{false};
  std::atomic<double> longest{0};
  std::thread writer([&] {
    const auto journal = claimed(open_kafka_log(address).value());
    for (std::int64_t group = 1; !ending; ++group) {
      const auto start = Clock::now();
      append_next(*journal, 1 + group % 16).check();
      acknowledged = journal->last();
      longest = std::max(longest.load(), seconds_since(start));
    }
  });
  wait_until("2000 entries", [&] { return acknowledged >= 2'000; });
  break_it();
  std::this_thread::sleep_for(milliseconds(500));
  const std::int64_t before = acknowledged;
  wait_until("1000 more entries", [&] { return acknowledged >= before + 1'000; });
  ending = true;
  writer.join();
  const Reading found = reading_at(address);
  found.result.check();
  EXPECT_TRUE(found.exact);
  EXPECT_EQ(found.last, acknowledged);
  fmt::print("  {} entries, none lost; the longest append took {:.2f} s\n", acknowledged.load(), longest.load());
}

int leader_at(const std::string& address) {
  claimed(open_kafka_log(address).value());
  return shared_brokers().leader_of(address.substr(address.rfind('/') + 1) + ".journal.m");
}

TEST(KafkaFailoverTest, ABrokerThatIsKilledLosesNothingThatWasAcknowledged) {
  const std::string address = shared_brokers().new_place();
  const int leader = leader_at(address);
  write_while(address, [&] { shared_brokers().signal(leader, SIGKILL); });
  shared_brokers().restart(leader);
}

TEST(KafkaFailoverTest, ABrokerThatIsStoppedAcknowledgesNothingWhenItWakes) {
  const std::string address = shared_brokers().new_place();
  const int leader = leader_at(address);
  write_while(address, [&] { shared_brokers().signal(leader, SIGSTOP); });
  shared_brokers().signal(leader, SIGCONT);
  std::this_thread::sleep_for(milliseconds(500));
  EXPECT_TRUE(reading_at(address).exact);
}

// How long an acknowledged append takes: printed, not promised.
void time_appends(const std::string& address, std::size_t rounds) {
  const auto journal = claimed(open_kafka_log(address).value());
  const std::string bytes(300, 'e');
  for (const std::size_t size : {1U, 16U, 64U, 256U}) {
    const std::vector<std::string_view> group(size, bytes);
    std::vector<double> millis;
    for (std::size_t round = 0; round < rounds; ++round) {
      const auto start = Clock::now();
      journal->append(group).check();
      millis.push_back(1e3 * seconds_since(start));
    }
    std::ranges::sort(millis);
    fmt::print("  groups of {:3}: p50 {:.2f} ms, p99 {:.2f} ms\n", size, millis[rounds / 2],
               millis[rounds * 99 / 100]);
  }
  EXPECT_EQ(journal->last(), static_cast<std::int64_t>(337 * rounds));
}

TEST(KafkaFailoverTest, AppendsAreTimed) {
  fmt::print("  in the memory of the brokers:\n");
  time_appends(shared_brokers().new_place(), 1'000);
  fmt::print("  on their disks:\n");
  time_appends(shared_brokers().new_place() + "?topic.flush.messages=1", 200);
}

}  // namespace
}  // namespace rein
