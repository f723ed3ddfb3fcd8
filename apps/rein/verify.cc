// rein verify: measured growth exponents and bounds for every part of the theorem.
#include "rein/verify.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <memory>

#include "numbers.h"
#include "output.h"
#include "progress.h"
#include "rein/falsify.h"
#include "rein/report.h"
#include "shown.h"
#include "table.h"
#include "verbs.h"

namespace rein::app {
namespace {

struct VerifyWords {
  std::string profile = "quick";
  std::string parts = "abcdefg";
  std::vector<std::string> policies;
  std::string seeds = "0";
  std::string threads = "0";
  std::string resume;
  bool fresh = false;
  double falsify = 0.0;
  std::string cases = "0";
  std::string seed = "1";
  std::string setting;
  double tighten = 1.0;
  OutputWords output;
};

std::string two_places(double x) { return std::isnan(x) ? "-" : fmt::format("{:.2f}", x); }

std::string shown_exponent(const VerifyRow& row) {
  if (std::isnan(row.exponent.mean)) return "-";
  if (std::isnan(row.exponent.low)) return two_places(row.exponent.mean);
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", row.exponent.mean, row.exponent.low,
                     row.exponent.high);
}

std::string verdict(const VerifyRow& row) {
  if (!row.promised) return "beside: nothing is promised of it";
  if (!row.pass) return row.note.empty() ? "FAIL" : "FAIL: " + row.note;
  return row.note.empty() ? "pass" : "pass: " + row.note;
}

// One table per policy and world, with its rows in the order of the verification.
void print_for_people(const Verification& verification) {
  fmt::print(
      "profile {}, {} seeds. Exponents are slopes of log mean against log T, with 95 % "
      "intervals.\n",
      verification.profile, verification.seeds);
  std::string last, command;
  TextTable table({});
  const auto header = [] {
    return TextTable({"quantity", "exponent", "theorem", "first T", "measured", "bound", "last T",
                      "measured", "bound", "verdict"});
  };
  const auto flush = [&] {
    if (!last.empty()) fmt::print("\n{}\n{}{}\n", last, table.str(), command);
  };
  for (const VerifyRow& row : verification.rows) {
    const std::string title =
        fmt::format("({}) {} on {}: {}", row.part, row.setting, row.world, row.policy);
    if (title != last) {
      flush();
      table = header();
      last = title;
      command = fmt::format("rein run --world '{}' --policy '{}' --rounds {}", row.world_last,
                            row.policy, row.horizons.back());
    }
    std::vector<std::string> line = {row.quantity, shown_exponent(row), two_places(row.theorem)};
    for (std::size_t h : {std::size_t{0}, row.horizons.size() - 1}) {
      const double bound = row.bounds.empty() ? std::nan("") : row.bounds[h];
      line.insert(line.end(), {fmt::format("{}", row.horizons[h]), brief(row.measured[h].mean),
                               shown_bound(bound, static_cast<double>(row.horizons[h]))});
    }
    line.push_back(verdict(row));
    table.add(line);
  }
  flush();
  for (const std::string& why : verification.left_out) fmt::print("left out: {}\n", why);
  std::size_t failed = 0;
  for (const VerifyRow& row : verification.rows) failed += row.pass ? 0 : 1;
  fmt::print("\n{} rows, {} failed\n", verification.rows.size(), failed);
}

std::string shown_call(const Call& call) {
  return fmt::format("{} {} of {}, {:.3g} of its bound", call.quantity, brief(call.measured),
                     brief(call.bound), call.ratio());
}

void print_for_people(const Falsification& found) {
  fmt::print("{} runs judged, {} outside the theorem, {} refused; {} figures above their bound\n",
             found.runs, found.outside, found.refused, found.offences);
  for (const Call& call : found.offenders) {
    fmt::print("\nFALSE? {}; above it on {} of {} other seeds\n  {}\n", shown_call(call),
               call.others_above, call.others, call.command);
  }
  fmt::print("\nclosest calls\n");
  for (const Call& call : found.closest) {
    fmt::print("  {}\n    {}\n", shown_call(call), call.command);
  }
}

// The search for a false bound, instead of the measurements.
int falsify_verb(const VerifyWords& words) {
  FalsifyOptions options{
      .seconds = words.falsify, .setting = words.setting, .tighten = words.tighten};
  options.cases = whole_number("--falsify-cases", words.cases, 0, 1'000'000'000);
  options.seed = static_cast<std::uint64_t>(
      whole_number("--falsify-seed", words.seed, 0, std::int64_t{1} << 53));
  options.threads = static_cast<int>(whole_number("--threads", words.threads, 0, 1024));
  if (isatty(STDERR_FILENO) == 1) {
    options.progress = [](std::int64_t done, std::int64_t all) {
      fmt::print(stderr, "\r{:.0f} % of the search\033[K",
                 100.0 * static_cast<double>(done) / static_cast<double>(all));
    };
  }
  const Falsification found = typed(falsify(options));
  if (options.progress) fmt::print(stderr, "\r\033[K");
  print_for_people(found);
  return found.offences == 0 ? kOk : kFailed;
}

int verify_verb(const VerifyWords& words, const std::string& command) {
  if (words.falsify != 0.0 || words.cases != "0") return falsify_verb(words);
  check_output(words.output);
  VerifyOptions options{.profile = words.profile, .parts = words.parts};
  for (const std::string& text : words.policies) {
    for (const Spec& spec : typed(parse_specs(text, "policy spec"))) options.policies.push_back(spec.str());
  }
  options.resume = words.resume;
  options.fresh = words.fresh;
  if (!options.resume.empty() && options.resume == words.output.report) {
    throw UsageError("--resume and --report name the same file; accepted: two files");
  }
  options.seeds = static_cast<int>(whole_number("--seeds", words.seeds, 0, 1'000'000));
  options.threads = static_cast<int>(whole_number("--threads", words.threads, 0, 1024));
  const Verification verification =
      with_progress(options.progress, [&] { return typed(verify(options)); });
  const std::string json = to_json(
      verification, {.title = fmt::format("rein verify: {}", words.profile), .command = command});
  hand_over(words.output, json, std::nullopt, [&] {
    print_for_people(verification);
    if (verification.restored > 0) {
      fmt::print("{} plays were already in {}\n", verification.restored, options.resume);
    }
  });
  return verification.pass() ? kOk : kFailed;
}

constexpr const char* kVerifyExamples =
    "A row fails if the low end of its exponent is above the theorem's, or a mean above its "
    "bound;\n"
    "the exit code is then 1. A bound above T is called vacuous. docs/verify.md has the rates.\n"
    "\n"
    "--resume FILE continues a stopped verification: finished plays are in the file.\n"
    "\n"
    "--falsify searches for a run above its printed bound, and prints its command;\n"
    "the exit code is 1 if there is one. It ends by time, but tries the same cases in the same\n"
    "order.\n"
    "\n"
    "Examples:\n"
    "  rein verify\n"
    "  rein verify --parts cd\n"
    "  rein verify --policies ccb,loe2d,squarecb --parts acd --report growth.html\n"
    "  rein verify --profile full --report verify.html --resume verify.jsonl\n"
    "  rein verify --falsify 60\n"
    "  rein verify --falsify 60 --falsify-setting slater";

}  // namespace

Verb add_verify(CLI::App& program, const std::vector<std::string>& typed_words) {
  auto words = std::make_shared<VerifyWords>();
  CLI::App* verb = program.add_subcommand(
      "verify", "measure growth exponents and bounds of every part of the theorem");
  verb->add_option("--profile", words->profile, "quick (about a minute) or full")
      ->capture_default_str();
  verb->add_option("--parts", words->parts,
                   "which parts of the theorem, as letters; g: regret and CCV by a margin")
      ->capture_default_str();
  one_each(verb->add_option("--policies,--policy", words->policies,
                            "also measure these on the same worlds, such as ccb,loe2d,squarecb; ccb stands for "
                            "the policies of the theorem"))
      ->type_name("POLICY");
  verb->add_option("--seeds", words->seeds, "number of seeds; 0: as in the profile")
      ->capture_default_str();
  verb->add_option("--threads", words->threads, "0: all cores; results do not depend on it")
      ->capture_default_str();
  verb->add_option("--resume", words->resume,
                   "store finished plays in this file and continue from it");
  verb->add_flag("--fresh", words->fresh, "discard what that file holds");
  verb->add_option("--falsify", words->falsify,
                   "instead: search this many seconds for a run above its bound");
  verb->add_option("--falsify-cases", words->cases, "... or this many cases");
  verb->add_option("--falsify-seed", words->seed, "which cases are tried")->capture_default_str();
  verb->add_option("--falsify-setting", words->setting,
                   "only cases of this setting, such as slater; default: all");
  verb->add_option("--falsify-tighten", words->tighten,
                   "divide bounds by this first, to see what the search would find")
      ->capture_default_str();
  words->output.saves_csv = false;
  add_report(*verb, words->output);
  verb->add_flag("--json", words->output.json, "the report's JSON object, see docs/json.md");
  add_save(*verb, words->output);
  verb->footer(kVerifyExamples);
  return [words, typed_words] { return verify_verb(*words, command_line(typed_words)); };
}

}  // namespace rein::app
