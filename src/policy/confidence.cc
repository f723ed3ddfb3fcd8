#include "policy/confidence.h"

#include <fmt/format.h>

namespace rein {

Result<> fit_confidence(const Spec& oracle, int dimension, int costs, Confidence& confidence) {
  if (dimension == 0) {
    return Error{fmt::format(
        "policy spec: confidence bounds need an oracle with widths, and {} has none; accepted: "
        "ridge, vaw",
        oracle.str())};
  }
  confidence.dimension = dimension;
  confidence.heads = std::max(costs, 1);
  return {};
}

}  // namespace rein
