// rein: the command line. Parses the arguments, runs the verb and turns failures into exit codes: 0
// success, 1 failure, 2 invalid usage, 70 internal error.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

#include "base/memory.h"
#include "numbers.h"
#include "rein/version.h"
#include "streams.h"
#include "verbs.h"

namespace rein::app {
namespace {

constexpr const char* kAbout =
    "rein chooses actions that earn the most while long-run costs stay within their limits.";

constexpr const char* kStart =
    "Start here:\n"
    "  rein list                                   everything available, one line each\n"
    "  rein run --help                             the options, and what the columns mean\n"
    "  rein run --world 'linear(k=4,d=4)' --policy ccb --policy squarecb --rounds 5000\n"
    "\n"
    "SPEC is a name with options: 'ccb(setting=knapsack,budget=1000)' is a policy. Put it in\n"
    "quotes, because shells read parentheses. docs/specs.md has the rules.\n"
    "\n"
    "Exit codes: 0 success, 1 failure (a file, memory, or a row of verify), 2 wrong usage,\n"
    "70 a bug in rein.";

// CITATION.cff and README.md say the same.
constexpr const char* kCite =
    "@software{{rein,\n"
    "  title   = {{rein: contextual bandits that keep long-run budgets}},\n"
    "  author  = {{{{The rein authors}}}},\n"
    "  version = {{{version}}},\n"
    "  year    = {{2026}}\n"
    "}}\n"
    "\n"
    "@article{{sarkar2026reduction,\n"
    "  title   = {{A Simple Reduction Scheme for Constrained Contextual Bandits with Adversarial Contexts via\n"
    "             Regression}},\n"
    "  author  = {{Sarkar and Sinha}},\n"
    "  journal = {{arXiv:2602.05019}},\n"
    "  year    = {{2026}}\n"
    "}}\n";

// Names the first argument that the verb does not accept, and all that it accepts.
void refuse_extras(const CLI::App& verb) {
  const std::vector<std::string> extras = verb.remaining();
  if (extras.empty()) return;
  std::string names;
  for (const CLI::Option* option : verb.get_options()) {
    names += (names.empty() ? "" : ", ") + option->get_name();
  }
  throw UsageError(
      fmt::format("{}: found \"{}\"; accepted: {}", verb.get_name(), extras.front(), names));
}

int run_program(int argc, char** argv) {
  CLI::App program(kAbout, "rein");
  program.require_subcommand(1);
  program.set_version_flag("--version", fmt::format("rein {}", version()));
  program.footer(kStart);
  bool cites = false;
  program.add_flag("--cite", cites, "Print BibTeX of this program and of the paper, and exit");
  std::vector<std::string> words(argv, argv + argc);
  if (!words.empty()) words[0] = "rein";
  const std::array<std::pair<const char*, Verb>, 26> verbs = {{
      {"run", add_run(program, words)},
      {"compare", add_compare(program, words)},
      {"merge", add_merge(program, words)},
      {"verify", add_verify(program, words)},
      {"benchmark", add_benchmark(program)},
      {"bound", add_bound(program)},
      {"list", add_list(program)},
      {"serve", add_serve(program)},
      {"load", add_load(program)},
      {"convert", add_convert(program)},
      {"train", add_train(program)},
      {"inspect", add_inspect(program)},
      {"replay", add_replay(program)},
      {"verify-journal", add_verify_journal(program)},
      {"renew", add_renew(program)},
      {"recover", add_recover(program)},
      {"migrate", add_migrate(program)},
      {"export", add_export(program)},
      {"backup", add_backup(program)},
      {"restore", add_restore(program)},
      {"whatif", add_whatif(program, words)},
      {"evaluate", add_evaluate(program, words)},
      {"assign", add_assign(program)},
      {"token", add_token(program)},
      {"completion", add_completion(program)},
      {"manual", add_manual(program)},
  }};
  for (CLI::App* verb : program.get_subcommands({})) verb->allow_extras();
  if (argc < 2) {
    fmt::print("{}", program.help());
    return kUsage;
  }
  const std::string_view first = argv[1];
  const bool known = std::any_of(verbs.begin(), verbs.end(),
                                 [&](const auto& verb) { return first == verb.first; });
  if (!known && first != "-h" && first != "--help" && first != "--version" && first != "--cite") {
    std::string names;
    for (const auto& verb : verbs) names += std::string(verb.first) + ", ";
    throw UsageError(fmt::format("found \"{}\"; accepted: {}--help, --version, --cite", first, names));
  }
  if (first == "--cite") {
    fmt::print(kCite, fmt::arg("version", version()));
    return kOk;
  }
  try {
    std::vector<std::string> given = with_units({argv + 1, argv + argc});
    std::ranges::reverse(given);  // as CLI11 wants it
    program.parse(given);
  } catch (const CLI::Success& asked) {
    return program.exit(asked);  // --help, --version
  } catch (const CLI::ParseError& wrong) {
    const std::string verb =
        program.get_subcommands().empty() ? "" : " " + program.get_subcommands()[0]->get_name();
    complain(fmt::format("{}\nTry: rein{} --help", wrong.what(), verb));
    return kUsage;
  }
  for (const auto& [name, verb] : verbs) {
    if (!program.got_subcommand(name)) continue;
    refuse_extras(*program.get_subcommand(name));
    return verb();
  }
  return kUsage;
}

}  // namespace
}  // namespace rein::app

int main(int argc, char** argv) {
  using namespace rein::app;
  open_streams();
  int code = kFailed;
  try {
    code = run_program(argc, argv);
  } catch (const UsageError& wrong) {
    complain(wrong.what());
    code = kUsage;
  } catch (const rein::Bug& bug) {
    complain(fmt::format("this is a bug in rein, please report it: {}", bug.what()));
    code = kOurBug;
  } catch (const std::bad_alloc& thrown) {
    complain(rein::out_of_memory(thrown, "this command",
                                 "fewer --rounds, --seeds or --threads, or a smaller world")
                 .what());
  } catch (const std::exception& failure) {
    // After a failed print, flushed() reports a better message.
    if (std::ferror(stdout) == 0) complain(failure.what());
  }
  return flushed(code);
}
