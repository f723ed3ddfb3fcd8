// SpecReader: reads the options of a spec one by one, with defaults and limits. At the end it
// reports the first value out of its limits, or a key that was never asked for.
//
//     SpecReader read(spec, "oracle spec");
//     const double reg = read.number("reg", 1.0, {.above = 0.0});
//     const std::string kind = read.word("features", "joint", {"joint", "per_action"});
//     if (auto done = read.finish(); !done) return done.failure();
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rein/result.h"
#include "rein/spec.h"

namespace rein {

// The accepted range: above < x (strict) and low <= x <= high.
struct Limits {
  double above = -std::numeric_limits<double>::infinity();
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

class SpecReader {
 public:
  // `what` starts the messages: "policy spec", "oracle spec", ...
  SpecReader(const Spec& spec, std::string_view what) : spec_(spec), what_(what) {}

  bool has(std::string_view key) const { return spec_.find(key) != nullptr; }
  double number(std::string_view key, double otherwise, Limits limits = {});
  std::optional<double> number(std::string_view key, Limits limits = {});
  std::int64_t integer(std::string_view key, std::int64_t otherwise, std::int64_t low,
                       std::int64_t high);
  bool flag(std::string_view key, bool otherwise);  // 0 or 1
  std::string word(std::string_view key, std::string_view otherwise,
                   const std::vector<std::string_view>& accepted);
  std::string text(std::string_view key, std::string_view otherwise);  // quoted text or a word
  // A number or a list of numbers; empty if the key is not given.
  std::vector<double> numbers(std::string_view key, Limits limits = {});
  Spec spec(std::string_view key, std::string_view otherwise);
  // The unparsed value, for types not covered above; null if not given.
  const SpecValue* value(std::string_view key) { return ask(key); }

  // Reports `key "u" has -1 at 12; accepted: ...`, unless there is already an error.
  void wrong(std::string_view key, const SpecValue& value, std::string_view accepted);
  // Sets the error, for rules between keys. The first error stays.
  void refuse(std::string message);

  // REQUIRES that every key has been asked for.
  Result<> finish() const;

 private:
  const SpecValue* ask(std::string_view key);
  std::optional<double> checked(std::string_view key, const SpecValue& value, const Limits& limits);

  const Spec& spec_;
  std::string_view what_;
  std::vector<std::string_view> known_;
  std::string error_;
};

// "vaw, ons, finite": the names of a table, for messages.
std::string join_names(const std::vector<std::string_view>& names);

}  // namespace rein
