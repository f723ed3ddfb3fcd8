// GET /metrics: counts and durations in Prometheus' text format.
#pragma once

#include <span>
#include <string>

#include "http/server.h"
#include "serve/model.h"

namespace rein::serve {

// The lines of a model, without HELP and TYPE.
std::string model_metrics(Model& model);
// The lines of a model that has stopped.
std::string stopped_metrics(const std::string& name);
// All models together: lines of the same metric next to each other.
// `free_bytes`: on the disk of the data folder; -1: there is none.
std::string all_metrics(std::span<const std::string> models, const HttpCounts& counts, std::int64_t free_bytes);

}  // namespace rein::serve
