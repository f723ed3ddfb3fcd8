// rein train: a model that learns a log before its first decision.
#include <fmt/format.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <optional>

#include "base/atomic_file.h"
#include "log_words.h"
#include "numbers.h"
#include "progress.h"
#include "streams.h"
#include "tools/trained.h"
#include "train_model.h"

namespace rein::app {
namespace {

// Where a served model goes, if one is wanted.
using Place = std::optional<serve::TrainedPlace>;

Place check_places(const TrainWords& given) {
  if (given.save.empty() && given.serve.empty()) {
    throw UsageError("found no place for the model; accepted: --save FILE, --serve DATA/NAME");
  }
  Place place;
  if (!given.serve.empty()) place = typed(serve::trained_place(given.serve));
  if (given.save.empty()) return place;
  std::error_code ignored;
  if (std::filesystem::equivalent(given.log, given.save, ignored)) {
    throw UsageError(fmt::format("--save: {} is the log; accepted: another file", given.save));
  }
  if (!given.force && std::filesystem::exists(given.save, ignored)) {
    throw UsageError(
        fmt::format("--save: {} exists; accepted: another name, or --force", given.save));
  }
  check_writable(given.save).check();
  return place;
}

LogReport teach_shown(Engine& engine, const Log& log) {
  Progress bar;
  return read_from(teach(engine, log, [&](std::int64_t done, std::int64_t all) {
    bar.show(done, all);
    return go_on();
  }));
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 12;
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) {
    out += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > kShown) out += fmt::format(", ... ({} in all)", names.size());
  return out.empty() ? "none" : out;
}

void print_for_people(const TrainWords& given, const Place& place, const Engine& engine,
                      const LogProblem& problem, const LogReport& read, const LogReport& taught,
                      bool as_spent) {
  fmt::print("{}learned {} rows, left out {}\n", read.str(), taught.kept, taught.refused);
  for (const LogNote& note : taught.notes) {
    fmt::print("  {}\n", note.str(note.refused ? "left out" : "note on"));
  }
  std::vector<std::string> columns, costs;
  for (const Column& column : problem.context) columns.push_back(column.name + " " + column.kind);
  for (const CostShape& cost : engine.policy().shape().costs) costs.push_back(cost.name);
  std::vector<std::string> actions = problem.options.actions;
  if (actions.empty()) {
    for (int a = 0; a < problem.shape.actions; ++a) actions.push_back(std::to_string(a));
  }
  fmt::print("policy    {}\nactions   {}\ncontext   {}\n", engine.policy().spec().str(),
             listed(actions), listed(columns));
  if (!problem.features.empty()) fmt::print("features  {}\n", listed(problem.features));
  fmt::print("costs     {}\n", listed(costs));
  if (as_spent) fmt::print("rate      what the log spent per decision; say rate= for another\n");
  if (!given.save.empty()) {
    fmt::print("{}: rein.Agent.load(\"{}\") in Python, rein::Engine::restore(bytes) in C++\n",
               given.save, given.save);
  }
  if (place) fmt::print("{}: rein serve --data {}\n", given.serve, place->data);
}

Json to_value(const Engine& engine, const LogProblem& problem, const LogReport& read,
              const LogReport& taught) {
  Json::List notes;
  for (const LogReport* report : {&read, &taught}) {
    for (const LogNote& note : report->notes) {
      notes.emplace_back(Json::Object{{"what", note.what},
                                      {"refused", note.refused},
                                      {"rows", note.count},
                                      {"first", note.first},
                                      {"last", note.last}});
    }
  }
  Json::Object context;
  for (const Column& column : problem.context) context.emplace_back(column.name, column.kind);
  Json::List features;
  for (const std::string& name : problem.features) features.emplace_back(name);
  return Json::Object{{"kind", "train"},
                      {"policy", engine.policy().spec().str()},
                      {"kept", read.kept},
                      {"refused", read.refused},
                      {"learned", taught.kept},
                      {"left_out", taught.refused},
                      {"context", std::move(context)},
                      {"features", std::move(features)},
                      {"notes", std::move(notes)}};
}

int run(const TrainWords& given) {
  const Place place = check_places(given);
  check_stdout();
  ::umask(S_IRWXG | S_IRWXO);  // a model holds the seed that its ids depend on
  const Log log = read_shown(given.log, given.words);
  const LogProblem problem = typed(problem_of(log));
  try {
    TrainedModel model = train_model(train_document(problem, given), log);
    Engine& engine = model.engine;
    const LogReport taught = teach_shown(engine, log);
    if (taught.kept == 0) throw Failure(Error{"no row can be learned\n" + taught.str()});
    if (!given.save.empty()) write_whole(given.save, engine.snapshot()).check();
    if (place) {
      const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
      serve::write_trained(*place, model.plan, engine, model.document.str(),
                           now.time_since_epoch().count())
          .check();
    }
    if (given.json) {
      fmt::print("{}\n", to_value(engine, problem, log.report, taught).str());
    } else {
      print_for_people(given, place, engine, problem, log.report, taught, model.as_spent);
    }
  } catch (const serve::Refused& wrong) {
    throw UsageError(wrong.what());
  }
  return kOk;
}

constexpr const char* kTrainExamples =
    "Reads any log: .csv .jsonl .dsjson .json .vw .txt .rlog, and .gz after them. The log says "
    "what\n"
    "the actions, the columns of the context and the costs are. Every row is learned, in its "
    "order,\n"
    "as by agent.warm_start(): nothing is spent or counted. Probabilities are not needed.\n"
    "\n"
    "  rein train decisions.csv --policy 'ccb(rate=0.05)' --save model.rein\n"
    "      then in Python: agent = rein.Agent.load(\"model.rein\"); agent.decide({\"age\": 31})\n"
    "      in C++: rein::Engine::restore(bytes of the file)\n"
    "  rein train decisions.csv --policy 'ccb(rate=0.05)' --serve rein-data/routing\n"
    "      then: rein serve --data rein-data, and POST /v1/models/routing/decide\n"
    "  rein train train.vw.gz --policy 'squarecb' --range reward=0:1 --save model.rein\n"
    "  rein train log.csv --serve rein-data/mail --document \\\n"
    "    '{\"budgets\":[{\"name\":\"day\",\"cost\":\"dollars\",\"amount\":5,\"per\":\"day\"}]}'\n"
    "\n"
    "A policy that needs a budget and has none gets what the log spent per decision.\n"
    "Ranges that are not given are learned, if the policy can. Rows that cannot be learned are "
    "left\n"
    "out and counted by reason and line. docs/warm_start.md says what is learned and what is not.\n"
    "Exit code 1: a file is damaged or cannot be written, or no row can be used.";

}  // namespace

