// rein benchmark: a fixed list of problems under budgets, and a score that overspending cannot buy.
#include <fmt/format.h>

#include <memory>

#include "base/atomic_file.h"
#include "numbers.h"
#include "output.h"
#include "progress.h"
#include "rein/suite.h"
#include "streams.h"
#include "table.h"
#include "verbs.h"

namespace rein::app {
namespace {

struct BenchmarkWords {
  std::string profile = "full", resume, save, threads = "0";
  std::string sealed = std::to_string(kSealedNumber);
  std::string tables;
  std::vector<std::string> policies;
  bool json = false;
};

std::string score_text(const Figure& score) {
  if (std::isnan(score.low)) return fmt::format("{:.1f}", score.mean);
  return fmt::format("{:.1f} [{:.1f}, {:.1f}]", score.mean, score.low, score.high);
}

void print_scores(const SuiteResult& found) {
  TextTable table({"policy", "score", "open seeds", "sealed seeds", "earned", "spent", "refused"});
  for (const SuiteLine& line : found.policies) {
    double earned = 0.0, spent = 0.0;
    int refused = 0, played = 0;
    for (const SuiteCell& cell : line.cells) {
      refused += cell.refused.empty() ? 0 : 1;
      played += cell.refused.empty() ? 1 : 0;
      earned += cell.reward;
      spent += cell.spend;
    }
    const double count = played == 0 ? 1.0 : played;
    table.add({line.policy, score_text(line.score), fmt::format("{:.1f}", line.open),
               fmt::format("{:.1f}", line.sealed), fmt::format("{:.1f} %", earned / count),
               fmt::format("{:.2f} budgets", spent / count), refused == 0 ? "" : fmt::format("{}", refused)});
  }
  fmt::print("{}\n", table.str());
}

// Who is best on each problem, and by how much the winner of the whole is behind there.
void print_problems(const SuiteResult& found) {
  TextTable table({"problem", "best", "score", found.policies[0].policy, "what is hard"});
  for (std::size_t i = 0; i < found.made_of.problems.size(); ++i) {
    const SuiteLine* best = nullptr;
    double most = -1.0;
    for (const SuiteLine& line : found.policies) {
      const double score = figure(line.cells[i].scores).mean;
      if (score > most) {
        most = score;
        best = &line;
      }
    }
    table.add({found.made_of.problems[i].name, best->policy, fmt::format("{:.1f}", most),
               fmt::format("{:.1f}", figure(found.policies[0].cells[i].scores).mean),
               found.made_of.problems[i].what});
  }
  fmt::print("{}\n", table.str());
}

void print_suite(const SuiteResult& found) {
  fmt::print("profile {}: {} problems of {} rounds, {} open seeds and {} sealed ones (number {})\n\n",
             found.profile, found.made_of.problems.size(), found.made_of.problems[0].rounds,
             found.made_of.open_seeds, found.made_of.sealed_seeds, found.sealed);
  print_scores(found);
  print_problems(found);
  for (const SuiteLine& line : found.policies) {
    for (std::size_t i = 0; i < line.cells.size(); ++i) {
      if (line.cells[i].refused.empty()) continue;
      fmt::print("{} on {}: {}\n", line.policy, found.made_of.problems[i].name, line.cells[i].refused);
    }
  }
  fmt::print("Score: reward before a budget was passed, in percent of the best choice within the budget.\n"
             "protocol {:016x}, result {:016x}\n",
             found.protocol_hash, found.result_hash);
}

int benchmark_verb(const BenchmarkWords& words) {
  check_stdout();
  const std::string path = words.save.empty() ? "" : words.save + ".json";
  if (!path.empty()) check_writable(path).check();
  SuiteOptions options{.profile = words.profile, .tables = words.tables, .resume = words.resume};
  for (const std::string& text : words.policies) {
    for (const Spec& spec : typed(parse_specs(text, "policy spec"))) options.policies.push_back(spec.str());
  }
  options.sealed = whole_number("--sealed", words.sealed, 0, std::int64_t{1} << 53);
  options.threads = static_cast<int>(whole_number("--threads", words.threads, 0, 1024));
  Progress bar(Progress::kShare);
  options.progress = [&](std::int64_t done, std::int64_t all) { bar.show(done, all); };
  const SuiteResult found = typed(run_suite(options));
  bar.show(1, 1);
  const std::string json = to_value(found).str();
  if (!path.empty()) write_whole(path, json + "\n").check();
  if (words.json) {
    fmt::print("{}\n", json);
  } else {
    print_suite(found);
  }
  return kOk;
}

constexpr const char* kBenchmarkExamples =
    "Every policy meets the same problems, budgets, seeds and delays. The score of a play is the reward that\n"
    "was earned before a budget was first exceeded, in percent of what the best choice within the budget\n"
    "earns. So spending more never helps. A third of the seeds follow from --sealed, a number that is drawn\n"
    "with each release. docs/benchmark.md has the protocol and the table.\n"
    "\n"
    "To continue a stopped benchmark, give the same command with the same --resume FILE. Equal commands give\n"
    "equal result hashes.\n"
    "\n"
    "Examples:\n"
    "  rein benchmark --profile small\n"
    "  rein benchmark --resume plays.jsonl --save result\n"
    "  rein benchmark --policies 'ccb,ccb(optimism=0)' --profile small\n"
    "  in Python, with a class of your own: rein.benchmark([\"ccb\", Mine], profile=\"small\")";

}  // namespace

Verb add_benchmark(CLI::App& program) {
  auto words = std::make_shared<BenchmarkWords>();
  CLI::App* verb = program.add_subcommand(
      "benchmark", "the public benchmark: policies under budgets, one score");
  verb->add_option("--profile", words->profile, "full, or small for a first look")
      ->capture_default_str();
  verb->add_option("--policy,--policies", words->policies,
                   "one or more policies, separated by commas or repeated [twelve of ours]")
      ->type_name("SPEC")
      ->take_all();
  verb->add_option("--sealed", words->sealed, "the number that a third of the seeds follow from")
      ->type_name("N")
      ->capture_default_str();
  verb->add_option("--tables", words->tables,
                   "a folder of real tables (scripts/benchmark_tables.py), which are problems too")
      ->type_name("FOLDER");
  verb->add_option("--resume", words->resume, "stores finished plays, and continues from them")
      ->type_name("FILE");
  verb->add_option("--save", words->save, "writes the result to PATH.json")->type_name("PATH");
  verb->add_option("--threads", words->threads, "0 uses all cores; results do not depend on it")
      ->type_name("N")
      ->capture_default_str();
  verb->add_flag("--json", words->json, "print one JSON object");
  verb->footer(kBenchmarkExamples);
  return [words] { return benchmark_verb(*words); };
}

}  // namespace rein::app
