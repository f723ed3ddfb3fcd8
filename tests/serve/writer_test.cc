// Writer and RequestQueue: what comes first when there is too much to do, and what a failure of one
// model does.
#include "serve/writer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <thread>

#include "journal/folder_model.h"
#include "journal/memory_journal.h"
#include "serve/model_life.h"
#include "tools/journal_check.h"

namespace rein::serve {
namespace {

// A journal whose commits wait while it is held, and fail or throw when asked to.
class HeldJournal final : public LentJournal {
 public:
  struct Control {
    std::mutex mutex;
    std::condition_variable changed;
    bool held = false, fails = false, throws = false;
    int waiting = 0;

    void hold(bool on) {
      const std::lock_guard lock(mutex);
      held = on;
      changed.notify_all();
    }
    void wait_for_commit() {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return waiting > 0; });
    }
  };
  explicit HeldJournal(std::shared_ptr<Control> control)
      : LentJournal(make_memory_journal()), control_(std::move(control)) {}

  Result<> append(std::span<const std::string_view> entries) override {
    std::unique_lock lock(control_->mutex);
    ++control_->waiting;
    control_->changed.notify_all();
    control_->changed.wait(lock, [&] { return !control_->held; });
    --control_->waiting;
    if (control_->throws) throw std::runtime_error("a planted bug");
    if (control_->fails) return Error{"the disk is full", Reason::kFailed};
    return LentJournal::append(entries);
  }

 private:
  std::shared_ptr<Control> control_;
};

// Notes in which order answers were sent.
class Order {
 public:
  class Reply final : public HttpReply {
   public:
    Reply(Order& order, std::string name) : order_(order), name_(std::move(name)) {}
    void send(HttpResponse response) override {
      const std::lock_guard lock(order_.mutex_);
      order_.sent_.emplace_back(name_, std::move(response));
      order_.changed_.notify_all();
    }
    std::shared_ptr<EventStream> stream() override { return nullptr; }

   private:
    Order& order_;
    std::string name_;
  };

  std::shared_ptr<HttpReply> reply(std::string name) {
    return std::make_shared<Reply>(*this, std::move(name));
  }
  using Sent = std::vector<std::pair<std::string, HttpResponse>>;
  Sent wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return sent_.size() >= count; });
    return sent_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  Sent sent_;
};

