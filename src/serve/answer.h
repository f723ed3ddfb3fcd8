// The reply to a request: an answer, or a refusal with a code that programs can read.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "http/server.h"
#include "rein/result.h"

namespace rein::serve {

// Thrown where a request is refused, and turned into an answer in one place (Model::call). A request
// that is refused has changed nothing.
class Refused : public std::runtime_error {
 public:
  Refused(int status, std::string_view code, const std::string& message, std::string field = {})
      : std::runtime_error(message), status_(status), code_(code), field_(std::move(field)) {}

  int status() const { return status_; }
  const std::string& code() const { return code_; }
  const std::string& field() const { return field_; }
  std::int64_t retry_after = -1;  // seconds; -1: nobody knows
  std::string allow;              // methods that are accepted; only with 405

 private:
  int status_;
  std::string code_;
  std::string field_;
};

// 405, with the methods that are accepted.
Refused wrong_method(std::string_view found, std::string allow);
// The refusal for an error of the engine: about `field` of the request, or if that is empty about the
// field that the error names.
Refused refused(const Error& error, std::string field = {});
// A field that is not accepted: 400.
inline Refused invalid(const std::string& field, const std::string& message) {
  return {400, "invalid", field.empty() ? message : field + ": " + message, field};
}

// The value, or Refused.
template <class T>
T taken(Result<T> result, const char* field = "") {  // NOLINT: by value, as its value moves out
  if (!result) throw refused(result.failure(), field);
  if constexpr (!std::is_void_v<T>) return std::move(result).value();
}

// The answer that says why.
HttpResponse answer_of(const Refused& why);
HttpResponse refusal(int status, std::string_view code, std::string_view message,
                     std::string_view field = {});

}  // namespace rein::serve
