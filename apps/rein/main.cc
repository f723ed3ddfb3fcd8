// rein: the command line. Reads the words, runs the verb, turns failures into exit codes:
// 0 done, 1 failed, 2 typed wrongly, 70 our bug.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

#include "rein/version.h"
#include "verbs.h"

namespace rein::app {
namespace {

constexpr const char* kAbout =
    "rein chooses actions that earn the most while long-run costs stay where they were promised.";

constexpr const char* kStart =
    "Start here:\n"
    "  rein list                                   what there is, one line each\n"
    "  rein run --help                             how to run policies on a world\n"
    "  rein run --world 'linear(k=4,d=4)' --policy ccb --policy squarecb --rounds 5000\n"
    "\n"
    "A policy, a world, an oracle is a name with options: 'ccb(setting=knapsack,budget=1000)'.\n"
    "Quote it: a shell reads parentheses. Exit codes: 0 done, 1 failed, 2 typed wrongly, 70 our "
    "bug.";

int run_program(int argc, char** argv) {
  CLI::App program(kAbout, "rein");
  program.require_subcommand(1);
  program.set_version_flag("--version", fmt::format("rein {}", version()));
  program.footer(kStart);
  std::vector<std::string> words(argv, argv + argc);
  if (!words.empty()) words[0] = "rein";
  const std::array<std::pair<const char*, Verb>, 5> verbs = {{
      {"run", add_run(program)},
      {"compare", add_compare(program, words)},
      {"verify", add_verify(program, words)},
      {"bound", add_bound(program)},
      {"list", add_list(program)},
  }};
  if (argc < 2) {
    fmt::print("{}", program.help());
    return kUsage;
  }
  const bool is_verb = std::any_of(verbs.begin(), verbs.end(), [&](const auto& verb) {
    return std::string_view(verb.first) == argv[1];
  });
  if (argv[1][0] != '-' && !is_verb) {
    throw UsageError(
        fmt::format("found \"{}\"; accepted: run, compare, verify, bound, list, --help", argv[1]));
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    return program.exit(asked);  // --help, --version
  } catch (const CLI::ParseError& wrong) {
    fmt::print(stderr, "rein: {}\nTry: rein {} --help\n", wrong.what(),
               program.get_subcommands().empty() ? "" : program.get_subcommands()[0]->get_name());
    return kUsage;
  }
  for (const auto& [name, verb] : verbs) {
    if (program.got_subcommand(name)) return verb();
  }
  return kUsage;
}

}  // namespace
}  // namespace rein::app

int main(int argc, char** argv) {
  using namespace rein::app;
  try {
    return run_program(argc, argv);
  } catch (const UsageError& wrong) {
    fmt::print(stderr, "rein: {}\n", wrong.what());
    return kUsage;
  } catch (const rein::Bug& bug) {
    fmt::print(stderr, "rein: this is a bug in rein, please report it: {}\n", bug.what());
    return kOurBug;
  } catch (const std::exception& failure) {
    fmt::print(stderr, "rein: {}\n", failure.what());
    return kFailed;
  }
}
