// Result<T>: a value, or the reason there is none.
//
// What the outside world gets wrong (a spec, an input, a file) comes back as a Result whose message
// says what was found, where, and what is accepted. What rein itself gets wrong throws Bug.
// A Result cannot be dropped by accident. The path without an error allocates nothing.
#pragma once

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace rein {

// What kind of refusal it is, for programs that answer others. The engine (rein/engine.h) uses most
// of them, files that are written use kFailed, everything else says kInvalid.
enum class Reason {
  kInvalid,   // the input is not what is accepted
  kUnknown,   // no decision ever had this id
  kExpired,   // the decision is no longer open, and its outcome, if one came, no longer remembered
  kConflict,  // the decision already has another outcome
  kFull,      // too many decisions are open
  kBudget,    // the hard budget leaves no action
  kCorrupt,   // bytes that were not written by us, or were damaged since
  kSequence,  // a good record, but not the one that comes next here
  kFailed,    // the machine could not do it: a file could not be written
};

// Why something was refused. Nothing has changed when one of these comes back.
struct Error {
  std::string message;
  Reason reason = Reason::kInvalid;
};

// Thrown by Result::value() and Result::check() when there is an error nobody looked at.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Thrown when rein breaks a promise of its own. Please report it.
class Bug : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

template <class T = void>
class [[nodiscard]] Result {
 public:
  // From anything a T is made of, so that a unique_ptr<Derived> returns as a Result of its base.
  template <class U = T>
  requires(std::is_convertible_v<U, T> && !std::is_same_v<std::remove_cvref_t<U>, Error>)
      Result(U&& value)  // NOLINT: implicit, so that `return value;` reads well
      : state_(std::in_place_index<0>, std::forward<U>(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  // REQUIRES !ok().
  const std::string& error() const { return std::get<1>(state_).message; }
  Reason reason() const { return std::get<1>(state_).reason; }
  // Message and reason, to be passed on. REQUIRES !ok().
  const Error& failure() const { return std::get<1>(state_); }
  // The value; throws Failure with the message when there is none.
  T& value() & { return throw_if_error(), std::get<0>(state_); }
  const T& value() const& { return throw_if_error(), std::get<0>(state_); }
  T&& value() && { return throw_if_error(), std::get<0>(std::move(state_)); }
  void check() const { throw_if_error(); }

 private:
  void throw_if_error() const {
    if (!ok()) throw Failure(error());
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
  // Throws Failure with the message when there is an error.
  void check() const {
    if (failed_) throw Failure(error_.message);
  }

 private:
  bool failed_ = false;
  Error error_;
};

}  // namespace rein
