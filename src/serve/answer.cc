#include "serve/answer.h"

#include <fmt/format.h>

#include <array>

#include "base/json.h"

namespace rein::serve {
namespace {

// The beginning of a message of the engine, and the field of a request that such a message is
// about.
struct About {
  std::string_view message, field;
};
constexpr std::array kAbout = std::to_array<About>({
    {"scopes: ", "scopes"},
    {"schema: ", "context"},
    {"round: context", "context"},
    {"round: features", "actions"},
    {"round: baseline", "baseline"},
    {"round: the baseline", "baseline"},
    {"round: expected_costs", "expected_costs"},
    {"decide: largest_costs", "largest_costs"},
    {"decide: most_costs", "most_costs"},
    {"outcome: reward", "reward"},
    {"outcome: cost", "costs"},
    {"outcome: found no part", "costs"},
    {"decision ", "id"},
    {"policy spec: ", "policy"},
    {"actions: ", "actions"},
    {"shape: reward", "reward"},
    {"shape: cost", "costs"},
    {"engine: cost", "costs"},
    {"engine: safe_action", "safe_action"},
    {"engine: expire_after", "expire_after"},
    {"engine: default_outcome", "default_outcome"},
    {"engine: most_open", "most_open"},
    {"engine: remember", "remember"},
    {"budget \"", "budgets"},
    {"budgets: ", "budgets"},
    {"window: ", "budgets"},
});

}  // namespace

Refused wrong_method(std::string_view found, std::string allow) {
  Refused why(405, "method", fmt::format("method: found {}; accepted: {}", found, allow));
  why.allow = std::move(allow);
  return why;
}

Refused refused(const Error& error, std::string field) {
  for (const About& about : kAbout) {
    const bool nearer = field.empty() || about.field == "scopes";
    if (nearer && error.message.starts_with(about.message)) field = about.field;
  }
  switch (error.reason) {
    case Reason::kUnknown:
      return {404, "unknown", error.message, std::move(field)};
    case Reason::kExpired:
      return {404, "expired", error.message, std::move(field)};
    case Reason::kConflict:
      return {409, "conflict", error.message, std::move(field)};
    case Reason::kFull:
      return {503, "full", error.message, std::move(field)};
    case Reason::kBudget:
      return {429, "budget", error.message, std::move(field)};
    case Reason::kInvalid:
      return {400, "invalid", error.message, std::move(field)};
    case Reason::kCorrupt:
    case Reason::kSequence:
    case Reason::kMeaning:
    case Reason::kFailed:
    case Reason::kFenced:
      break;
  }
  return {500, "bug", error.message, std::move(field)};
}

HttpResponse refusal(int status, std::string_view code, std::string_view message,
                     std::string_view field) {
  JsonWriter json;
  json.begin_object().key("error").begin_object();
  json.key("code").value(code).key("message").value(message).key("field");
  if (field.empty()) {
    json.null();
  } else {
    json.value(field);
  }
  json.end_object().end_object();
  return {.status = status, .body = json.str(), .headers = {}};
}

HttpResponse answer_of(const Refused& why) {
  HttpResponse response = refusal(why.status(), why.code(), why.what(), why.field());
  if (why.retry_after >= 0) {
    response.headers.emplace_back("Retry-After", std::to_string(why.retry_after));
    // Entries of batches and lines have no headers.
    response.body.insert(response.body.size() - 2,
                         fmt::format(",\"retry_after\":{}", why.retry_after));
  }
  if (!why.allow.empty()) response.headers.emplace_back("Allow", why.allow);
  return response;
}

}  // namespace rein::serve
