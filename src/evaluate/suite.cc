#include "rein/suite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "base/math.h"
#include "base/own.h"
#include "base/size.h"
#include "engine/hash.h"
#include "evaluate/play_file.h"
#include "evaluate/run.h"
#include "rein/rng.h"
#include "rein/version.h"

namespace rein {
namespace {

struct SuiteRow {
  const char* name;
  const char* what;
  const char* world;
  int delay;
};

// One problem for each way in which money is hard to spend. The worlds are pages of docs/world.
constexpr SuiteRow kSuite[] = {
    {"plain", "linear, money for three rounds in ten", "linear(k=8,d=8,costs=positive,rate=0.3)", 0},
    {"scarce", "money for one round in twenty", "linear(k=8,d=8,costs=positive,rate=0.05)", 0},
    {"rich", "money for most rounds", "linear(k=8,d=8,costs=positive,rate=0.6)", 0},
    {"many", "fifty actions", "linear(k=50,d=8,costs=positive,rate=0.3)", 0},
    {"late", "outcomes 100 rounds late", "linear(k=8,d=8,costs=positive,rate=0.3)", 100},
    {"exact", "outcomes without noise", "linear(k=6,d=4,costs=positive,noise=none,rate=0.3)", 0},
    {"safe", "an action that costs and earns nothing", "linear(k=6,d=4,costs=positive,rate=0.2,safe=0)", 0},
    {"switching", "contexts change in blocks", "linear(k=4,d=4,costs=positive,order=switching,rate=0.3)", 0},
    {"drift", "contexts drift", "linear(k=4,d=4,costs=positive,order=drift,rate=0.3)", 0},
    {"adversarial", "contexts chosen against the policy", "linear(k=4,d=4,costs=positive,order=adaptive,rate=0.3)", 0},
    {"curves", "rewards and costs that are not linear", "nonlinear(k=5,d=5,costs=positive,rate=0.3)", 0},
    {"misspecified", "nearly linear", "misspecified(k=5,d=5,costs=positive,rate=0.3)", 0},
    {"heavy", "bills that differ by orders of magnitude", "heavy(d=4,k=6,rate=0.05)", 0},
    {"three costs", "three budgets at once", "linear(k=6,d=4,m=3,costs=positive,rate=0.3)", 0},
    {"offers", "half of the actions on offer at a time", "subset(of=linear(k=10,d=4,costs=positive,rate=0.3),share=0.5)", 0},
    {"few contexts", "a few contexts, without features to share", "finite(k=5,costs=positive,rate=0.3)", 0},
    {"trap", "spend now or save for later", "spend_or_save(rate=0.2)", 0},
};

struct SuiteTable {
  const char* name;
  const char* what;
  const char* file;
  const char* rate;
};

// Real tables of public data (CC BY 4.0), each with made-up prices where the data have none. docs/benchmark.md says
// how they are made.
constexpr SuiteTable kSuiteTables[] = {
    {"letter", "real: name the letter of a picture, prices by letter", "letter.csv", "0.35"},
    {"pendigits", "real: name the digit of a stroke, prices by digit", "pendigits.csv", "0.3"},
    {"bank", "real: call a client or not, few buy", "bank.csv", "0.02"},
};

// What needs nothing but a budget. The two at the end know no budget, and show what that is worth.
constexpr const char* kSuitePolicies[] = {"ccb",     "loe2d", "lagrange", "squarecbwk",      "lincbwk",  "aupd",
                                          "pacer",   "pgd",   "banditq",  "weakly_adaptive", "squarecb", "uniform"};

// Seeds that follow from a number: far from the open ones, which are 1, 2, ...
std::vector<std::uint64_t> sealed_seeds(std::int64_t number, int count) {
  constexpr std::int64_t kFirst = std::int64_t{1} << 32, kMost = std::int64_t{1} << 52;
  Rng rng(static_cast<std::uint64_t>(number));
  std::vector<std::uint64_t> out;
  for (int i = 0; i < count; ++i) out.push_back(static_cast<std::uint64_t>(kFirst + rng.below(kMost - kFirst)));
  return out;
}

// The best that could be earned within the budget in this play, and its share before the budget was passed.
void add_score(const Totals& totals, const std::vector<double>& budgets, SuiteCell& cell) {
  const double best = totals.reward + totals.regret_long_term;
  const auto share = [&](double reward) {
    return best > 0.0 ? 100.0 * std::max(reward, 0.0) / best : 0.0;
  };
  cell.scores.push_back(share(totals.reward_at_stop));
  cell.reward += share(totals.reward);
  double spend = 0.0;
  for (std::size_t i = 0; i < budgets.size(); ++i) {
    spend = std::max(spend, totals.spend[static_cast<int>(i)] / budgets[i]);
  }
  cell.spend += spend;
}

class Suite {
 public:
  Suite(const SuiteOptions& options, SuiteProfile profile, PlayFile& kept)
      : options_(options), profile_(std::move(profile)), kept_(kept) {
    for (int s = 1; s <= profile_.open_seeds; ++s) seeds_.push_back(static_cast<std::uint64_t>(s));
    for (const std::uint64_t seed : sealed_seeds(options.sealed, profile_.sealed_seeds)) seeds_.push_back(seed);
  }

