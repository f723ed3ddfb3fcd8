// The document that makes a model: PUT /v1/models/NAME, or a table of rein.toml. It has the words of
// Python's rein.Agent; docs/service.md lists them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rein/engine.h"
#include "serve/json_in.h"

namespace rein::serve {

// Who answers: the policy, or the baseline action while the policy watches.
enum class Mode {
  kOnline,   // the policy
  kShadow,   // the baseline; what the policy would have done is noted
  kLogging,  // the baseline, and nothing else is computed
};
std::string_view name_of(Mode mode);

// How decisions are answered. A conduct may change while the model runs.
struct Conduct {
  Mode mode = Mode::kOnline;
  std::int32_t baseline = -1;  // id of the action that answers in the policy's place; -1: none
  std::vector<std::string> fallback;  // statuses in which the baseline answers: "changed", ...
};

// Free-form features as hashed numbers, for the rank calls (rank.h). 0: the model has none.
struct Hashed {
  int context = 0;
  int features = 0;
  bool on() const { return context > 0 || features > 0; }
};

struct ModelPlan {
  std::string policy;
  Shape shape;
  EngineOptions options;
  std::vector<double> expected;  // one row of costs per action; empty: none
  Conduct conduct;
  Hashed hashed;
  std::optional<std::int64_t> keep;  // seconds; 0: forever; nothing: as the service
};

// Seconds after which a decision without a whole outcome expires, where the document says nothing: 7
// days. Most rewards that come at all come within a week (purchases, ratings, tickets that are closed),
// and a model whose callers lose some outcomes must not fill with them.
inline constexpr std::int64_t kUsualExpiry = 604'800;

// A tick of the engine is a second here, so windows may be given in units of time: "90 seconds",
// "5 minutes", "last 24 hours". They are shown in seconds.
std::string per_in_ticks(const std::string& per);
std::string per_in_seconds(const Window& window);

// Throws Refused. A seed that is not given, and the secret, are drawn from the system's entropy.
ModelPlan read_document(const Json& document);
Result<Engine> make_engine(const ModelPlan& plan);

// Reads mode, baseline and fallback, which may be left out.
void read_conduct(Fields& fields, const std::function<std::int32_t(const Json&)>& find,
                  Conduct& conduct);

}  // namespace rein::serve
