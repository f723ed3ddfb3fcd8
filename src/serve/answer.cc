#include "serve/answer.h"

#include <fmt/format.h>

#include "base/json.h"

namespace rein::serve {
Refused wrong_method(std::string_view found, std::string allow) {
  Refused why(405, "method", fmt::format("method: found {}; accepted: {}", found, allow));
  why.allow = std::move(allow);
  return why;
}

Refused refused(const Error& error, std::string field) {
  // In a request the features are inside the actions.
  if (field.empty()) field = error.field == "features" ? "actions" : error.field;
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
