// What differs between two documents of a model, field by field, and which of it can change while the
// model runs (POST NAME/apply, rein serve --apply).
#pragma once

#include <string>
#include <vector>

#include "rein/json.h"

namespace rein::serve {

struct Difference {
  std::string field;    // "budgets.day.amount": budgets by their names
  std::string was, is;  // as JSON, shortened; "nothing" where there is none
  bool can_change = false;
};

// Sorted by field. A key with null and a key that is not there are the same. Throws Refused for documents
// that are no objects.
std::vector<Difference> differences(const Json& was, const Json& is);
// "budgets.day.amount: 50 became 60; policy: "ccb" became "uniform"".
std::string in_words(const std::vector<Difference>& all);
// What to do about those: apply them, and what the others need.
std::string what_to_do(const std::vector<Difference>& all);

}  // namespace rein::serve
