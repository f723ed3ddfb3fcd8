#include "serve/verbs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace rein::serve {

std::span<const Verb> verbs() {
  static constexpr std::array kVerbs = std::to_array<Verb>({
      {"POST", "decide", false, decide, false, kDecideRole},
      {"POST", "outcome", false, outcome, true, kReportRole},
      {"POST", "activate", false, activate, true, kDecideRole | kReportRole},
      {"POST", "cancel", false, cancel, true, kDecideRole | kReportRole},
      {"GET", "state", false, state},
      {"GET", "budgets", false, budgets},
      {"PATCH", "budgets", false, change_budget},
      {"GET", "keys", false, keys},
      {"GET", "windows", false, windows},
      {"POST", "runs", false, open_run, false, kDecideRole},
      {"DELETE", "runs", true, close_run, false, kDecideRole},
      {"GET", "runs", true, one_run, false, kReadRole | kDecideRole},
      {"GET", "runs", false, runs, false, kReadRole | kDecideRole},
      {"GET", "open", false, open},
      {"GET", "explain", true, explain},
      {"GET", "live", false, live},
      {"GET", "decisions", false, decisions},
      {"GET", "notices", false, notices},
      {"POST", "pause", false, pause},
      {"POST", "resume", false, resume},
      {"POST", "quarantine", false, quarantine},
      {"POST", "expect", false, expect},
      {"GET", "actions", false, actions},
      {"POST", "actions", false, add_action},
      {"POST", "apply", false, apply},
      {"DELETE", "actions", true, remove_action},
      {"POST", "warm_start", false, warm_start},
      {"POST", "rank", false, rank, false, kDecideRole},
      {"POST", "events", true, rank_event, true, kReportRole},
      {"GET", "", false, document},
      {"PATCH", "", false, change_conduct},
  });
  return kVerbs;
}

bool comes_first(const Ask& ask) {
  return std::ranges::any_of(verbs(), [&](const Verb& verb) {
    return verb.comes_first && verb.name == ask.verb && verb.method == ask.method;
  });
}

bool is_change(const Ask& ask) {
  return std::ranges::any_of(verbs(), [&](const Verb& verb) {
    return verb.name == ask.verb && verb.method == ask.method && verb.method != "GET" &&
           verb.roles == kNoRole;
  });
}

HttpResponse run_verb(Model& model, const Ask& ask) {
  std::string methods;
  for (const Verb& verb : verbs()) {
    if (verb.name != ask.verb || verb.takes_rest == ask.rest.empty()) continue;
    if (verb.method == ask.method) return verb.run(model, ask);
    methods += (methods.empty() ? "" : ", ") + std::string(verb.method);
  }
  if (methods.empty()) {
    throw Refused(404, "unknown",
                  fmt::format("path: models have no \"{}{}{}\"; /openapi.json lists "
                              "what there is",
                              ask.verb, ask.rest.empty() ? "" : "/", ask.rest));
  }
  if (ask.verb.empty()) methods += ", PUT, DELETE";
  throw wrong_method(ask.method, methods);
}

std::string hex(std::uint64_t id) { return fmt::format("{:016x}", id); }

std::uint64_t id_of(const Json& given, const std::string& field, std::string_view what) {
  const std::string& text = text_of(given, field);
  const bool digits =
      text.size() == 16 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!digits) {
    throw invalid(field,
                  fmt::format("found {}; accepted: the id of {}, 16 hex digits", shown(given), what));
  }
  return std::stoull(text, nullptr, 16);
}

RequestMark read_mark(Model& model, Fields& fields, std::string_view verb, std::string_view text) {
  const Json* given = fields.find("request_id");
  if (given == nullptr) return {};
  const std::string& id = text_of(*given, fields.path("request_id"));
  if (id.empty() || id.size() > kMostRequestId) {
    throw invalid(fields.path("request_id"),
                  fmt::format("found {} bytes; accepted: 1 to {}", id.size(), kMostRequestId));
  }
  return mark_of(model.state().key(), id, verb, text);
}

}  // namespace rein::serve
