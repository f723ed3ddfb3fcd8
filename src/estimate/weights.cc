#include "estimate/weights.h"

#include "base/size.h"

namespace rein {

void write_terms(const FeatureMap& map, const Round& round, int action,
                 std::span<const double> theta, double unit, std::vector<Term>& out) {
  out.clear();
  for (int j = 0; j < map.size(); ++j) {
    Term term{.weight = unit * theta[as_size(j)], .value = map.at(round, action, j)};
    if (j < map.context()) {
      term.context = j;
    } else if (j < map.products()) {
      term.feature = j - map.context();
    } else if (!(map.bias() && j == map.size() - 1)) {
      term.context = (j - map.products()) / map.features();
      term.feature = (j - map.products()) % map.features();
    }
    out.push_back(term);
  }
}

}  // namespace rein
