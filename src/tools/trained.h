// A model that has learned a log before the service starts: its folder, made without a service.
#pragma once

#include <cstdint>
#include <string>

#include "rein/engine.h"
#include "rein/result.h"
#include "serve/document.h"
#include "serve/event.h"
#include "serve/model_state.h"

namespace rein::serve {

// Splits DATA/NAME and refuses what cannot become a new model: a name that is not accepted, or a
// folder that has a model.
struct TrainedPlace {
  std::string data, name;
};
Result<TrainedPlace> trained_place(const std::string& path);

// Makes the folder with a journal that begins with this event, whatever its size. After an error
// nothing of it is left. kFailed while a service has DATA open.
Result<> write_first(const TrainedPlace& place, const Event& first);

// Makes the folder with a journal that goes on from this state. The result is the hash of the state
// that the journal begins with.
Result<std::uint64_t> write_continuation(const TrainedPlace& place, const ModelState& state);

// Makes the folder with a journal whose first entry is this engine, so that `rein serve --data
// DATA` serves it. `document` is what GET /v1/models/NAME shows; `now` is in UTC seconds, and the
// first windows open then. kFailed while a service has DATA open.
Result<> write_trained(const TrainedPlace& place, const ModelPlan& plan, Engine& engine,
                       const std::string& document, std::int64_t now);

}  // namespace rein::serve
