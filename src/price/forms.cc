#include "price/forms.h"

#include <fmt/format.h>

#include <algorithm>

namespace rein {
namespace {

Costs rates_of(const Terms& terms) {
  Costs rates(terms.costs);
  for (int i = 0; i < terms.budgets.size(); ++i) {
    rates[i] = terms.budgets[i] / static_cast<double>(terms.rounds);
  }
  return rates;
}

// Costs that cannot be negative and have a budget are already in knapsack form.
bool is_knapsack(const Terms& terms, int cost) {
  return !terms.budgets.empty() && (terms.lowest.empty() || terms.lowest[cost] >= 0.0);
}

}  // namespace

Form Form::zero_threshold(const Terms& terms) {
  Form form;
  form.rates_ = rates_of(terms);
  form.scales_ = Costs(terms.costs, 1.0);
  return form;
}

Result<Form> Form::knapsack(const Terms& terms) {
  if (terms.rounds < 1) {
    return Error{
        "policy spec: a price per share of the budget needs the number of rounds; "
        "accepted: rounds=N"};
  }
  Form form = zero_threshold(terms);
  Costs rates = form.rates_;  // for costs in [0, 1]
  form.rate_ = terms.costs == 0 ? 0.5 : 1.0;
  for (int i = 0; i < terms.costs; ++i) {
    if (!is_knapsack(terms, i)) {
      form.scales_[i] = 0.5;
      rates[i] = 0.5 * (rates[i] + 1.0);
    }
    if (!(rates[i] >= kMinRate)) {
      return Error{
          fmt::format("policy spec: the budget of cost {} is {} of its largest value per round; "
                      "accepted: {}",
                      i, form.rates_[i],
                      is_knapsack(terms, i) ? fmt::format("at least {}", kMinRate) : "above -1")};
    }
    form.rate_ = std::min(form.rate_, rates[i]);
  }
  for (int i = 0; i < terms.costs; ++i) form.scales_[i] *= form.rate_ / rates[i];
  form.budget_ = form.rate_ * static_cast<double>(terms.rounds);
  return form;
}

}  // namespace rein
