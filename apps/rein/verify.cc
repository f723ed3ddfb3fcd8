// rein verify: growth exponents and bounds of every part of the theorem, as measured.
#include "rein/verify.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "numbers.h"
#include "output.h"
#include "progress.h"
#include "rein/report.h"
#include "shown.h"
#include "table.h"
#include "verbs.h"

namespace rein::app {
namespace {

struct VerifyWords {
  std::string profile = "quick";
  std::string parts = "abcdef";
  std::string seeds = "0";
  std::string threads = "0";
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
  if (!row.pass) return row.note.empty() ? "FAIL" : "FAIL: " + row.note;
  return row.note.empty() ? "pass" : "pass: " + row.note;
}

// One table a policy and world: its rows in the order of the verification.
void print_for_people(const Verification& verification) {
  fmt::print(
      "profile {}, {} seeds. Exponents are slopes of log mean against log T, with 95 % "
      "intervals.\n",
      verification.profile, verification.seeds);
  std::string last;
  TextTable table({});
  const auto header = [] {
    return TextTable({"quantity", "exponent", "theorem", "first T", "measured", "bound", "last T",
                      "measured", "bound", "verdict"});
  };
  const auto flush = [&] {
    if (!last.empty()) fmt::print("\n{}\n{}", last, table.str());
  };
  for (const VerifyRow& row : verification.rows) {
    const std::string title =
        fmt::format("({}) {} on {}: {}", row.part, row.setting, row.world, row.policy);
    if (title != last) {
      flush();
      table = header();
      last = title;
    }
    std::vector<std::string> line = {row.quantity, shown_exponent(row), two_places(row.theorem)};
    for (std::size_t h : {std::size_t{0}, row.horizons.size() - 1}) {
      const double bound = row.bounds.empty() ? std::nan("") : row.bounds[h];
      line.insert(line.end(), {fmt::format("{}", row.horizons[h]), brief(row.measured[h].mean),
                               shown_bound(bound, row.horizons[h])});
    }
    line.push_back(verdict(row));
    table.add(line);
  }
  flush();
  std::size_t failed = 0;
  for (const VerifyRow& row : verification.rows) failed += row.pass ? 0 : 1;
  fmt::print("\n{} rows, {} failed\n", verification.rows.size(), failed);
}

int verify_verb(const VerifyWords& words, const std::string& command) {
  check_output(words.output);
  VerifyOptions options{.profile = words.profile, .parts = words.parts};
  options.seeds = static_cast<int>(whole_number("--seeds", words.seeds, 0, 1'000'000));
  options.threads = static_cast<int>(whole_number("--threads", words.threads, 0, 1024));
  const Verification verification =
      with_progress(options.progress, [&] { return typed(verify(options)); });
  const std::string json = to_json(
      verification, {.title = fmt::format("rein verify: {}", words.profile), .command = command});
  hand_over(words.output, json, std::nullopt, [&] { print_for_people(verification); });
  return verification.pass() ? kOk : kFailed;
}

constexpr const char* kExamples =
    "A row fails where the low end of its exponent is above the theorem's, or a mean above its "
    "bound;\n"
    "the exit code is then 1. A bound above T is called vacuous. docs/verify.md has the rates.\n"
    "\n"
    "Examples:\n"
    "  rein verify\n"
    "  rein verify --parts cd\n"
    "  rein verify --profile full --report verify.html";

}  // namespace

Verb add_verify(CLI::App& program, const std::vector<std::string>& typed_words) {
  auto words = std::make_shared<VerifyWords>();
  CLI::App* verb = program.add_subcommand(
      "verify", "measure growth exponents and bounds of every part of the theorem");
  verb->add_option("--profile", words->profile, "quick (about a minute) or full")
      ->capture_default_str();
  verb->add_option("--parts", words->parts, "which parts of the theorem, as letters")
      ->capture_default_str();
  verb->add_option("--seeds", words->seeds, "worlds and noises; 0: as the profile says")
      ->capture_default_str();
  verb->add_option("--threads", words->threads, "0: all cores; results do not depend on it")
      ->capture_default_str();
  words->output.saves_csv = false;
  add_report(*verb, words->output);
  verb->add_flag("--json", words->output.json, "the report's JSON object, see docs/json.md");
  add_save(*verb, words->output);
  verb->footer(kExamples);
  return [words, typed_words] { return verify_verb(*words, command_line(typed_words)); };
}

}  // namespace rein::app
