// The model that rein train makes: its document, in the words of docs/service.md, and its engine.
#pragma once

#include <string>
#include <vector>

#include "log_words.h"
#include "rein/train.h"
#include "serve/document.h"

namespace rein::app {

struct TrainWords {
  std::string log, policy, save, serve, document;
  std::vector<std::string> ranges;
  std::int64_t rounds = 0;
  std::int64_t seed = -1;
  LogWords words;
  bool force = false, json = false;
};

// What the log and the options say, with the keys of --document in the place of theirs. Throws
// UsageError or serve::Refused.
Json::Object train_document(const LogProblem& problem, const TrainWords& given);

struct TrainedModel {
  serve::ModelPlan plan;
  Engine engine;
  Json document;
  bool as_spent = false;  // the policy needed a budget and had none: it has what the log spent
};
TrainedModel train_model(Json::Object document, const Log& log);

}  // namespace rein::app
