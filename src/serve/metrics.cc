#include "serve/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/size.h"
#include "serve/verbs.h"

namespace rein::serve {
namespace {

struct Metric {
  std::string_view name, type, help;
};

constexpr std::array kMetrics = std::to_array<Metric>({
    {"rein_model_stopped", "gauge", "1 for a model that stopped and is not served."},
    {"rein_decisions_total", "counter", "Decisions made."},
    {"rein_outcomes_total", "counter", "Decisions whose outcome is complete."},
    {"rein_expired_total", "counter", "Decisions that expired, those that gave way included."},
    {"rein_gave_way_total", "counter", "Decisions that expired early, to make room for new ones."},
    {"rein_late_bills_total", "counter", "Bills that came after their decision expired."},
    {"rein_open_decisions", "gauge", "Decisions whose outcome is not complete."},
    {"rein_open_decisions_limit", "gauge", "The most decisions that may be open: most_open."},
    {"rein_reward_total", "counter", "Sum of the rewards learned."},
    {"rein_rewarded_total", "counter", "Decisions whose reward was learned."},
    {"rein_billed_total", "counter", "Costs that were reported."},
    {"rein_budget_limit", "gauge", "Limit of a budget in its open window."},
    {"rein_budget_spent", "gauge", "What a budget has spent in its open window."},
    {"rein_budget_held", "gauge", "The largest costs of open decisions."},
    {"rein_budget_begins_timestamp_seconds", "gauge", "When the open window of a budget began, in UTC seconds."},
    {"rein_budget_ends_timestamp_seconds", "gauge", "When it ends, and the money is there anew."},
    {"rein_key_limit", "gauge", "Limit of one of the keys that spent most, in the open window."},
    {"rein_key_spent", "gauge", "What it has spent in the open window."},
    {"rein_key_held", "gauge", "What it holds."},
    {"rein_other_keys_spent", "gauge", "What all other keys of the budget have spent together."},
    {"rein_other_keys_held", "gauge", "What they hold together."},
    {"rein_budget_threshold", "gauge", "The highest threshold that people were told in the open window."},
    {"rein_notices_total", "counter", "Notices: what people were told."},
    {"rein_paused", "gauge", "Pauses: of the model, and of keys."},
    {"rein_quarantined", "gauge", "Callers and keys in quarantine."},
    {"rein_caller_suspect", "gauge", "1 for a caller of whom nothing is learned, because others disagree."},
    {"rein_keys", "gauge", "Keys of a scope, such as tenants, that have money of their own."},
    {"rein_keys_limit", "gauge", "The most that may have; then keys leave, or new ones are refused."},
    {"rein_keys_in_use", "gauge", "Those with open decisions."},
    {"rein_price", "gauge", "Reward per unit of a cost, at the last decision."},
    {"rein_status", "gauge", "1 for the present status of the policy."},
    {"rein_refused_total", "counter", "Answers with a status of 400 or more, since the start."},
    {"rein_refused_budget_total", "counter", "Decisions refused for money, since the start."},
    {"rein_clock_lag_seconds", "gauge",
     "Seconds by which the wall clock is ahead of the model's time. Negative: behind."},
    {"rein_journal_entries", "gauge", "Entries of the journal."},
    {"rein_open_bytes", "gauge", "What open decisions take in memory, about."},
    {"rein_open_bytes_limit", "gauge", "The most that they may take; then decisions are refused."},
    {"rein_request_ids", "gauge", "Request ids that are remembered."},
    {"rein_request_ids_limit", "gauge", "The most that are; then new ones are refused."},
    {"rein_journal_bytes", "gauge", "Size of the journal's file."},
    {"rein_journal_first_entry", "gauge", "The first entry that is in the journal; earlier ones are in its archive."},
    {"rein_archive_entries", "gauge", "Entries in the archive of the journal."},
    {"rein_archive_bytes", "gauge", "Size of the files of the archive."},
    {"rein_archive_failures_total", "counter", "Failures to move old entries to the archive, since the start."},
    {"rein_journal_wal_bytes", "gauge", "Size of its write-ahead log."},
    {"rein_snapshot_bytes", "gauge", "Size of the last snapshot."},
    {"rein_snapshot_entry", "gauge", "The journal entry of the last snapshot in its file."},
    {"rein_snapshot_timestamp_seconds", "gauge",
     "When it was written, in UTC seconds; 0: before the start."},
    {"rein_snapshot_seconds", "gauge", "How long it took to make and write."},
    {"rein_snapshot_failures_total", "counter", "Snapshots that failed, since the start."},
    {"rein_request_seconds", "histogram", "From the request to its answer, after its commit."},
    {"rein_commit_seconds", "histogram", "Time of a commit."},
});

std::string label(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

void histogram(std::string& out, std::string_view name, const std::string& labels,
               const Latency& latency) {
  for (std::size_t i = 0; i < Latency::kLimits.size(); ++i) {
    out += fmt::format("{}_bucket{{{},le=\"{}\"}} {}\n", name, labels, Latency::kLimits[i],
                       latency.at_most()[i]);
  }
  out += fmt::format("{}_bucket{{{},le=\"+Inf\"}} {}\n", name, labels, latency.total());
  out += fmt::format("{}_sum{{{}}} {}\n", name, labels, latency.total_seconds());
  out += fmt::format("{}_count{{{}}} {}\n", name, labels, latency.total());
}

// The metric that a line belongs to: rein_x_bucket belongs to rein_x.
bool belongs(std::string_view line, std::string_view name) {
  if (!line.starts_with(name)) return false;
  line.remove_prefix(name.size());
  return line.starts_with("{") || line.starts_with("_bucket{") || line.starts_with("_sum{") ||
         line.starts_with("_count{");
}

// Whether the window of a budget is a time: not one of rounds, and not one without an end.
bool in_seconds(const Engine& engine, std::string_view name) {
  const auto& budgets = engine.options().budgets;
  const auto found = std::ranges::find(budgets, name, &Budget::name);
  if (found == budgets.end()) return false;
  const Window::Kind kind = found->window.kind;
  return kind != Window::Kind::kRun && kind != Window::Kind::kRounds && kind != Window::Kind::kRolling;
}

// Only for models that have any of it, so that others have no lines for it.
void oversight_metrics(const Model& model, const auto& line) {
  const Oversight& oversight = model.state().oversight;
  if (oversight.empty() && !oversight.plan().watches) return;
  line("rein_notices_total", oversight.count());
  line("rein_paused", oversight.pauses().size());
  line("rein_quarantined", oversight.quarantined().size());
  for (const Callers::State& each : oversight.callers().states()) {
    if (!each.suspect.empty()) line("rein_caller_suspect", 1, fmt::format(",caller=\"{}\"", label(each.name)));
  }
  const Engine& engine = model.state().engine;
  const auto& budgets = engine.options().budgets;
  for (std::size_t i = 0; i < std::min(budgets.size(), oversight.plan().budgets.size()); ++i) {
    if (!budgets[i].scope.empty() || !oversight.plan().budgets[i].watched()) continue;
    const auto account = engine.account(static_cast<int>(i), {});
    const std::int64_t window = notice_window(budgets[i], *account, model.now());
    line("rein_budget_threshold", oversight.told(budgets[i].name, "", window).level,
         fmt::format(",budget=\"{}\"", label(budgets[i].name)));
  }
}

// A bounded number of keys has lines of its own, whatever the number of tenants is.
void key_metrics(const Engine& engine, const auto& line) {
  constexpr std::int64_t kKeysShown = 20;
  const auto units = [](std::int64_t micros) { return static_cast<double>(micros) / 1e6; };
  for (const Budget& budget : engine.options().budgets) {
    if (budget.scope.empty()) continue;
    const KeyPage page = taken(engine.keys(budget.name, {.most = kKeysShown}));
    const std::string name = fmt::format(",budget=\"{}\"", label(budget.name));
    std::int64_t spent = page.spent, held = page.held;
    for (const KeyState& key : page.keys) {
      const std::string who = fmt::format("{},key=\"{}\"", name, label(key_label(key)));
      line("rein_key_limit", units(key.limit), who);
      line("rein_key_spent", units(key.spent), who);
      line("rein_key_held", units(key.held), who);
      spent -= key.spent;
      held -= key.held;
    }
    line("rein_other_keys_spent", units(spent), name);
    line("rein_other_keys_held", units(held), name);
  }
}

}  // namespace

std::string model_metrics(Model& model) {
  const Engine& engine = model.engine();
  const EngineState state = engine.state();
  const PolicyState policy = engine.brief_state();
  const auto& costs = engine.policy().shape().costs;
  ModelWatch& watch = model.watch();
  const std::string who = fmt::format("model=\"{}\"", label(model.name()));
  std::string out;
  const auto line = [&](std::string_view name, auto value, const std::string& more = "") {
    out += fmt::format("{}{{{}{}}} {}\n", name, who, more, value);
  };
  line("rein_model_stopped", 0);
  line("rein_decisions_total", state.decided);
  line("rein_outcomes_total", state.learned);
  line("rein_expired_total", state.expired);
  line("rein_late_bills_total", state.late);
  line("rein_gave_way_total", state.gave_way);
  line("rein_open_decisions", state.open);
  line("rein_open_decisions_limit", engine.options().most_open);
  line("rein_reward_total", policy.reward);
  line("rein_rewarded_total", state.rewarded);
  const Costs prices = watch.prices();
  for (int i = 0; i < state.billed.size(); ++i) {
    const std::string cost = fmt::format(",cost=\"{}\"", label(costs[as_size(i)].name));
    line("rein_billed_total", state.billed[i], cost);
    if (i < prices.size()) line("rein_price", prices[i], cost);
  }
  for (const BudgetState& budget : state.budgets) {
    const std::string name = fmt::format(",budget=\"{}\"", label(budget.name));
    line("rein_budget_limit", static_cast<double>(budget.limit) / 1e6, name);
    line("rein_budget_spent", static_cast<double>(budget.spent) / 1e6, name);
    line("rein_budget_held", static_cast<double>(budget.held) / 1e6, name);
    if (!in_seconds(engine, budget.name)) continue;
    line("rein_budget_begins_timestamp_seconds", budget.first, name);
    line("rein_budget_ends_timestamp_seconds", budget.last + 1, name);
  }
  key_metrics(engine, line);
  oversight_metrics(model, line);
  for (const KeysState& keys : state.keys) {
    const std::string scope = fmt::format(",scope=\"{}\"", label(keys.dimension));
    line("rein_keys", keys.keys, scope);
    line("rein_keys_limit", keys.most, scope);
    line("rein_keys_in_use", keys.in_use, scope);
  }
  line("rein_status", 1, fmt::format(",status=\"{}\"", name_of(policy.status)));
  line("rein_refused_total", watch.refused);
  line("rein_refused_budget_total", watch.refused_budget);
  line("rein_clock_lag_seconds", model.clock_lag());
  line("rein_journal_entries", model.entries());
  line("rein_open_bytes", model.open_bytes());
  line("rein_open_bytes_limit", model.most_open_bytes());
  line("rein_request_ids", model.state().requests.size());
  line("rein_request_ids_limit", model.state().requests.most());
  line("rein_journal_bytes", model.file_bytes("journal"));
  line("rein_journal_first_entry", model.first_kept());
  line("rein_archive_entries", model.first_kept() - model.first_entry());
  line("rein_archive_bytes", model.archive_bytes());
  line("rein_archive_failures_total", watch.archive.failures);
  line("rein_journal_wal_bytes", model.file_bytes("journal-wal"));
  line("rein_snapshot_bytes", model.snapshot_bytes());
  line("rein_snapshot_entry", model.snapshot_at());
  line("rein_snapshot_timestamp_seconds", watch.snapshots.at);
  line("rein_snapshot_seconds", watch.snapshots.seconds);
  line("rein_snapshot_failures_total", watch.snapshots.failures);
  histogram(out, "rein_request_seconds", who + ",verb=\"decide\"", watch.decide);
  histogram(out, "rein_request_seconds", who + ",verb=\"outcome\"", watch.outcome);
  histogram(out, "rein_commit_seconds", who, watch.commit);
  return out;
}

std::string stopped_metrics(const std::string& name) {
  return fmt::format("rein_model_stopped{{model=\"{}\"}} 1\n", label(name));
}

std::string all_metrics(std::span<const std::string> models, const HttpCounts& counts,
                        std::int64_t free_bytes) {
  std::string out;
  for (const Metric& metric : kMetrics) {
    out += fmt::format("# HELP {} {}\n# TYPE {} {}\n", metric.name, metric.help, metric.name,
                       metric.type);
    for (std::string_view lines : models) {
      while (!lines.empty()) {
        const std::string_view line = lines.substr(0, lines.find('\n') + 1);
        lines.remove_prefix(line.size());
        if (belongs(line, metric.name)) out += line;
      }
    }
  }
  const auto one = [&](std::string_view name, std::string_view type, std::string_view help,
                       std::int64_t value) {
    out += fmt::format("# HELP {} {}\n# TYPE {} {}\n{} {}\n", name, help, name, type, name, value);
  };
  if (free_bytes >= 0) {
    one("rein_disk_free_bytes", "gauge", "Room on the disk of the data folder.", free_bytes);
  }
  one("rein_http_connections", "gauge", "Connections that are open.", counts.connections);
  one("rein_http_requests_total", "counter", "Requests, refused ones included.",
      counts.requests + counts.refused);
  one("rein_http_refused_total", "counter", "Requests refused before they reached a model.",
      counts.refused);
  one("rein_http_wrong_tokens_total", "counter", "Requests with a wrong token.",
      counts.wrong_tokens);
  one("rein_http_slow_readers_total", "counter",
      "Connections closed because they did not take their answers.", counts.slow_readers);
  one("rein_http_streams", "gauge", "Streams of events that are open.", counts.streams);
  one("rein_http_memory_bytes", "gauge", "Requests and answers that connections hold in memory.",
      counts.memory);
  return out;
}

}  // namespace rein::serve