class WriterTest : public testing::Test {
 protected:
  std::unique_ptr<Writer> writer(QueueLimits limits = {}) {
    auto model = Model::create("m", R"({"actions":2,"seed":3,"most_open":100000})",
                               std::make_unique<HeldJournal>(control_),
                               {.wall = [] { return std::int64_t{1'800'000'000}; }});
    return std::make_unique<Writer>(std::move(model).value(), WriterOptions{.limits = limits});
  }
  static std::optional<HttpResponse> ask(Writer& writer, const char* verb, std::string body) {
    auto reply = std::make_shared<Waiting>();
    auto answer = reply->answer();
    writer.ask(post(verb, std::move(body)), std::move(reply));
    return answer.get();
  }

  std::shared_ptr<HeldJournal::Control> control_ = std::make_shared<HeldJournal::Control>();
};

std::string outcome_of(const std::string& id) {
  return fmt::format(R"({{"id":"{}","reward":1}})", id);
}

TEST_F(WriterTest, OutcomesAreTakenWhileDecisionsAreRefused) {
  const auto under_test = writer({.most_waiting = 4});
  std::vector<std::string> ids;
  for (int i = 0; i < 200; ++i) ids.push_back(text_in(*ask(*under_test, "decide", "{}"), "id"));
  Order order;
  control_->hold(true);
  under_test->ask(post("decide", "{}"), order.reply("held"));
  control_->wait_for_commit();
  // The writer is in a commit, so all these wait.
  for (int i = 0; i < 10; ++i) under_test->ask(post("decide", "{}"), order.reply("decide"));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const bool cancels = i % 4 == 0;
    const std::string body = cancels ? fmt::format(R"({{"id":"{}"}})", ids[i]) : outcome_of(ids[i]);
    under_test->ask(post(cancels ? "cancel" : "outcome", body), order.reply("outcome"));
  }
  control_->hold(false);
  const auto sent = order.wait_for(1 + 10 + ids.size());
  int refused = 0, decided = 0, ended = 0;
  for (const auto& [name, answer] : sent) {
    if (name == "outcome") {
      EXPECT_EQ(answer.status, 200) << answer.body;
      EXPECT_EQ(decided, 0) << "outcomes are answered before the decisions that came earlier";
      ++ended;
    } else if (answer.status == 429) {
      EXPECT_NE(answer.body.find(R"("code":"rate")"), std::string::npos);
      ++refused;
    } else if (name == "decide") {
      EXPECT_EQ(answer.status, 200) << answer.body;
      ++decided;
    }
  }
  EXPECT_EQ(refused, 6);
  EXPECT_EQ(decided, 4);
  EXPECT_EQ(ended, 200);
}

TEST_F(WriterTest, AFailedCommitStopsTheModelAndEveryRequestIsToldWhy) {
  for (const bool by_a_bug : {false, true}) {
    const auto under_test = writer();
    ASSERT_EQ(ask(*under_test, "decide", "{}")->status, 200);
    Order order;
    control_->hold(true);
    under_test->ask(post("decide", "{}"), order.reply("in the group"));
    control_->wait_for_commit();
    under_test->ask(post("decide", "{}"), order.reply("waits"));
    under_test->ask(post("outcome", "{}"), order.reply("waits first"));
    std::promise<std::string> told;
    under_test->read([](Model&) { ADD_FAILURE() << "its memory may be ahead of its journal"; },
                     [&](const std::string& why) { told.set_value(why); });
    (by_a_bug ? control_->throws : control_->fails) = true;
    control_->hold(false);
    const std::string why = by_a_bug ? "a bug: a planted bug" : "the disk is full";
    EXPECT_EQ(told.get_future().get(), why);
    const auto sent = order.wait_for(3);
    EXPECT_EQ(under_test->stopped(), why);
    const auto later = ask(*under_test, "decide", "{}");
    ASSERT_TRUE(later);
    for (const auto& answer : {sent[0].second, sent[1].second, sent[2].second, *later}) {
      EXPECT_EQ(answer.status, 503);
      EXPECT_NE(answer.body.find(R"("code":"stopped","message":"model m: )" + why),
                std::string::npos)
          << answer.body;
      EXPECT_NE(answer.body.find("retry_after"), std::string::npos);
    }
    under_test->close();  // the journal can be opened anew
    EXPECT_EQ(under_test->stopped(), why);
    control_->throws = control_->fails = false;
  }
}

WaitingRequest waiting(const char* verb, std::size_t bytes = 0) {
  return {post(verb, std::string(bytes, 'x')), nullptr, {}};
}

TEST(RequestQueue, OutcomesAreBoundedByTheirBytesOnly) {
  RequestQueue queue({.most_waiting = 1, .most_work_seconds = 0.0, .most_outcome_bytes = 10'000});
  queue.worked(1, 1000.0);
  WaitingRequest decide = waiting("decide"), more = waiting("decide");
  EXPECT_EQ(queue.add(decide), nullptr);
  EXPECT_NE(queue.add(more), nullptr);
  int taken = 0;
  for (const char* verb : {"outcome", "cancel", "activate", "outcome", "outcome"}) {
    WaitingRequest request = waiting(verb, 900);
    taken += queue.add(request) == nullptr ? 1 : 0;
  }
  EXPECT_EQ(taken, 5);
  WaitingRequest large = waiting("outcome", 900);
  EXPECT_NE(queue.add(large), nullptr);
  std::vector<WaitingRequest> out;
  queue.take_first(out);
  EXPECT_EQ(out.size(), 5U);
  EXPECT_EQ(queue.add(large), nullptr) << "there is room again";
}

TEST(RequestQueue, DecisionsAreRefusedByTheWorkThatWaits) {
  RequestQueue queue({.most_waiting = 1000, .most_work_seconds = 0.25});
  // Each takes 10 ms, as with thousands of actions: 26 of them are too much.
  queue.worked(waiting("decide").bytes(), 0.01);
  int taken = 0;
  for (int i = 0; i < 100; ++i) {
    WaitingRequest request = waiting("decide");
    taken += queue.add(request) == nullptr ? 1 : 0;
  }
  EXPECT_EQ(taken, 26);
  std::vector<WaitingRequest> out;
  queue.take_others(out, 26, 1.0);
  EXPECT_TRUE(queue.empty());
  // A request that is too much work by itself is taken when it is alone.
  queue.worked(1, 1000.0);
  WaitingRequest alone = waiting("decide"), second = waiting("decide");
  EXPECT_EQ(queue.add(alone), nullptr);
  EXPECT_NE(queue.add(second), nullptr);
}

// An outcome that comes while others are answered waits for what was taken from the queue.
TEST(RequestQueue, NoMoreOthersAreTakenAtATimeThanTheirWorkAllows) {
  RequestQueue queue({.most_waiting = 1000, .most_work_seconds = 10.0});
  queue.worked(waiting("decide", 50'000).bytes(), 0.04);  // as a batch of a thousand rounds
  for (int i = 0; i < 20; ++i) {
    WaitingRequest batch = waiting("decide", 50'000);
    ASSERT_EQ(queue.add(batch), nullptr);
  }
  std::vector<WaitingRequest> out;
  queue.take_others(out, 16, 0.005);
  EXPECT_EQ(out.size(), 1U);
  queue.take_others(out, 16, 0.1);
  EXPECT_EQ(out.size(), 4U);
  queue.take_all(out);
  EXPECT_EQ(out.size(), 20U);
}

// A folder on a real disk, and a model whose journal is in memory.
class SnapshotTest : public testing::Test {
 protected:
  std::unique_ptr<Model> model(std::int64_t snapshot_every = 20) {
    const ModelOptions options{
        .folder = folder_.path(), .snapshot_every = snapshot_every, .wall = [this] { return now_.load(); }};
    auto lent = std::make_unique<LentJournal>(journal_);
    if (journal_->last() > 0) return Model::open("m", std::move(lent), options).value();
    return Model::create("m",
                         R"({"actions":2,"seed":3,"costs":["d"],"largest_costs":[1,1],"budgets":
                             [{"name":"b","cost":"d","amount":1e6,"rounds":1000000,"hard":true}]})",
                         std::move(lent), options)
        .value();
  }
  static std::string ask(Writer& writer, const char* verb, std::string body) {
    auto reply = std::make_shared<Waiting>();
    auto answer = reply->answer();
    writer.ask(post(verb, std::move(body)), std::move(reply));
    const auto found = answer.get();
    EXPECT_EQ(found->status, 200) << found->body;
    return text_in(*found, "id");
  }
  // Decides, and reports some outcomes, until so many snapshots are in their files.
  void work_until(Writer& writer, std::int64_t snapshots) {
    std::int64_t written = 0, position = 0;
    for (int i = 0; i < 100'000 && written < snapshots; ++i) {
      const std::string id =
          ask(writer, "decide", fmt::format(R"({{"request_id":"{}-{}"}})", snapshots, i));
      if (i % 3 != 0) {
        ask(writer, "outcome", fmt::format(R"({{"id":"{}","reward":0.5,"costs":0.25}})", id));
      }
      now_ += i % 2;
      std::promise<std::int64_t> at;
      writer.read([&](Model& read) { at.set_value(read.snapshot_at()); });
      const std::int64_t found = at.get_future().get();
      written += found > position ? 1 : 0;
      position = std::max(position, found);
    }
    EXPECT_EQ(written, snapshots);
  }
  std::map<Event::Kind, int> kinds() const {
    std::map<Event::Kind, int> found;
    journal_
        ->read(1,
               [&](std::int64_t, std::string_view bytes) -> Result<bool> {
                 ++found[decode_event(bytes).value().kind];
                 return true;
               })
        .check();
    return found;
  }

  Folder folder_{"writer_snapshots"};
  std::shared_ptr<Journal> journal_ = make_memory_journal();
  std::atomic<std::int64_t> now_ = 1'800'000'000;
};

TEST_F(SnapshotTest, OnesThatAreMadeBesideTheWorkAreThoseOfTheState) {
  {
    Writer writer(model(), {});
    work_until(writer, 4);
  }
  auto found = kinds();
  EXPECT_GE(found[Event::Kind::kMarked], 4);
  EXPECT_GE(found[Event::Kind::kHashAt], 4);
  EXPECT_EQ(found[Event::Kind::kHash], 1) << "the end of the writer";
  const std::uint64_t hash = hash_of_fold(*journal_);  // compares every hash on its way
  EXPECT_EQ(replay(*journal_, {}).value().hashes, found[Event::Kind::kHashAt] + 1) << "and says how many";
  EXPECT_EQ(model()->state().hash(), hash);
  // And from the older snapshot, whose fold meets the newer one's entries.
  const SnapshotFiles files(folder_.path());
  const auto positions = files.positions().value();
  ASSERT_EQ(positions.size(), 2U);
  std::filesystem::remove(files.path_of(positions[0]));
  EXPECT_EQ(model()->snapshot_at(), positions[1]);
  EXPECT_EQ(model()->state().hash(), hash);
}

TEST_F(SnapshotTest, AReplayThatIsNotWhatHappenedStopsAtTheEntriesOfTheSnapshot) {
  {
    Writer writer(model(), {});
    work_until(writer, 1);
  }
  for (const auto kind : {Event::Kind::kMarked, Event::Kind::kHashAt}) {
    auto changed = make_memory_journal();
    journal_
        ->read(1,
               [&](std::int64_t, std::string_view bytes) -> Result<bool> {
                 Event event = decode_event(bytes).value();
                 if (event.kind == kind) event.id ^= 1;
                 std::string encoded;
                 encode(event, encoded);
                 const std::string_view entry = encoded;
                 changed->append({&entry, 1}).check();
                 return true;
               })
        .check();
    const auto folded = fold_journal(*changed, {});
    ASSERT_FALSE(folded);
    EXPECT_EQ(folded.reason(), Reason::kSequence);
  }
}

// The fold from the last snapshot has another state than the model, as after a bug.
TEST_F(SnapshotTest, AStateThatIsNotThatOfItsJournalStopsTheModel) {
  Writer writer(model(), {});
  ask(writer, "decide", "{}");
  writer.read([](Model& changed) { changed.state().conduct.fallback = {"over"}; });  // no entry says so
  for (int i = 0; i < 100'000 && !writer.stopped(); ++i) {
    auto reply = std::make_shared<Waiting>();
    auto answer = reply->answer();
    writer.ask(post("decide", "{}"), std::move(reply));
    answer.get();
  }
  ASSERT_TRUE(writer.stopped());
  EXPECT_NE(writer.stopped()->find("the state had the fingerprint"), std::string::npos);
}

TEST_F(SnapshotTest, OneThatIsCutOffByTheEndIsNoFailure) {
  testing::internal::CaptureStderr();
  for (int life = 0; life < 5; ++life) {
    Writer writer(model(1000), {});
    for (int i = 0; i < 1010; ++i) ask(writer, "decide", fmt::format(R"({{"request_id":"{}-{}"}})", life, i));
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr().find("snapshot failed"), std::string::npos);
  EXPECT_EQ(model()->snapshot_at(), journal_->last());
}

// A start would have to do that work again.
TEST_F(SnapshotTest, OneIsDueAfterMuchWorkOnFewEntries) {
  const auto found = model(1'000'000);
  const auto decide_once = [&] {
    found->begin();
    EXPECT_EQ(found->call(post("decide", "{}")).status, 200);
    found->commit().check();
  };
  decide_once();
  found->worked(4.0);
  EXPECT_FALSE(found->snapshot_due());
  found->worked(1.5);
  EXPECT_TRUE(found->snapshot_due());
  found->snapshot_written(found->make_snapshot().value());
  EXPECT_FALSE(found->snapshot_due());
  found->worked(6.0);
  EXPECT_FALSE(found->snapshot_due()) << "no entry came";
  decide_once();
  EXPECT_TRUE(found->snapshot_due());
}

// The folder is away for a while, so that snapshots fail.
TEST_F(SnapshotTest, OneThatFailedIsTriedAgainAndTheModelGoesOn) {
  Writer writer(model(), {});
  const auto failures = [&] {
    std::promise<std::pair<std::int64_t, std::int64_t>> both;
    writer.read([&](Model& read) {
      both.set_value({read.watch().snapshots.failures, read.snapshot_at()});
    });
    return both.get_future().get();
  };
  const std::string away = folder_.path() + "-away";
  std::filesystem::rename(folder_.path(), away);
  while (failures().first == 0) ask(writer, "decide", R"({})");
  std::filesystem::rename(away, folder_.path());
  EXPECT_EQ(failures().second, 0) << "no snapshot was written";
  while (failures().second == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ask(writer, "decide", R"({})");
  }
  EXPECT_FALSE(writer.stopped());
}

}  // namespace
}  // namespace rein::serve
