// Training: an engine that learns a log before its first decision.
//
//     const rein::Log log = rein::read_log("decisions.csv").value();
//     rein::LogProblem problem = rein::problem_of(log).value();      // actions, context, costs
//     auto engine = rein::Engine::make("ccb(rate=0.05)", problem.shape, problem.options).value();
//     const rein::LogReport taught = rein::teach(engine, log).value();  // rows learned and left out
//     const std::string model = engine.snapshot();                   // Engine::restore() reads it
//
// The rows are learned as by Engine::warm_start() (docs/warm_start.md): nothing is spent or counted.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "rein/engine.h"
#include "rein/log.h"

namespace rein {

// The problem that a log is about. Ranges are unknown: a log only shows what happened.
struct LogProblem {
  Shape shape;
  EngineOptions options;              // names of the actions, and the schema of the context
  std::vector<Column> context;        // the columns of that schema
  std::vector<std::string> features;  // numbers that each action brings, in their order
};

// A column of numbers becomes `number`, a sparse number `number(scale=none)`, whose missing values are
// 0, and a category `category(most=N)` with the categories of the log. With LogOptions::bits the names
// are slots. Refused: more than 1024 columns, or more than 4096 features of actions.
Result<LogProblem> problem_of(const Log& log);

// A function that is called now and then with the number of rows that are done and of all rows. It
// stops the work by returning false.
using TeachProgress = std::function<bool(std::int64_t done, std::int64_t all)>;

// Learns the rows in their order. Actions, columns of the context and costs are matched by name, so
// the engine may know more of them than the log. Refused: a column of the engine's schema, a cost of
// the engine or features that the log does not have. Rows that cannot be learned are left out, and
// counted in the report by reason and line: no part of the outcome came, an action that the engine
// does not have, an outcome outside its range. If it is stopped, the rows so far are learned.
Result<LogReport> teach(Engine& engine, const Log& log, const TeachProgress& progress = {});

}  // namespace rein