  Result<SuiteResult> run(const std::vector<Spec>& policies) {
    SuiteResult out{.profile = options_.profile, .sealed = options_.sealed, .seeds = seeds_, .made_of = profile_};
    for (const Spec& policy : policies) {
      SuiteLine line{.policy = policy.str()};
      for (const SuiteProblem& problem : profile_.problems) {
        SuiteCell cell;
        if (auto played = play(policy, problem, cell); !played) return played.failure();
        line.cells.push_back(std::move(cell));
        if (options_.progress) {
          options_.progress(++done_, static_cast<std::int64_t>(policies.size() * profile_.problems.size()));
        }
      }
      sum_up(line);
      out.policies.push_back(std::move(line));
    }
    std::ranges::stable_sort(out.policies, [](const SuiteLine& a, const SuiteLine& b) {
      return a.score.mean > b.score.mean;
    });
    set_hashes(out);
    return out;
  }

 private:
  // Open seeds follow each other and are one run; each sealed seed is one.
  Result<> play(const Spec& policy, const SuiteProblem& problem, SuiteCell& cell) {
    std::vector<std::pair<std::uint64_t, int>> runs{{1, profile_.open_seeds}};
    for (std::size_t s = as_size(profile_.open_seeds); s < seeds_.size(); ++s) runs.emplace_back(seeds_[s], 1);
    Spec world = parse_spec(problem.world, "world spec").value();
    if (!problem.path.empty()) world.set("file", {.is = SpecValue::Quoted{problem.path}});
    for (const auto& [first, count] : runs) {
      RunOptions run{.rounds = problem.rounds, .seeds = count, .first_seed = first, .threads = options_.threads,
                     .curve_points = 0, .delay = problem.delay};
      run.benchmark = Setting::kKnapsack;
      run.own = own_of(options_.own, own_uses(world, std::span(&policy, 1)));
      auto prepared = Run::prepare(world, {policy}, run);
      if (!prepared) return refuse(prepared.failure(), cell);
      const std::string content = problem.path.empty() ? "" : fmt::format(" of {:016x}", problem.content);
      kept_.under(fmt::format("{}{}, {} rounds: ", problem.name, content, problem.rounds));
      auto found = prepared.value().finish(&kept_);
      if (!found && found.reason() == Reason::kFailed) return found.failure();
      if (!found) return refuse(found.failure(), cell);
      for (const Totals& totals : found.value().policies[0].totals) {
        add_score(totals, found.value().budgets, cell);
      }
    }
    cell.spend /= static_cast<double>(seeds_.size());
    cell.reward /= static_cast<double>(seeds_.size());
    return {};
  }

  Result<> refuse(const Error& why, SuiteCell& cell) const {
    cell = SuiteCell{.scores = std::vector<double>(seeds_.size(), 0.0), .refused = why.message};
    return {};
  }

  void sum_up(SuiteLine& line) const {
    std::vector<double> of_seed(seeds_.size(), 0.0);
    const auto problems = static_cast<double>(line.cells.size());
    for (const SuiteCell& cell : line.cells) {
      for (std::size_t s = 0; s < of_seed.size(); ++s) of_seed[s] += cell.scores[s] / problems;
    }
    line.score = figure(of_seed);
    for (std::size_t s = 0; s < of_seed.size(); ++s) {
      const bool open = s < as_size(profile_.open_seeds);
      (open ? line.open : line.sealed) += of_seed[s] / (open ? profile_.open_seeds : profile_.sealed_seeds);
    }
  }

  static void set_hashes(SuiteResult& out) {
    std::string text = fmt::format("{}", fmt::join(out.seeds, ","));
    for (const SuiteProblem& problem : out.made_of.problems) {
      text += fmt::format("\n{} {} {} {}", problem.name, problem.world, problem.rounds, problem.delay);
      if (!problem.path.empty()) text += fmt::format(" {:016x}", problem.content);
    }
    out.protocol_hash = hash_of(std::string_view(text));
    for (const SuiteLine& line : out.policies) {
      text += "\n" + line.policy;
      for (const SuiteCell& cell : line.cells) text += fmt::format(" {}", fmt::join(cell.scores, ","));
    }
    out.result_hash = hash_of(std::string_view(text));
  }

