// The state of a model is a fold over its journal: what the service has in memory after a workload is
// what a reader of the journal has, from the beginning or from a snapshot at any entry.
#include "serve/model_state.h"

#include <gtest/gtest.h>

#include <map>

#include "asking.h"
#include "journal/memory_journal.h"
#include "rein/rng.h"
#include "serve/model.h"
#include "serve/model_life.h"

namespace rein::serve {
namespace {

constexpr const char* kModelStateDocument = R"({
  "actions": ["small", "large", "huge"], "context": {"age": "number", "country": "category"},
  "costs": ["dollars"], "reward": [0, 1], "expire_after": 50, "remember": 40, "most_open": 60, "seed": 3,
  "largest_costs": {"small": 0.1, "large": 1, "huge": 2}, "safe_action": "small",
  "budgets": [{"name": "day", "cost": "dollars", "amount": 60, "hard": true, "per": "100 ticks"},
              {"name": "tenant", "cost": "dollars", "amount": 9, "per": "40 ticks", "scope": "tenant"}]})";

class Workload {
 public:
  Workload() : journal_(make_memory_journal()) {
    ModelOptions options{.wall = [this] { return now_; }};
    model_ =
        Model::create("m", kModelStateDocument, std::make_unique<LentJournal>(journal_), options)
            .value();
    note();
  }

  // One group of requests, and its commit.
  void group() {
    now_ += static_cast<std::int64_t>(rng_.below(8));
    model_->begin();
    for (std::uint64_t n = 1 + rng_.below(4); n > 0; --n) one();
    model_->commit().check();
    if (rng_.below(10) == 0) {
      const Snapshot snapshot = model_->make_snapshot().value();
      snapshots_[snapshot.position] = snapshot.bytes;
    }
    note();
  }
  void one();
  std::string id() { return ids_.empty() ? "0000000000000000" : ids_[rng_.below(ids_.size())]; }
  HttpResponse call(const char* method, const char* verb, std::string body, std::string rest = {}) {
    return model_->call({.method = method,
                         .verb = verb,
                         .rest = std::move(rest),
                         .query = {},
                         .body = std::move(body),
                         .token = true});
  }
  void note() { hashes_[journal_->last()] = model_->state().hash(); }

  std::shared_ptr<Journal> journal_;
  std::unique_ptr<Model> model_;
  std::map<std::int64_t, std::uint64_t> hashes_;   // after these entries
  std::map<std::int64_t, std::string> snapshots_;  // of these entries
  std::map<int, int> accepted_;                    // by kind of request

 private:
  Rng rng_{11};
  std::int64_t now_ = 1'800'000'000;
  std::vector<std::string> ids_;
};

void Workload::one() {
  const auto kind = static_cast<int>(rng_.below(16));
  const std::string which = R"({"id":")" + id() + "\"";
  const std::string number = std::to_string(rng_.below(30));
  HttpResponse got;
  switch (kind) {
    default: {
      std::string body = R"({"context":{"age":)" + number + R"(,"country":"c)" + number + R"("})";
      if (kind % 2 == 0) body += R"(,"scopes":{"tenant":")" + number + "\"}";
      if (kind % 3 == 0) body += R"(,"request_id":"r)" + number + "\"";
      if (kind == 1) body += R"(,"activate":false)";
      if (kind == 2) body += R"(,"most_costs":1)";
      got = call("POST", "decide", body + "}");
      if (got.status == 200) ids_.push_back(text_in(read_json(got.body), "id"));
      break;
    }
    case 7:
    case 8:
      got = call("POST", "outcome", which + R"(,"reward":1})");
      break;
    case 9:
      got = call("POST", "outcome", which + R"(,"costs":0.05})");
      break;
    case 10:
      got = call("POST", "activate", which + "}");
      break;
    case 11:
      got = call("POST", "cancel", which + "}");
      break;
    case 12:
      got = call("PATCH", "budgets",
                 R"({"budget":"day","top_up":1,"request_id":"top)" + number + "\"}");
      break;
    case 13:
      got = number == "7"
                ? call("DELETE", "actions", "", "huge")
                : call("POST", "actions", R"({"name":"a)" + number + R"(","largest_costs":1})");
      break;
    case 14:
      got = call("PATCH", "",
                 rng_.below(3) == 0 ? R"({"mode":"shadow","baseline":"small"})"
                                    : R"({"mode":"online","fallback":[]})");
      break;
    case 15:
      got = call(
          "POST", "warm_start",
          R"({"rounds":[{"context":{"age":1,"country":"x"},"action":"large","reward":0.5,"costs":0.4}]})");
      break;
  }
  if (got.status < 300) ++accepted_[kind];
}

