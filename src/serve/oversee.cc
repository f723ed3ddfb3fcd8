// Model::oversee(): after a group of requests, what is to be told about it becomes entries.
#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/size.h"
#include "http/log.h"
#include "serve/model.h"

namespace rein::serve {
namespace {

// A status that comes and goes is told once in this time.
constexpr std::int64_t kStatusQuietSeconds = 3600;

double in_whole_units(std::int64_t micros) { return static_cast<double>(micros) / 1e6; }

std::string name_shown(const KeyState& key) {
  return key.name.empty() ? fmt::format("#{:016x}", key.key.high) : key.name;
}

void write_account(JsonWriter& json, const Budget& budget, const AccountState& account, std::int64_t window) {
  json.key("budget").value(budget.name).key("window").value(window);
  if (account.dimension >= 0) {
    json.key("scope").value(budget.scope).key("key").value(name_shown(account.key));
    json.key("digest").value(hex(account.key.key));
  }
  json.key("spent").value(in_whole_units(account.key.spent)).key("limit").value(in_whole_units(account.key.limit));
}

}  // namespace

std::int64_t notice_window(const Budget& budget, const AccountState& account, std::int64_t now) {
  return budget.window.kind == Window::Kind::kRolling ? now / std::max<std::int64_t>(1, budget.window.length)
                                                      : account.window;
}

void Model::push_notice(const std::string& record, const RequestMark& mark, const HttpResponse& answer) {
  Event event{.kind = Event::Kind::kNotice, .mark = mark};
  if (!mark.empty()) {
    event.status = answer.status;
    event.text = answer.body;
  }
  event.record = record;
  const std::int64_t before = state_.oversight.count();
  push(std::move(event));
  if (state_.oversight.count() == before) return;  // a mark of what was delivered
  const Json parsed = read_json(record);
  Json::Object line = {{"model", name_}, {"number", state_.oversight.count()}};
  for (const auto& [key, value] : std::get<Json::Object>(parsed.is)) {
    if (key != "digest") line.emplace_back(key, value);
  }
  log("warning", "notice", line);
}

void Model::oversee_account(int i, const ScopeKeys& keys) {
  const OversightPlan::OfBudget& plan = state_.oversight.plan().budgets[as_size(i)];
  const Budget& budget = state_.engine.options().budgets[as_size(i)];
  const auto account = state_.engine.account(i, keys);
  if (!account || account->key.limit <= 0) return;
  const double share =
      static_cast<double>(account->key.spent) / static_cast<double>(account->key.limit);
  double level = 0.0;
  for (const double each : plan.at) level = share >= each ? each : level;
  const bool pauses = plan.pause_at > 0.0 && share >= plan.pause_at;
  if (level == 0.0 && !pauses) return;
  const std::int64_t window = notice_window(budget, *account, now_);
  const std::string digest = account->dimension < 0 ? "" : hex(account->key.key);
  const Oversight::Told told = state_.oversight.told(budget.name, digest, window);
  if (level > told.level) {
    JsonWriter json;
    json.begin_object().key("what").value("threshold").key("share").value(level);
    write_account(json, budget, *account, window);
    json.end_object();
    push_notice(json.str());
  }
  if (!pauses || told.paused) return;
  JsonWriter json;
  json.begin_object().key("what").value("paused");
  json.key("why").value(fmt::format("budget {} has spent {:.6g} % of its amount, and pause_at is {:.6g} %",
                                    budget.name, 100.0 * share, 100.0 * plan.pause_at));
  write_account(json, budget, *account, window);
  json.end_object();
  push_notice(json.str());
}

// A status is told when it comes, and once more when all is well again.
void Model::oversee_status() {
  const auto& words = state_.oversight.plan().status;
  const std::string& told = state_.oversight.status();
  if (status_ == told || words.empty()) return;
  const bool wanted = std::ranges::find(words, status_) != words.end();
  const std::string next = wanted ? std::string(status_) : "ok";
  if (next == told) return;
  const std::int64_t before = state_.oversight.status_told_at(next);
  if (before >= 0 && now_ - before < kStatusQuietSeconds) return;
  JsonWriter json;
  json.begin_object().key("what").value("status").key("status").value(next);
  json.key("was").value(told).end_object();
  push_notice(json.str());
}

void Model::oversee_callers() {
  for (const Callers::State& each : state_.oversight.callers().states()) {
    const bool suspect = !each.suspect.empty();
    if (suspect == each.told) continue;
    JsonWriter json;
    json.begin_object().key("what").value(suspect ? "suspect" : "cleared");
    json.key("caller").value(each.name);
    if (suspect) json.key("why").value(each.suspect);
    json.end_object();
    push_notice(json.str());
  }
}

void Model::oversee() {
  const Oversight& oversight = state_.oversight;
  if (!oversight.plan().watches) return;
  Engine& engine = state_.engine;
  const auto& budgets = engine.options().budgets;
  const auto used = engine.used_keys();
  const int count = static_cast<int>(std::min(budgets.size(), oversight.plan().budgets.size()));
  for (int i = 0; i < count; ++i) {
    if (!oversight.plan().budgets[as_size(i)].watched()) continue;
    if (budgets[as_size(i)].scope.empty()) oversee_account(i, {});
    for (const ScopeKeys& keys : used) {
      if (!budgets[as_size(i)].scope.empty()) oversee_account(i, keys);
    }
  }
  oversee_status();
  if (oversight.plan().callers.on()) oversee_callers();
}

}  // namespace rein::serve
