// The verbs of the command line, one file each. A verb adds its options to the program and is run
// after they were read; what it returns is the exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "rein/result.h"

namespace rein::app {

inline constexpr int kOk = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;
inline constexpr int kOurBug = 70;

// What the user typed cannot be done as typed: exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The value. Otherwise a UsageError with its message, or a Failure where the words were right and
// the machine could not do it.
template <class T>
T typed(Result<T> result) {
  if (!result && result.reason() == Reason::kFailed) throw Failure(result.error());
  if (!result) throw UsageError(result.error());
  return std::move(result).value();
}

using Verb = std::function<int()>;

// Each adds a subcommand to `program` and returns what to run when it was chosen.
// `words` are the command as it was typed, for reports.
Verb add_run(CLI::App& program);
Verb add_compare(CLI::App& program, const std::vector<std::string>& words);
Verb add_verify(CLI::App& program, const std::vector<std::string>& words);
Verb add_bound(CLI::App& program);
Verb add_list(CLI::App& program);

}  // namespace rein::app
