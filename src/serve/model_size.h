// How much memory a model will take, computed from its document before any is taken. An upper bound,
// within about twice the real size for the default policy and a small factor for the others;
// tests/serve/model_size_test.cc compares it with real sizes over a table of policies and oracles.
//
// What counts is what grows with the document: learned state, and working memory for one round. Open
// decisions, remembered ids and keys of budgets have limits of their own (docs/limits.md).
#pragma once

#include <cstdint>

#include "rein/shape.h"
#include "rein/spec.h"
#include "serve/document.h"

namespace rein::serve {

// Limit on the bytes of a model. While a model is made or opened, a few times as much is in memory,
// and every snapshot has as much again.
inline constexpr std::int64_t kMostModelBytes = std::int64_t{96} << 20;

// Bytes for a policy on problems of this shape. Trees count as they are when
// they are full grown.
double model_bytes(const Spec& policy, const Shape& shape);
double model_bytes(const ModelPlan& plan);

// Throws Refused for a model that would take more than kMostModelBytes, with the numbers.
void check_model_size(const ModelPlan& plan);
void check_model_size(const Spec& policy, const Shape& shape);

}  // namespace rein::serve
