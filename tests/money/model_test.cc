// Budgets against a plain, slow model: windows of every kind, carry-over, keys that leave and come
// back, bills that are late, early, above their hold or never come, clocks that jump.
#include <gtest/gtest.h>

#include <cmath>
#include <list>
#include <map>
#include <tuple>

#include "money/budgets.h"
#include "rein/bytes.h"
#include "rein/rng.h"

namespace rein {
namespace {

constexpr int kKeys[] = {4, 7};  // names per dimension
constexpr int kMost = 3;         // places per dimension
constexpr Micro kAmount = 1'000'000;

std::vector<Budget> budgets() {
  const auto budget = [](const char* name, BudgetKind kind, Window window, bool carry,
                         const char* scope) {
    return Budget{name, "dollars", 1.0, kind, std::move(window), carry, scope};
  };
  return {budget("run", BudgetKind::kSteer, Window::run(), false, ""),
          budget("rounds", BudgetKind::kHard, Window::rounds(9), false, ""),
          budget("carried", BudgetKind::kHard, Window::ticks(20), true, ""),
          budget("rolling", BudgetKind::kHard, Window::rolling(200), false, ""),
          budget("tenant", BudgetKind::kHard, Window::ticks(30), false, "tenant"),
          budget("tenant rolling", BudgetKind::kHard, Window::rolling(50), false, "tenant"),
          budget("user", BudgetKind::kSteer, Window::rounds(15), true, "user"),
          budget("user carried", BudgetKind::kHard, Window::ticks(40), true, "user")};
}

Shape one_cost() {
  Shape shape;
  shape.actions = 2;
  shape.costs = {{.name = "dollars"}};
  return shape;
}

struct Deal {
  Claim claim;
  std::int64_t round = 0, time = 0;
  std::array<int, 2> names = {-1, -1};
  Micro counts = 0;  // the hold while it is open or expired, then the bill
};

class Model {
 public:
  explicit Model(std::uint64_t seed) : rng_(seed) {
    budgets_ = Budgets::make(budgets(), one_cost(), {.most_keys = kMost, .paced = true}).value();
  }

  void step() {
    switch (rng_.below(8)) {
      case 0:
        now_ += rng_.below(20) == 0 ? rng_.below(500) : rng_.below(6);
        budgets_.advance(round_, now_);
        break;
      case 1:
      case 2:
      case 3:
        return decide();
      case 4:
      case 5:
        return bill();
      case 6:
        return expire_or_give_up();
      default:
        return save_and_load();
    }
  }

  void check() const {
    for (int i = 0; i < budgets_.size(); ++i) {
      if (budgets_.budget(i).kind == BudgetKind::kHard) check_never_passed(i);
    }
    check_balances();
    check_paces();
  }

  std::int64_t refused = 0, full = 0, decided = 0;

 private:
  static int dimension_of(const Budget& b) {
    return b.scope == "tenant" ? 0 : b.scope == "user" ? 1 : -1;
  }

  ScopeKeys keys_of(const std::array<int, 2>& names) const {
    std::vector<std::string> texts;
    std::vector<Scope> scopes;
    for (int name : names) texts.push_back(std::to_string(name));
    if (names[0] >= 0) scopes.push_back({"tenant", texts[0]});
    if (names[1] >= 0) scopes.push_back({"user", texts[1]});
    return budgets_.keys_of(scopes).value();
  }

  void decide() {
    Deal deal{.round = round_, .time = now_};
    for (std::size_t d = 0; d < 2; ++d) {
      if (rng_.below(4) > 0) deal.names[d] = static_cast<int>(rng_.below(kKeys[d]));
    }
    const ScopeKeys keys = keys_of(deal.names);
    const Holds holds{.largest = {rng_.below(400'000)}, .expected = {rng_.below(200'000)}};
    if (!budgets_.has_room(keys)) {
      ++full;
      return;
    }
    if (holds.largest[0] > budgets_.left(keys)[0]) {
      ++refused;
      return;
    }
    deal.claim = budgets_.take(keys, holds);
    deal.counts = holds.largest[0];
    deals_.push_back(deal);
    ++decided;
    ++round_;
    budgets_.advance(round_, now_);
  }

  Deal* any(std::uint32_t waiting, std::uint32_t provisional) {
    for (int tries = 0; tries < 5 && !deals_.empty(); ++tries) {
      Deal& deal =
          deals_[static_cast<std::size_t>(rng_.below(static_cast<std::int64_t>(deals_.size())))];
      if (deal.claim.waiting == waiting && deal.claim.provisional == provisional) return &deal;
    }
    return nullptr;
  }

