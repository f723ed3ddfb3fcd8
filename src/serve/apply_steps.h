// Steps: what a changed document does to an engine, one call and one record each (apply.cc).
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "serve/difference.h"
#include "serve/document.h"

namespace rein::serve {

struct Step {
  const char* field;  // of the document, for a refusal
  std::function<Result<>(Engine& engine)> take;
};

// The steps from one document to the other, in their order. What requests have changed stays where the
// documents are the same. The steps refer to `was` and `is`. `engine` is as it will be before the first step.
std::vector<Step> steps_between(const ModelPlan& was, const ModelPlan& is,
                                const std::vector<Difference>& found, const Engine& engine);

}  // namespace rein::serve
