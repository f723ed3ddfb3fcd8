// How many keys are looked at to know which one may leave.
#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <map>
#include <set>
#include <string>

#include "money/budgets.h"
#include "rein/bytes.h"
#include "rein/rng.h"
#include "rein/state_version.h"

namespace rein {
namespace {

constexpr int kPlaces = 1000;

Budget keyed(const char* name, Window window, bool carry = false) {
  return {name, "dollars", 5.0, BudgetKind::kHard, std::move(window), carry, "user"};
}

class Crowd {
 public:
  explicit Crowd(const std::vector<Budget>& budgets) {
    Shape shape;
    shape.actions = 2;
    shape.costs = {{.name = "dollars"}};
    budgets_ = Budgets::make(budgets, shape, {.most_keys = kPlaces}).value();
    for (int name = 0; name < kPlaces; ++name) spend(name, 1);
  }
  bool knows(int name) const { return budgets_.has_room(keys(name)).ok(); }
  void spend(int name, Micro amount) {
    Claim claim = budgets_.take(keys(name), {.largest = {1'000'000}, .expected = {}});
    budgets_.pay(claim, 0, amount);
    ++used_;
  }
  void advance(std::int64_t now) { budgets_.advance(used_, now); }
  std::int64_t used() const { return used_; }
  std::int64_t sorted() const { return budgets_.fill()[0].sorted; }

 private:
  ScopeKeys keys(int name) const {
    const std::string text = std::to_string(name);
    const Scope scopes[] = {{"user", text}};
    return budgets_.keys_of(scopes).value();
  }
  Budgets budgets_;
  std::int64_t used_ = 0;
};

TEST(Leaving, ARefusalLooksAtNoKey) {
  Crowd crowd({keyed("hour", Window::ticks(100)), keyed("day", Window::ticks(2400))});
  const std::int64_t before = crowd.sorted();
  EXPECT_LE(before, 3 * crowd.used());
  for (int n = 0; n < 1000; ++n) ASSERT_FALSE(crowd.knows(kPlaces + n));
  EXPECT_EQ(crowd.sorted(), before);
}

TEST(Leaving, TheEndOfAWindowLooksAtOneKey) {
  Crowd crowd({keyed("day", Window::ticks(100))});
  const std::int64_t before = crowd.sorted();
  crowd.advance(100);
  EXPECT_EQ(crowd.sorted(), before + 1);
  for (int n = 0; n < kPlaces; ++n) crowd.spend(kPlaces + n, 1);
  EXPECT_LE(crowd.sorted(), before + 1 + 3 * kPlaces) << "a new key costs the same for any number";
  EXPECT_FALSE(crowd.knows(0));
}

// A key that two windows need waits for the longer one, so the end of the shorter one costs nothing.
TEST(Leaving, KeysWaitForTheLongestWindow) {
  Crowd crowd({keyed("hour", Window::ticks(100)), keyed("day", Window::ticks(2400)),
               keyed("rolling", Window::rolling(700))});
  const std::int64_t before = crowd.sorted();
  for (std::int64_t now = 1; now < 2400; ++now) crowd.advance(now);
  EXPECT_EQ(crowd.sorted(), before);
  EXPECT_FALSE(crowd.knows(kPlaces));
  crowd.advance(2400);
  EXPECT_LE(crowd.sorted(), before + 1);
  EXPECT_TRUE(crowd.knows(kPlaces));
}

// Rounds have no length in time, so keys are looked at again when the day ends; once.
TEST(Leaving, AKeyIsLookedAtOncePerWindowThatNeedsIt) {
  Crowd crowd({keyed("rounds", Window::rounds(1'000'000)), keyed("day", Window::ticks(100))});
  const std::int64_t before = crowd.sorted();
  crowd.advance(100);
  EXPECT_LE(crowd.sorted(), before + kPlaces);
  const std::int64_t after = crowd.sorted();
  for (int n = 0; n < 1000; ++n) ASSERT_FALSE(crowd.knows(kPlaces + n));
  for (std::int64_t now = 101; now < 1000; ++now) crowd.advance(now);
  EXPECT_EQ(crowd.sorted(), after);
}

// Journals of older versions fold as they did: keys left in the order of their use, those that were busy
// counted as used when they were met, and what was topped up did not count.
TEST(Leaving, BeforeRules2KeysLeftInTheOrderOfTheirUse) {
  constexpr int kFew = 5, kNames = 12;
  Shape shape;
  shape.actions = 2;
  shape.costs = {{.name = "dollars"}};
  const BudgetOptions options{.most_keys = kFew};
  const std::vector<Budget> all = {keyed("hour", Window::ticks(40))};
  Budgets budgets = Budgets::make(all, shape, options).value();
  budgets.leave_by_use(true);
  const auto keys = [&](int name) {
    const std::string text = std::to_string(name);
    const Scope scopes[] = {{"user", text}};
    return budgets.keys_of(scopes).value();
  };
  std::list<int> order;
  std::map<int, std::vector<Claim>> open;
  std::set<int> spent;
  std::map<int, std::int64_t> touched;  // the window
  const auto busy = [&](int name) { return !open[name].empty() || spent.contains(name); };
  Rng rng(4);
  std::int64_t now = 0, full = 0, left = 0;
  for (int step = 0; step < 60'000; ++step) {
    const int name = static_cast<int>(rng.below(kNames));
    const std::int64_t what = rng.below(8);
    if (what == 0) {
      if ((now + 7) / 40 > now / 40) spent.clear();
      budgets.advance(step, now += 7);
    } else if (what < 4 && !open[name].empty()) {
      const Micro amount = rng.below(2);
      const std::int64_t window = open[name].back().periods[0];
      budgets.pay(open[name].back(), 0, amount);
      open[name].pop_back();
      touched[name] = now / 40;
      if (amount > 0 && window == now / 40) spent.insert(name);
    } else if (what > 3) {
      const bool known = std::ranges::find(order, name) != order.end();
      const bool room = known || order.size() < kFew || !std::ranges::all_of(order, busy);
      ASSERT_EQ(budgets.has_room(keys(name)).ok(), room) << step;
      full += !room;
      if (!room) continue;
      if (!known && order.size() == kFew) {
        while (busy(order.front())) order.splice(order.end(), order, order.begin());
        order.pop_front();
        ++left;
      }
      touched[name] = now / 40;
      if (what == 4) {
        budgets.top_up(0, keys(name), 1'000);
        if (!known) order.push_back(name);
      } else {
        open[name].push_back(budgets.take(keys(name), {.largest = {1}, .expected = {}}));
        order.remove(name);
        order.push_back(name);
      }
    } else {
      ByteWriter out(rng.below(2) == 0 ? 6 : kStateVersion);
      budgets.save(out);
      budgets = Budgets::make(all, shape, options).value();
      budgets.leave_by_use(true);
      ByteReader in(out.bytes(), out.version());
      budgets.load(in).check();
      for (const auto& [of, claims] : open) {
        for (const Claim& claim : claims) budgets.restore_hold(claim).check();
      }
      budgets.tidy();
    }
    for (int one = 0; one < kNames; ++one) {
      // Two windows of a key are remembered.
      const bool here = std::ranges::find(order, one) != order.end() && touched[one] >= now / 40 - 1;
      ASSERT_EQ(!budgets.windows(0, keys(one)).empty(), here) << step << ", key " << one;
    }
  }
  EXPECT_GT(full, 100);
  EXPECT_GT(left, 100);
}

}  // namespace
}  // namespace rein