// Folds the entries after a number, and compares the state after each group.
void expect_fold(const Workload& work, ModelState state, std::int64_t from) {
  const auto read = work.journal_->read(
      from + 1, [&](std::int64_t number, std::string_view bytes) -> Result<bool> {
        const auto folded = state.fold(number, decode_event(bytes).value());
        if (!folded) return folded.failure();
        if (const auto known = work.hashes_.find(number); known != work.hashes_.end()) {
          EXPECT_EQ(state.hash(), known->second) << "after entry " << number << ", from " << from;
        }
        return !testing::Test::HasFailure();
      });
  ASSERT_TRUE(read) << read.error();
}

TEST(ModelState, IsAFoldOverTheJournalFromAnySnapshot) {
  Workload work;
  for (int i = 0; i < 400; ++i) work.group();
  EXPECT_GE(work.accepted_.size(), 15U) << "every kind of request was accepted at least once";
  EXPECT_GT(work.snapshots_.size(), 20U);

  Event first;
  work.journal_
      ->read(1,
             [&](std::int64_t, std::string_view bytes) -> Result<bool> {
               first = decode_event(bytes).value();
               return false;
             })
      .check();
  expect_fold(work, ModelState::created(first).value(), 1);
  for (const auto& [position, bytes] : work.snapshots_) {
    auto state = ModelState::restore(bytes);
    ASSERT_TRUE(state) << state.error();
    EXPECT_EQ(state.value().hash(), work.hashes_.at(position));
    EXPECT_EQ(state.value().save(), bytes) << "what was read is written the same";
    expect_fold(work, std::move(state).value(), position);
  }
}

TEST(ModelState, StopsWhereAHashDisagrees) {
  Workload work;
  for (int i = 0; i < 5; ++i) work.group();
  ModelState state = ModelState::restore(work.model_->state().save()).value();
  const Event hash{.kind = Event::Kind::kHash, .id = state.hash() ^ 1};
  const auto folded = state.fold(99, hash);
  ASSERT_FALSE(folded);
  EXPECT_EQ(folded.reason(), Reason::kSequence);
  EXPECT_NE(folded.error().find("journal entry 99"), std::string::npos) << folded.error();
}

TEST(ModelState, RefusesSnapshotsOfEveryShorterLength) {
  Workload work;
  for (int i = 0; i < 20; ++i) work.group();
  const std::string bytes = work.model_->state().save();
  for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 64) {
    EXPECT_FALSE(ModelState::restore(std::string_view(bytes).substr(0, size))) << size;
  }
  EXPECT_FALSE(ModelState::restore(bytes + "x"));
}

// Many requests of a day make the service refuse further ones. They are forgotten as time passes,
// although none is added.
TEST(ModelState, ForgetsRequestsWithTime) {
  Workload work;
  work.model_->begin();
  ModelState& state = work.model_->state();
  for (std::uint64_t n = 0; n < 50; ++n) {
    state.requests.add(mark_of(1, std::to_string(n), "", ""), 2, 1'800'000'000);
  }
  EXPECT_EQ(state.requests.size(), 50);
  state.follow(3, {.kind = Event::Kind::kHash, .at = 1'800'000'000 + kRequestSeconds + 1});
  EXPECT_EQ(state.requests.size(), 40) << "the last 40 stay (remember)";
}

}  // namespace
}  // namespace rein::serve