  const SuiteOptions& options_;
  SuiteProfile profile_;
  PlayFile& kept_;
  std::vector<std::uint64_t> seeds_;
  std::int64_t done_ = 0;
};

Json cell_value(const SuiteProblem& problem, const SuiteCell& cell) {
  Json::List scores;
  for (const double score : cell.scores) scores.emplace_back(score);
  return Json::Object{{"problem", problem.name}, {"score", figure(cell.scores).mean}, {"scores", std::move(scores)},
                      {"reward", cell.reward},   {"spend", cell.spend},               {"refused", cell.refused}};
}

Result<std::string> content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string out{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) return Error{fmt::format("benchmark: {} cannot be read; accepted: a table that can", path)};
  return out;
}

// Those tables that the folder has.
Result<> add_tables(const std::string& folder, std::int64_t rounds, SuiteProfile& out) {
  std::string names;
  const std::size_t before = out.problems.size();
  for (const SuiteTable& table : kSuiteTables) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", table.file);
    const std::string path = (std::filesystem::path(folder) / table.file).string();
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) continue;
    auto content = content_of(path);
    if (!content) return content.failure();
    out.problems.push_back({table.name, table.what,
                            fmt::format("table(file=\"{}\",cost_range=[0,1],rate={},reward_range=[0,1])", table.file,
                                        table.rate),
                            rounds, 0, path, hash_of(std::string_view(content.value()))});
  }
  if (out.problems.size() > before) return {};
  return Error{fmt::format("benchmark: {} has no table; accepted: {}, as scripts/benchmark_tables.py makes them",
                           folder, names)};
}

}  // namespace

Result<SuiteProfile> suite_profile(const std::string& name, const std::string& tables) {
  if (name != "full" && name != "small") {
    return Error{fmt::format("benchmark: found the profile \"{}\"; accepted: full, small", name)};
  }
  const bool full = name == "full";
  SuiteProfile out{.open_seeds = full ? 8 : 2, .sealed_seeds = full ? 4 : 1};
  for (const SuiteRow& row : kSuite) {
    out.problems.push_back({row.name, row.what, row.world, full ? 5000 : 300, row.delay, "", 0});
  }
  if (!tables.empty()) {
    if (auto added = add_tables(tables, full ? 5000 : 300, out); !added) return added.failure();
  }
  return out;
}

Result<SuiteResult> run_suite(const SuiteOptions& options) {
  auto profile = suite_profile(options.profile, options.tables);
  if (!profile) return profile.failure();
  std::vector<Spec> policies;
  for (const std::string& text : options.policies) {
    auto spec = parse_spec(text, "policy spec");
    if (!spec) return spec.failure();
    policies.push_back(std::move(spec).value());
  }
  if (policies.empty()) {
    for (const char* name : kSuitePolicies) policies.emplace_back(name);
  }
  if (auto fine = check_different(policies); !fine) return fine.failure();
  auto kept = PlayFile::open(options.resume, play_header("benchmark"), false);
  if (!kept) return kept.failure();
  return Suite(options, std::move(profile).value(), *kept.value()).run(policies);
}

Json to_value(const SuiteResult& result) {
  Json::List problems, policies;
  for (const SuiteProblem& problem : result.made_of.problems) {
    problems.emplace_back(Json::Object{{"name", problem.name},
                                       {"what", problem.what},
                                       {"world", problem.world},
                                       {"rounds", problem.rounds},
                                       {"delay", problem.delay}});
  }
  for (const SuiteLine& line : result.policies) {
    Json::List cells;
    for (std::size_t i = 0; i < line.cells.size(); ++i) {
      cells.push_back(cell_value(result.made_of.problems[i], line.cells[i]));
    }
    policies.emplace_back(Json::Object{
        {"policy", line.policy},
        {"score", Json::Object{{"mean", line.score.mean}, {"low", line.score.low}, {"high", line.score.high}}},
        {"open", line.open},
        {"sealed", line.sealed},
        {"problems", std::move(cells)}});
  }
  return Json::Object{{"kind", "benchmark"},
                      {"rein", std::string(version())},
                      {"profile", result.profile},
                      {"sealed_number", result.sealed},
                      {"seeds", static_cast<std::int64_t>(result.seeds.size())},
                      {"protocol_hash", fmt::format("{:016x}", result.protocol_hash)},
                      {"result_hash", fmt::format("{:016x}", result.result_hash)},
                      {"problems", std::move(problems)},
                      {"policies", std::move(policies)}};
}

}  // namespace rein
