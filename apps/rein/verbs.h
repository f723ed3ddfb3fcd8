// The verbs of the command line, one file each. A verb adds its options to the program and runs
// after they are parsed. It returns the exit code.
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
inline constexpr int kInterrupted = 130;  // Ctrl-C, as shells have it

// Invalid usage: exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The value of a Result. If there is none, throws UsageError with its message, or Failure if the
// input was valid and the system failed (Reason::kFailed).
template <class T>
T typed(Result<T> result) {
  if (!result && result.reason() == Reason::kFailed) throw Failure(result.failure());
  if (!result) throw UsageError(result.error());
  return std::move(result).value();
}

// The same for files whose damage is a failure too: only what was typed is invalid usage.
template <class T>
T read_from(Result<T> result) {
  if (!result && result.reason() != Reason::kInvalid) throw Failure(result.failure());
  return typed(std::move(result));
}

using Verb = std::function<int()>;

// Each adds a subcommand to `program` and returns the function to run if it is chosen. `words` is
// the command as typed, for reports.
Verb add_run(CLI::App& program, const std::vector<std::string>& words);
Verb add_compare(CLI::App& program, const std::vector<std::string>& words);
Verb add_merge(CLI::App& program, const std::vector<std::string>& words);
Verb add_verify(CLI::App& program, const std::vector<std::string>& words);
Verb add_bound(CLI::App& program);
Verb add_list(CLI::App& program);
Verb add_serve(CLI::App& program);
Verb add_load(CLI::App& program);
Verb add_convert(CLI::App& program);
Verb add_train(CLI::App& program);
Verb add_inspect(CLI::App& program);
Verb add_replay(CLI::App& program);
Verb add_verify_journal(CLI::App& program);
Verb add_renew(CLI::App& program);
Verb add_recover(CLI::App& program);
Verb add_migrate(CLI::App& program);
Verb add_export(CLI::App& program);
Verb add_backup(CLI::App& program);
Verb add_restore(CLI::App& program);
Verb add_whatif(CLI::App& program, const std::vector<std::string>& words);
Verb add_evaluate(CLI::App& program, const std::vector<std::string>& words);
Verb add_assign(CLI::App& program);
Verb add_benchmark(CLI::App& program);
// rein inspect --changes (changes.cc).
int print_changes(const std::string& path);
Verb add_completion(CLI::App& program);
Verb add_token(CLI::App& program);
Verb add_manual(CLI::App& program);

}  // namespace rein::app
