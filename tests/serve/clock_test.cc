// A wall clock that jumps. The clock of a model never goes back, windows hold their money, and the
// journal alone says what time it was.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "rein/rng.h"
#include "serve/model_life.h"

namespace rein::serve {
namespace {

constexpr const char* kDocument =
    R"({"actions":["small","large"],"context":1,"costs":{"dollars":[0,1]},"reward":[0,1],
        "largest_costs":{"small":0.01,"large":0.1},"expire_after":20,"seed":3,
        "budgets":[{"name":"burst","cost":"dollars","amount":0.35,"hard":true,"per":"5 ticks"},
                   {"name":"day","cost":"dollars","amount":300,"per":"day","zone":"Europe/Berlin"}]})";
constexpr std::int64_t kStart = 1'774'746'000;  // an hour before clocks move in Berlin

class ClockTest : public ModelOnClocks {
 protected:
  ClockTest() : ModelOnClocks(kDocument, kStart, false) {}
  // The bill, or the largest cost while there is none, of each window of five seconds.
  std::map<std::int64_t, std::int64_t> spent_by_window() const;
};

std::map<std::int64_t, std::int64_t> ClockTest::spent_by_window() const {
  struct Decided {
    std::int64_t window = 0, micros = 0;
  };
  std::map<std::uint64_t, Decided> decided;
  const auto state = fold_journal(
      *journal_, {}, [&](std::int64_t, const Event& event, const ModelState&) -> Result<> {
        if (event.kind != Event::Kind::kRecord) return {};
        const auto record = decode(event.record).value();
        if (const auto* one = std::get_if<DecideRecord>(&record)) {
          EXPECT_EQ(one->at, event.at);
          const bool large = one->round.view().id(one->decision.action) == 1;
          decided[one->id] = {one->at / 5, large ? 100'000 : 10'000};
        }
        const auto* came = std::get_if<LearnRecord>(&record);
        if (came != nullptr && !came->outcome.costs.empty()) {
          decided[came->id].micros = std::llround(came->outcome.costs[0] * 1e6);
        }
        return {};
      });
  EXPECT_TRUE(state.ok()) << state.error();
  std::map<std::int64_t, std::int64_t> windows;
  for (const auto& [id, one] : decided) windows[one.window] += one.micros;
  return windows;
}

TEST_F(ClockTest, JumpsNeverMoveTheModelBackAndNeverOpenAWindowTwice) {
  Rng rng(7);
  auto model = made();
  std::int64_t before = 0;
  std::set<std::string> open;
  int refused = 0;
  for (int step = 0; step < 4000; ++step) {
    switch (rng.below(12)) {
      case 0:
        wall_ -= static_cast<std::int64_t>(rng.below(7200));
        break;
      case 1:
        wall_ += static_cast<std::int64_t>(rng.below(60));
        break;
      case 2:
        wall_ = std::max(wall_, model->now()) + 1;
        break;
      case 3:
        if (rng.below(20) == 0) wall_ = kStart - 86'400 * 365;  // a machine without a clock
        if (rng.below(20) == 0) model = opened();
        break;
      default:
        break;
    }
    if (open.empty() || rng.below(2) == 0) {
      const HttpResponse answer = ask(*model, post("decide", R"({"context":[0.5]})"));
      ASSERT_TRUE(answer.status == 200 || answer.status == 429) << answer.body;
      if (answer.status == 200) open.insert(text_in(answer, "id"));
      refused += answer.status == 429 ? 1 : 0;
      for (const auto& [name, value] : answer.headers) {
        if (name == "Retry-After") {
          ASSERT_GE(std::stoi(value), 1);
          ASSERT_LE(std::stoi(value), 5);
        }
      }
    } else {
      const std::string id = *open.begin();
      open.erase(open.begin());
      const HttpResponse answer = ask(
          *model, post("outcome", fmt::format(R"({{"id":"{}","reward":1,"costs":0.007}})", id)));
      ASSERT_TRUE(answer.status == 200 || answer.status == 404) << answer.body;
    }
    ASSERT_GE(model->now(), before);
    before = model->now();
  }
  EXPECT_GT(refused, 100);
  for (const auto& [window, micros] : spent_by_window()) EXPECT_LE(micros, 350'000) << window;
  EXPECT_EQ(hash_of_fold(*journal_), model->state().hash());
}

TEST_F(ClockTest, ARestartUnderAnEarlierClockGoesOnFromTheJournal) {
  auto model = made();
  wall_ += 100;
  ask(*model, post("decide", R"({"context":[0.5]})"));
  const std::int64_t now = model->now();
  const std::uint64_t hash = model->state().hash();
  wall_ = 5;  // 1970
  model = opened();
  EXPECT_EQ(model->now(), now);
  EXPECT_EQ(model->state().hash(), hash);
  model->begin(false);
  model->commit().check();
  EXPECT_EQ(model->state().hash(), hash);  // nothing is due
  const HttpResponse answer = ask(*model, post("decide", R"({"context":[0.5]})"));
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(model->now(), now);
}

TEST_F(ClockTest, TimeAloneExpiresAndIsInTheJournal) {
  auto model = made();
  const std::string id = text_in(ask(*model, post("decide", R"({"context":[0.5]})")), "id");
  wall_ += 21;
  model->begin(false);  // nobody asks for a change
  model->commit().check();
  EXPECT_EQ(model->engine().state().expired, 1);
  EXPECT_EQ(hash_of_fold(*journal_), model->state().hash());
  const std::string body = fmt::format(R"({{"id":"{}","reward":1}})", id);
  EXPECT_EQ(ask(*model, post("outcome", body)).status, 404);
  // Another machine that reads the journal a year later has the same state.
  wall_ += 365 * 86'400;
  EXPECT_EQ(opened()->state().hash(), model->state().hash());
}

}  // namespace
}  // namespace rein::serve
