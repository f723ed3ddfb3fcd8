#include "serve/holding.h"

#include <fmt/format.h>

#include <set>

#include "money/budgets.h"
#include "serve/answer.h"
#include "serve/json_in.h"
#include "serve/model.h"

namespace rein::serve {

void check_open_bytes(const Model& model) {
  if (model.open_bytes() < model.most_open_bytes()) return;
  Refused full(503, "full",
               fmt::format("the open decisions take {} MiB; accepted: at most {}. Report or cancel "
                           "their outcomes, set expire_after, or offer fewer actions",
                           model.open_bytes() >> 20U, model.most_open_bytes() >> 20U));
  full.retry_after = 60;  // outcomes make room, and nobody knows when they come
  throw full;
}

std::int64_t key_bytes(const EngineOptions& options) {
  constexpr std::int64_t kKey = 40, kAccount = 32 + 24;  // docs/budgets.md, Scopes; 24 for its pace
  constexpr std::int64_t kWindow = 64, kName = kMaxKeyName;
  std::set<std::string> scopes;
  std::int64_t of_one = 0;
  for (const Budget& budget : options.budgets) {
    if (budget.scope.empty()) continue;
    const bool rolling = budget.window.kind == Window::Kind::kRolling;
    const int windows = rolling           ? Budgets::kBucketsPerKey
                        : budget.keep > 0 ? budget.keep
                                          : Budgets::kKeptPerKey;
    of_one += kAccount + kWindow * windows;
    if (scopes.insert(budget.scope).second) of_one += kKey + (budget.named ? kName : 0);
  }
  return of_one * options.most_keys;
}

void check_key_bytes(const EngineOptions& options) {
  const std::int64_t bytes = key_bytes(options);
  if (bytes <= kMostKeyBytes) return;
  throw invalid("most_keys",
                fmt::format("{} keys per scope need up to {} MiB with these budgets; accepted: at most {}: fewer "
                            "keys, or fewer windows that are kept (keep)",
                            options.most_keys, bytes >> 20U, kMostKeyBytes >> 20U));
}

void write_limits(JsonWriter& json, const Model& model) {
  const EngineOptions& options = model.state().engine.options();
  json.begin_object().key("most_open").value(options.most_open);
  json.key("open_bytes").value(model.most_open_bytes());
  json.key("key_bytes").value(key_bytes(options));
  json.key("expire_after").value(options.expire_after);
  json.key("remember").value(options.remember);
  json.key("request_ids").value(model.state().requests.most()).end_object();
}

}  // namespace rein::serve