  void bill() {
    Deal* deal = rng_.below(4) == 0 ? any(0, 1) : any(1, 0);
    if (deal == nullptr) return;
    deal->counts = rng_.below(deal->claim.holds.largest[0] + 1);
    EXPECT_FALSE(budgets_.pay(deal->claim, 0, deal->counts));
  }

  void expire_or_give_up() {
    Deal* deal = any(1, 0);
    if (deal == nullptr) return;
    if (rng_.below(2) == 0) {
      budgets_.expire(deal->claim, 0);
    } else {
      budgets_.give_up(deal->claim, 0);
      deal->counts = 0;
    }
  }

  void save_and_load() {
    if (rng_.below(10) > 0) return;
    ByteWriter out;
    budgets_.save(out);
    Budgets copy =
        Budgets::make(budgets(), one_cost(), {.most_keys = kMost, .paced = true}).value();
    ByteReader in(out.bytes());
    copy.load(in).check();
    in.finish().check();
    for (const Deal& deal : deals_) copy.restore_hold(deal.claim).check();
    budgets_ = std::move(copy);
  }

  // A pace is a number, at least 0, and nothing is left where there is none.
  void check_paces() const {
    for (int i = 0; i < budgets_.size(); ++i) {
      if (!budgets_.applies(i, {})) continue;
      const Budgets::Pace pace = budgets_.pace(i, {}, Costs(1));
      ASSERT_GE(pace.pace, 0.0);
      ASSERT_GE(pace.rounds, 1.0);
      if (std::isfinite(pace.pace) && budgets_.balance(i, {}).left() <= 0 && pace.left <= 0.0) {
        ASSERT_EQ(pace.pace, 0.0);
      }
    }
  }

  // By the definition of the window, whatever the accounts say: what was billed, and what may still
  // be billed, of the decisions in every window of every key.
  void check_never_passed(int i) const {
    const Budget& b = budgets_.budget(i);
    const int dimension = dimension_of(b);
    std::map<std::pair<int, std::int64_t>, MicroSum> sums;
    for (const Deal& deal : deals_) {
      const int name = dimension < 0 ? 0 : deal.names[static_cast<std::size_t>(dimension)];
      if (name < 0) continue;
      const std::int64_t at = b.window.kind == Window::Kind::kRounds ? deal.round : deal.time;
      if (b.window.kind != Window::Kind::kRolling) {
        sums[{name, b.carry ? 0 : at / b.window.length}] += deal.counts;
      } else if (at > now_ - b.window.length) {
        sums[{name, 0}] += deal.counts;
      }
    }
    const MicroSum limit = b.carry ? (now_ / b.window.length + 1) * MicroSum{kAmount} : kAmount;
    for (const auto& [window, sum] : sums)
      ASSERT_LE(sum, limit) << b.name << " key " << window.first;
  }

  // Budgets for everybody have one account, so the sums by definition are its balance.
  void check_balances() const {
    MicroSum run = 0, rounds = 0, carried = 0;
    for (const Deal& deal : deals_) {
      const bool open = deal.claim.waiting != 0, expired = deal.claim.provisional != 0;
      run += open ? deal.claim.holds.expected[0] : expired ? 0 : deal.counts;
      if (deal.round / 9 == round_ / 9) rounds += deal.counts;
      carried += deal.counts;
    }
    EXPECT_EQ(budgets_.balance(0, {}).left(), kAmount - run);
    EXPECT_EQ(budgets_.balance(1, {}).left(), kAmount - rounds);
    EXPECT_EQ(budgets_.balance(2, {}).left(), (now_ / 20 + 1) * MicroSum{kAmount} - carried);
  }

  Rng rng_;
  Budgets budgets_;
  std::vector<Deal> deals_;
  std::int64_t round_ = 0, now_ = 0;
};

TEST(BudgetsModel, AMillionOperationsNeverPassAHardBudget) {
  std::int64_t refused = 0, full = 0, decided = 0;
  for (std::uint64_t seed = 0; seed < 2500; ++seed) {
    Model model(seed);
    for (int step = 0; step < 400; ++step) {
      model.step();
      if (step % 20 == 19) model.check();
      if (testing::Test::HasFailure()) FAIL() << "seed " << seed << ", step " << step;
    }
    refused += model.refused;
    full += model.full;
    decided += model.decided;
  }
  // The model meets what it is for.
  EXPECT_GT(decided, 80'000);
  EXPECT_GT(refused, 20'000);
  EXPECT_GT(full, 1'000);
}

}  // namespace
}  // namespace rein
