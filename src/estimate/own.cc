#include "estimate/own.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/own.h"

namespace rein {
namespace {

constexpr std::string_view kState =
    "own 2";  // before version 2, "own" saved nothing of the caller's

}  // namespace

Result<std::unique_ptr<Oracle>> BroughtOracle::make(const Spec& spec, const Shape& shape,
                                                    const Own& own) {
  auto maker = find_own(own.oracles, spec, "oracle spec");
  if (!maker) return maker.failure();
  auto brought = maker.value()(shape);
  if (!brought) return brought.failure();
  return std::make_unique<BroughtOracle>(std::move(brought).value(), shape);
}

BroughtOracle::BroughtOracle(std::unique_ptr<OwnOracle> brought, const Shape& shape)
    : brought_(std::move(brought)), heads_(shape) {}

void BroughtOracle::predict(const Round& round, Scratch&, Estimates& estimates) const {
  std::ranges::fill(estimates.width(), 0.0);  // the default for an oracle without widths
  brought_->predict(round, estimates);
  for (int h = 0; h < heads_.size(); ++h) {
    const std::span<double> mean = estimates.mean(h);
    for (int a = 0; a < round.actions; ++a) {
      if (!std::isfinite(mean[a])) {
        throw Failure(fmt::format(
            "own oracle: it estimates {} for head {} (0 is the reward) of action {}; accepted: "
            "finite numbers",
            mean[a], h, a));
      }
      mean[a] = heads_.clip(h, mean[a]);
    }
  }
  for (double width : estimates.width()) {
    if (!std::isfinite(width)) {
      throw Failure(
          fmt::format("own oracle: found a width of {}; accepted: finite numbers", width));
    }
  }
}

void BroughtOracle::learn(const Round& round, int action, std::span<const double> outcomes) {
  const bool part = std::ranges::any_of(outcomes, [](double y) { return std::isnan(y); });
  if (part && !brought_->learns_parts()) {
    throw Failure(
        "own oracle: an outcome came in part, and this oracle does not say that it learns parts "
        "(learns_parts); accepted: the reward and every cost in one call");
  }
  brought_->learn(round, action, outcomes);
}

double BroughtOracle::bound(std::int64_t rounds) const { return 4.0 * static_cast<double>(rounds); }

double BroughtOracle::regret() const { return kNan; }

void BroughtOracle::save(ByteWriter& out) const {
  out.state(kState, Known{"heads", heads_.size()});
  save_own(*brought_, out);
}

Result<> BroughtOracle::load(ByteReader& in) {
  if (auto read = in.state(kState, Known{"heads", heads_.size()}); !read) return read;
  return load_own(*brought_, in);
}

}  // namespace rein
