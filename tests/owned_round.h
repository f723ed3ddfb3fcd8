// OwnedRound: a round that owns its numbers, so that tests can build and change them.
#pragma once

#include <cstdint>
#include <vector>

#include "rein/round.h"

namespace rein {

struct OwnedRound {
  int actions = 0;
  std::vector<double> context = {}, features = {};
  // Sparse rows, in place of features.
  std::vector<std::int32_t> begin = {}, index = {};
  std::vector<double> value = {};
  std::vector<std::int32_t> ids = {};

  bool sparse() const { return !begin.empty(); }
  Round view() const {
    return {.actions = actions,
            .context = context,
            .features = features,
            .sparse = {.begin = begin, .index = index, .value = value},
            .ids = ids};
  }
  // The same round with only this action, whose row has `width` features.
  OwnedRound only(int action, int width) const {
    OwnedRound one{.actions = 1, .context = context, .ids = {view().id(action)}};
    if (sparse()) {
      one.begin = {0, begin[action + 1] - begin[action]};
      one.index.assign(index.begin() + begin[action], index.begin() + begin[action + 1]);
      one.value.assign(value.begin() + begin[action], value.begin() + begin[action + 1]);
    } else {
      one.features.assign(features.begin() + action * width,
                          features.begin() + (action + 1) * width);
    }
    return one;
  }
};

}  // namespace rein
