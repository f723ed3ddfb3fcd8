// How names of a log become columns of an engine: problem_of() and teach() must agree on it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rein/train.h"

namespace rein {

// The column of the context that a sparse feature belongs to: `space^name`, or `name`.
std::string column_name(const FeatureName& feature);

// The sparse features of actions, ascending: the n-th is number n of an action.
std::vector<std::int32_t> feature_columns(const Log& log);

// The names of a log as places in an engine.
struct LogPlaces {
  std::vector<std::int32_t> action;   // engine's id per id of the log; -1: the engine has none
  std::vector<int> cost;              // column of the log per cost of the engine
  std::vector<int> dense;             // column of the log's context per column; -1: it is sparse
  std::vector<std::int32_t> sparse;   // column per sparse feature; -1: it is not used
  std::vector<std::int32_t> feature;  // number of an action per sparse feature; -1: it is none
};
// Refuses an engine that needs columns, costs or features that the log does not have.
Result<LogPlaces> match_log(const Engine& engine, const Log& log);

}  // namespace rein
