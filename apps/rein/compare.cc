// rein compare: policies side by side on the same noise, with paired differences, tuning grids, a
// file to resume from, and a report page.
#include "rein/compare.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "compare_words.h"
#include "experiment.h"
#include "numbers.h"
#include "output.h"
#include "progress.h"
#include "rein/report.h"
#include "shown.h"
#include "table.h"

namespace rein::app {
namespace {

// The rows of a comparison as a RunResult, so that the tables of `rein run` can show them.
RunResult rows_only(const Comparison& comparison) {
  RunResult shown_rows = {.world = comparison.result.world,
                          .rounds = comparison.result.rounds,
                          .costs = comparison.result.costs,
                          .budgets = comparison.result.budgets,
                          .references = comparison.result.references,
                          .live_budgets = comparison.result.live_budgets};
  for (const Row& row : comparison.rows) {
    const PolicyRun& run = comparison.result.policies[row.run];
    shown_rows.policies.push_back(
        {.spec = run.spec, .benchmark = run.benchmark, .totals = run.totals});
  }
  return shown_rows;
}

std::string label_of(const Comparison& comparison, const Row& row) {
  const std::string spec = comparison.result.policies[row.run].spec.str();
  return row.best ? fmt::format("{}  (best of {})", spec, row.tried) : spec;
}

std::string pairs_table(const Comparison& comparison, const std::vector<std::string>& labels) {
  std::vector<std::string> header = {"difference", "reward", "regret"};
  for (const std::string& cost : comparison.result.costs) header.push_back("CCV " + cost);
  TextTable table(header);
  for (const Pair& pair : comparison.pairs) {
    std::vector<std::string> row = {fmt::format("{} less {}", labels[pair.a], labels[pair.b]),
                                    shown(pair.reward), shown(pair.regret)};
    for (const Figure& f : pair.ccv) row.push_back(shown(f));
    table.add(row);
  }
  return table.str();
}

// A comparison of tuned policies is fair only if each had the same number of tries.
std::string grid_note(const Comparison& comparison) {
  std::string note;
  int tried = 0;
  bool even = true;
  for (const Row& row : comparison.rows) {
    if (row.tried == 0) continue;
    even = even && (tried == 0 || row.tried == tried);
    tried = row.tried;
  }
  if (tried == 0) return note;
  note =
      even ? fmt::format("Every tuned policy had {} settings to choose from, in hindsight.", tried)
           : std::string("The tuned policies had different numbers of settings to choose from.");
  for (const Row& row : comparison.rows) {
    if (row.tried > 0) continue;
    note += fmt::format(" {} was not tuned.", row.given.str());
  }
  return note + "\n\n";
}

}  // namespace

void print_comparison(const Comparison& comparison, const std::string& kept_in) {
  const RunResult result = rows_only(comparison);
  const std::size_t seeds = result.policies[0].totals.size();
  std::vector<std::string> labels, marked;
  for (const Row& row : comparison.rows) {
    labels.push_back(label_of(comparison, row));
    marked.push_back(fmt::format("{} {}", mark_of(marked.size()), labels.back()));
  }
  fmt::print("{}", heading(result, seeds));
  fmt::print("{}\n", main_table(result, marked));
  const std::string budgets = budget_table(result, labels);
  if (!budgets.empty()) fmt::print("{}\n", budgets);
  const std::string windows = window_table(result, labels);
  if (!windows.empty()) fmt::print("{}\n", windows);
  const std::string references = reference_table(result);
  if (!references.empty()) fmt::print("{}\n", references);
  if (!comparison.pairs.empty()) {
    fmt::print("Paired differences: seed by seed, on the same noise.\n\n{}\n",
               pairs_table(comparison, labels));
  }
  fmt::print("{}{}{}{}", grid_note(comparison), refused_note(result), alarm_note(result),
             status_note(result));
  if (kept_in.empty()) return;
  fmt::print("results kept in {}{}\n", kept_in,
             comparison.restored == 0
                 ? ""
                 : fmt::format(" ({} plays were already there)", comparison.restored));
}

namespace {

// Next to the report, or next to the saved files.
std::string default_resume(const OutputWords& words) {
  if (!words.report.empty()) {
    return std::filesystem::path(words.report).replace_extension(".jsonl").string();
  }
  return words.save.empty() ? "" : words.save + ".jsonl";
}

}  // namespace

CompareOptions compare_options(const CompareWords& words, const RunOptions& run) {
  CompareOptions options;
  options.run = run;
  for (const std::string& grid : words.grids) options.grids.push_back(typed(parse_grid(grid)));
  options.slack = words.slack;
  options.all_pairs = words.all_pairs;
  options.resume = words.resume.empty() ? default_resume(words.output) : words.resume;
  options.fresh = words.fresh;
  return options;
}

namespace {

// The file of finished plays must not be overwritten or used as a table.
void check_files(const CompareWords& words, const std::string& resume,
                 std::vector<NamedFile> read) {
  if (words.fresh && resume.empty()) {
    throw UsageError(
        "--fresh is given without a file; accepted with --resume, --report, "
        "--save");
  }
  if (!words.title.empty() && words.output.report.empty() && !words.output.json &&
      words.output.save.empty()) {
    throw UsageError(
        "--title is given without a report; accepted with --report, --json, "
        "--save");
  }
  if (!resume.empty()) {
    for (const NamedFile& file : read) {
      if (same_file(file.path, resume)) {
        throw UsageError(fmt::format("--resume {} and {} are the same file; accepted: two files",
                                     resume, file.option));
      }
    }
    read.push_back({words.resume.empty() ? "the default of --resume," : "--resume", resume});
  }
  check_output(words.output, read);
}

int compare_verb(const CompareWords& words, const std::vector<std::string>& typed_words) {
  if (!words.shard.empty()) return shard_verb(words, typed_words);
  const std::string command = command_line(typed_words);
  const Experiment experiment = read_experiment(words.experiment);
  CompareOptions options = compare_options(words, experiment.options);
  check_files(words, options.resume, files_of(experiment.world));
  const Comparison comparison = with_progress(options.run.progress, [&] {
    return typed(compare(experiment.world, experiment.policies, options));
  });
  const std::string title =
      words.title.empty() ? titled("compare", comparison.result.world) : words.title;
  hand_over(words.output, to_json(comparison, {.title = title, .command = command}),
            to_csv(comparison.result), [&] { print_comparison(comparison, options.resume); });
  return kOk;
}

constexpr const char* kCompareExamples =
    "The columns are those of `rein run --help`. Differences are taken seed by seed, on the same\n"
    "random numbers, so they show much less noise than the columns themselves.\n"
    "\n"
    "To continue a stopped comparison, give the same command again. Finished plays are in\n"
    "the file of --resume. By default it is OUT.jsonl with --report OUT.html, and PATH.jsonl with\n"
    "--save PATH. More policies and more seeds may be added to it; another world or number of\n"
    "rounds is refused.\n"
    "\n"
    "A grid is tried for every policy that takes the key and does not set it itself; with several\n"
    "grids every combination is. The policy as given and the best of its grid are both shown.\n"
    "\n"
    "On many machines: give every machine the same command and --shard 1/16, 2/16, ... with --save part1,\n"
    "part2, ...; then rein merge part*.json has the same bits as one run (docs/parallel.md).\n"
    "\n"
    "Examples:\n"
    "  rein compare --policies ccb,squarecb,uniform --report out.html\n"
    "  rein compare --world 'linear(k=8,d=8,order=switching)' --policies ccb,squarecb --seeds 20\n"
    "  rein compare --policies 'ccb(tuning=theory),squarecb' --grid gamma_scale=1,4,16,64\n"
    "  rein compare --policies ccb,squarecb,epsilon --all-pairs --json";

}  // namespace

void add_compare_options(CLI::App& app, CompareWords& given) {
  CLI::App* verb = &app;
  CompareWords* words = &given;
  add_experiment(*verb, words->experiment);
  verb->add_option("--grid", words->grids,
                   "KEY=NUMBER,NUMBER,...: values of a key to try; may be repeated")
      ->type_name("GRID")
      ->take_all()
      ->allow_extra_args(false);
  verb->add_option("--slack", words->slack,
                   "the best of a grid may exceed its budget by this share, 0 to 1")
      ->type_name("NUMBER")
      ->check(number_from(0.0, 1.0))
      ->capture_default_str();
  verb->add_flag("--all-pairs", words->all_pairs,
                 "show the difference of every pair, not only to the first policy");
  verb->add_option("--resume", words->resume,
                   "stores finished plays, and continues from them [OUT.jsonl or PATH.jsonl]")
      ->type_name("FILE")
      ->check(not_empty("a path, as out.jsonl"));
  verb->add_option("--shard", words->shard,
                   "K/N: only the K-th of N shares of the plays, to PATH.json of --save, for rein merge")
      ->type_name("K/N");
  verb->add_flag("--fresh", words->fresh, "discard the plays in that file and start again");
  add_report(*verb, words->output);
  verb->add_option("--title", words->title, "title of the report [rein compare: WORLD]");
  verb->add_flag("--json", words->output.json, "print the report's JSON object (docs/json.md)");
  verb->add_flag("--csv", words->output.csv,
                 "print one row per policy and seed, grids included, as CSV");
  add_save(*verb, words->output);
}

Verb add_compare(CLI::App& program, const std::vector<std::string>& typed_words) {
  auto words = std::make_shared<CompareWords>();
  CLI::App* verb = program.add_subcommand(
      "compare", "policies side by side: paired differences, tuning, a report");
  add_compare_options(*verb, *words);
  verb->footer(kCompareExamples);
  return [words, typed_words] { return compare_verb(*words, typed_words); };
}

}  // namespace rein::app
