// Result<T>: a value, or the reason why there is none.
//
// Errors of the outside world (a spec, an input, a file) are returned as a Result. The message says
// what was found, where, and what is accepted. Errors of rein itself throw Bug. The compiler warns
// if a Result is ignored. Success allocates nothing beyond the value.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace rein {

// The kind of an error, for programs that react to it. Unless a function says otherwise, it is
// kInvalid for input and kFailed for files. The engine (rein/engine.h) uses most of the others.
enum class Reason {
  kInvalid,   // the input is not accepted
  kUnknown,   // no decision ever had this id
  kExpired,   // the decision is no longer open, and its outcome is not remembered
  kConflict,  // the decision already has a different outcome
  kFull,      // too many decisions are open
  kBudget,    // no action fits the hard budget
  kCorrupt,   // bytes that rein did not write, or that were damaged
  kSequence,  // a valid record, but not the next record of this engine
  kMeaning,   // intact state of a policy that this program cannot make as it was
  kFailed,    // the system failed: a file could not be read or written
  kFenced,    // another node of the service has taken over
};

// Why a call was refused. Unless a function says otherwise, a refused call changes nothing.
struct Error {
  std::string message;
  Reason reason = Reason::kInvalid;
  // The part of what was given that the error is about, by its name in Python and JSON: "context",
  // "budgets". Empty if it is about no single part. Programs read it; the message is for people.
  // REQUIRES text that is never freed, such as a literal.
  std::string_view field = {};

  // An input that is not accepted, in this part.
  static Error of(std::string_view field, std::string message) {
    return {std::move(message), Reason::kInvalid, field};
  }
  // The same error, with text before its message that says where it happened.
  Error in(std::string_view where) const { return {std::string(where) + message, reason, field}; }
  // The same error, about this part, unless it says already what it is about.
  Error about(std::string_view part) const {
    return {message, reason, field.empty() ? part : field};
  }
};

// Thrown by Result::value() and Result::check() if there is an error.
class Failure : public std::runtime_error {
 public:
  explicit Failure(const std::string& message, Reason reason = Reason::kInvalid)
      : std::runtime_error(message), reason_(reason) {}
  explicit Failure(const Error& error)
      : std::runtime_error(error.message), reason_(error.reason), field_(error.field) {}
  Reason reason() const { return reason_; }
  std::string_view field() const { return field_; }  // see Error::field

 private:
  Reason reason_;
  std::string_view field_;
};

// Thrown if rein breaks one of its own guarantees. Please report it.
class Bug : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

template <class T = void>
class [[nodiscard]] Result {
 public:
  // From anything that converts to T, so that a unique_ptr<Derived> returns as a Result of its
  // base.
  template <class U = T>
  requires(std::is_convertible_v<U, T> && !std::is_same_v<std::remove_cvref_t<U>, Error>)
      Result(U&& value)  // NOLINT: implicit, so that `return value;` works
      : state_(std::in_place_index<0>, std::forward<U>(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  // REQUIRES !ok().
  const std::string& error() const { return std::get<1>(state_).message; }
  Reason reason() const { return std::get<1>(state_).reason; }
  // Message, reason and field together. An error is passed on as `return result.failure();`, or with
  // failure().in("where: "), so that it keeps its reason. REQUIRES !ok().
  const Error& failure() const { return std::get<1>(state_); }
  // The value. Throws Failure with the message if there is none.
  T& value() & { return throw_if_error(), std::get<0>(state_); }
  const T& value() const& { return throw_if_error(), std::get<0>(state_); }
  T&& value() && { return throw_if_error(), std::get<0>(std::move(state_)); }
  void check() const { throw_if_error(); }

 private:
  void throw_if_error() const {
    if (!ok()) throw Failure(failure());
  }
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : failed_(true), error_(std::move(error)) {}  // NOLINT

  bool ok() const { return !failed_; }
  explicit operator bool() const { return ok(); }
  const std::string& error() const { return error_.message; }
  Reason reason() const { return error_.reason; }
  const Error& failure() const { return error_; }
  // Throws Failure with the message if there is an error.
  void check() const {
    if (failed_) throw Failure(error_);
  }

 private:
  bool failed_ = false;
  Error error_;
};

}  // namespace rein
