#include "engine/money_setup_model.h"

#include <algorithm>
#include <array>

#include "rein/rng.h"

namespace rein {
namespace {

constexpr std::int64_t kSpring = 1'772'900'000;  // some days before clocks move in New York
// Zones whose clocks do not move at midnight: the model's calendar is that of the C library.
constexpr std::array kZones = {"UTC", "America/New_York", "Europe/Berlin", "Asia/Kolkata",
                               "Australia/Sydney"};

std::vector<Budget> menu() {
  const auto one = [](const char* name, int cost, double amount, Window window, bool carry,
                      const char* scope) {
    return Budget{name,   kMoneyCosts[static_cast<std::size_t>(cost)],
                  amount, BudgetKind::kHard,
                  window, carry,
                  scope,  200};
  };
  return {one("run", 0, 30.000001, Window::run(), false, ""),
          one("seconds", 1, 9.5, Window::ticks(25), false, ""),
          one("rounds", 0, 4.25, Window::rounds(19), false, ""),
          one("carried", 0, 3.999999, Window::ticks(20), true, ""),
          one("rolling", 0, 9.1, Window::rolling(200), false, ""),
          one("day", 0, 20.5, Window::day("America/New_York"), true, ""),
          one("tenant", 0, 2.5, Window::ticks(30), false, "tenant"),
          one("tenant rolling", 0, 3.3, Window::rolling(50), false, "tenant"),
          one("tenant week", 1, 30.0, Window::week("Europe/Berlin"), false, "tenant"),
          one("user", 0, 1.75, Window::rounds(45), true, "user"),
          one("user month", 0, 6.0, Window::month("Europe/Berlin"), true, "user"),
          one("user seconds", 1, 5.0, Window::ticks(70), false, "user")};
}

Window any_window(Rng& rng) {
  const std::string zone = kZones[static_cast<std::size_t>(rng.below(kZones.size()))];
  switch (rng.below(7)) {
    case 0:
      return Window::run();
    case 1:
      return Window::rounds(1 + rng.below(60));
    case 2:
      return Window::ticks(rng.below(2) == 0 ? 1 + rng.below(100) : 1 + rng.below(90'000));
    case 3:
      return Window::rolling(1 + rng.below(400));
    case 4:
      return Window::day(zone);
    case 5:
      return Window::week(zone);
    default:
      return Window::month(zone);
  }
}

// Any budget that is accepted.
Budget any_budget(Rng& rng, std::string name, bool steered) {
  Budget budget{.name = std::move(name),
                .cost = kMoneyCosts[static_cast<std::size_t>(rng.below(2))],
                .amount = static_cast<double>(1 + rng.below(12'000'000)) / 1e6,
                .kind = BudgetKind::kHard,
                .window = any_window(rng)};
  budget.carry = budget.window.kind != Window::Kind::kRolling && rng.below(2) == 0;
  budget.rounds = 200;
  const std::int64_t scope = rng.below(3);
  budget.scope = scope == 0 ? "" : scope == 1 ? "tenant" : "user";
  if (steered && rng.below(2) == 0) budget.kind = BudgetKind::kSteer;
  const bool kept = budget.window.kind == Window::Kind::kRun && budget.kind == BudgetKind::kHard;
  if (kept) budget.scope = "";  // would keep every key for ever
  return budget;
}

std::int64_t any_start(Rng& rng) {
  constexpr std::int64_t kYear = 31'556'952;
  switch (rng.below(5)) {
    case 0:
      return 1;
    case 1:
      return 1 + rng.below(1000);
    case 2:
      return kSpring;
    case 3:
      return 20 * kYear + rng.below(110 * kYear);  // 1990 to 2100
    default:
      return kSpring + rng.below(86'400 * 400);
  }
}

}  // namespace

MoneySetup money_setup(std::uint64_t seed) {
  Rng rng(seed, 1);
  MoneySetup setup{.seed = seed, .steered = rng.below(3) == 0};
  for (Budget& budget : menu()) {
    // Prices need a budget for every cost: the first two of the menu.
    const bool needed = setup.steered && setup.budgets.size() < 2;
    if (!needed && rng.below(4) > 0) continue;
    if (setup.steered && rng.below(2) == 0) budget.kind = BudgetKind::kSteer;
    setup.budgets.push_back(budget);
  }
  const std::int64_t drawn = rng.below(4) + (setup.budgets.empty() ? 1 : 0);
  for (std::int64_t n = 0; n < drawn; ++n) {
    setup.budgets.push_back(any_budget(rng, "drawn " + std::to_string(n), setup.steered));
  }
  setup.patient = rng.below(4) == 0;
  setup.most_open = setup.patient ? 2000 : 1 + rng.below(60);
  setup.remember = rng.below(4) == 0 ? rng.below(4) : 500;
  setup.expire_after = setup.patient ? 100'000 * rng.below(2) : rng.below(60);
  setup.most_keys = static_cast<int>(1 + rng.below(4));
  setup.start = any_start(rng);
  setup.early_changes = rng.below(2) * rng.below(4);
  return setup;
}

}  // namespace rein
