// Helpers for tests of oracles: random rounds that fit a shape, and a prediction in one call.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "owned_round.h"
#include "rein/bytes.h"
#include "rein/oracle.h"
#include "rein/rng.h"

namespace rein {

// Random rounds: |(context, features)| <= 1 for every action, numbers of both signs, some zeros.
class Rounds {
 public:
  Rounds(const Shape& shape, bool sparse, std::uint64_t seed)
      : shape_(shape), sparse_(sparse), rng_(seed) {}

  Rng& rng() { return rng_; }

  // All actions, or a random subset of them by id.
  OwnedRound next(bool subset = false) {
    std::vector<std::int32_t> ids;
    if (subset) {
      for (int id = 0; id < shape_.actions; ++id) {
        if (rng_.uniform() < 0.5) ids.push_back(id);
      }
      if (ids.empty()) ids.push_back(static_cast<std::int32_t>(rng_.below(shape_.actions)));
      if (rng_.uniform() < 0.5) std::swap(ids.front(), ids.back());  // any order will do
    }
    return with_ids(std::move(ids));
  }
  OwnedRound with_ids(std::vector<std::int32_t> ids) {
    OwnedRound round;
    const bool sparse = sparse_ && shape_.features > 0;
    round.actions = ids.empty() ? shape_.actions : static_cast<int>(ids.size());
    round.ids = std::move(ids);
    const double scale = 1.0 / std::sqrt(static_cast<double>(shape_.context + shape_.features));
    for (int i = 0; i < shape_.context; ++i) round.context.push_back(scale * signed_number());
    if (sparse) round.begin.push_back(0);
    for (int a = 0; a < round.actions; ++a) {
      for (int j = 0; j < shape_.features; ++j) {
        const double x = rng_.uniform() < 0.4 ? 0.0 : scale * signed_number();
        if (!sparse) {
          round.features.push_back(x);
        } else if (x != 0.0) {
          round.index.push_back(j);
          round.value.push_back(x);
        }
      }
      if (sparse) round.begin.push_back(static_cast<std::int32_t>(round.index.size()));
    }
    return round;
  }
  // The rows of a sparse round, written out.
  OwnedRound dense(const OwnedRound& round) const {
    OwnedRound out = round;
    out.begin.clear(), out.index.clear(), out.value.clear();
    out.features.assign(static_cast<std::size_t>(round.actions * shape_.features), 0.0);
    for (int a = 0; a < round.actions; ++a) {
      for (int j = round.begin[a]; j < round.begin[a + 1]; ++j) {
        out.features[a * shape_.features + round.index[j]] = round.value[j];
      }
    }
    return out;
  }
  // One outcome per head, anywhere in its range, sometimes at its ends.
  std::vector<double> outcomes() {
    std::vector<double> y{inside(shape_.reward)};
    for (const CostShape& cost : shape_.costs) y.push_back(inside(cost.range));
    return y;
  }

 private:
  double signed_number() { return 2.0 * rng_.uniform() - 1.0; }
  double inside(const Range& range) {
    const double u = rng_.uniform();
    if (u < 0.1) return range.low;
    if (u > 0.9) return range.high;
    return range.low + (range.high - range.low) * rng_.uniform();
  }
  Shape shape_;
  bool sparse_;
  Rng rng_;
};

inline Estimates predict(const Oracle& oracle, const Shape& shape, const Round& round) {
  Scratch scratch;
  scratch.reset(oracle.scratch());
  Estimates estimates;
  estimates.prepare(shape.heads(), shape.actions);
  estimates.set_actions(round.actions);
  oracle.predict(round, scratch, estimates);
  return estimates;
}

inline std::string saved(const Oracle& oracle) {
  ByteWriter out;
  oracle.save(out);
  return out.bytes();
}

inline std::unique_ptr<Oracle> oracle_of(const std::string& spec, const Shape& shape) {
  return make_oracle(parse_spec(spec, "oracle spec").value(), shape).value();
}

}  // namespace rein