Verb add_train(CLI::App& program) {
  CLI::App* verb =
      program.add_subcommand("train", "A model that has learned a log before its first decision");
  auto given = std::make_shared<TrainWords>();
  verb->add_option("LOG", given->log, "File of past decisions, plain or gzip")->required();
  verb->add_option("--policy", given->policy, "SPEC of the policy (default: ccb)")
      ->type_name("SPEC");
  verb->add_option("--save", given->save, "File for Python and C++: the state of an engine")
      ->type_name("FILE");
  verb->add_option("--serve", given->serve, "New model in a data folder of rein serve")
      ->type_name("DATA/NAME");
  verb->add_option("--document", given->document,
                   "JSON of a model, or its file: budgets, safe_action, ... (docs/service.md)")
      ->type_name("JSON");
  verb->add_option("--range", given->ranges, "NAME=LOW:HIGH of the reward or a cost; repeatable");
  verb->add_option("--rounds", given->rounds, "Decisions that the model will make in all")
      ->check(number_from(1, kMaxHorizon));
  verb->add_option("--seed", given->seed, "Of the model's random numbers (default: drawn)")
      ->check(number_from(0, std::int64_t{1} << 53));
  add_log_words(*verb, given->words);
  verb->add_flag("--force", given->force, "Overwrite FILE if it exists");
  verb->add_flag("--json", given->json, "Print the counts as one JSON object");
  verb->footer(kTrainExamples);
  return [given] { return stoppable("train", [&] { return run(*given); }); };
}

}  // namespace rein::app
