// Helpers for tests of pricers: a few problems, and functions to pay and to read prices.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "rein/pricer.h"
#include "square_potential.h"

namespace rein {

// K = 4, T = 100, U = 9: root = 60.
inline Terms one_cost() {
  return {.setting = Setting::kExpectation, .actions = 4, .costs = 1, .rounds = 100, .u = 9.0};
}

// The same with two costs, of budgets 30 and 40.
inline Terms two_costs() {
  Terms terms = one_cost();
  terms.costs = 2;
  terms.budgets = {30.0, 40.0};
  return terms;
}

inline std::unique_ptr<Pricer> make(std::string_view spec, const Terms& terms,
                                    const Own& own = square(40.0)) {
  return make_pricer(parse_spec(spec).value(), terms, own).value();
}

inline std::string refusal(std::string_view spec, const Terms& terms, const Own& own = {}) {
  const auto made = make_pricer(parse_spec(spec).value(), terms, own);
  return made.ok() ? "made" : made.error();
}

inline void pay(Pricer& pricer, const std::vector<Costs>& rounds) {
  Books books;
  for (const Costs& costs : rounds) {
    books.rounds += 1;
    if (books.spent.empty()) books.spent = Costs(costs.size());
    for (int i = 0; i < costs.size(); ++i) books.spent[i] += costs[i];
    pricer.learn(books, costs);
  }
}

inline Prices price_of(const Pricer& pricer, const Costs& reserved = {}) {
  Prices prices;
  pricer.price({.reserved = reserved}, prices);
  return prices;
}

// The price as a plain number.
inline double plain(const Prices& prices, int cost) {
  return prices.scaled[cost] * std::exp(prices.log_scale);
}

inline double in_hundredths(int x) { return 0.01 * x; }

}  // namespace rein
