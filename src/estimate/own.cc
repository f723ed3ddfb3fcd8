#include "estimate/own.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/loans.h"
#include "base/math.h"
#include "base/spec_reader.h"
#include "rein/bytes.h"
#include "rein/own_oracle.h"

namespace rein {
namespace {

Loans<OracleMaker>& loans() {
  static auto* table = new Loans<OracleMaker>("oracle spec");  // outlives every loan
  return *table;
}

}  // namespace

Result<Loan> lend_oracle(const std::string& name, OracleMaker maker) {
  return loans().lend(name, std::move(maker));
}

Result<std::unique_ptr<Oracle>> BroughtOracle::make(const Spec& spec, const Shape& shape) {
  SpecReader read(spec, "oracle spec");
  const std::string name = read.text("name", "own");
  if (auto done = read.finish(); !done) return done.failure();
  auto maker = loans().find(name);
  if (!maker) return maker.failure();
  auto brought = maker.value()(shape);
  if (!brought) return brought.failure();
  return std::make_unique<BroughtOracle>(std::move(brought).value(), shape);
}

BroughtOracle::BroughtOracle(std::unique_ptr<Oracle> brought, const Shape& shape)
    : brought_(std::move(brought)), heads_(shape) {}

void BroughtOracle::predict(const Round& round, Scratch& scratch, Estimates& estimates) const {
  std::ranges::fill(estimates.width(), 0.0);  // the default for an oracle without widths
  brought_->predict(round, scratch, estimates);
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
  brought_->learn(round, action, outcomes);
}

double BroughtOracle::bound(std::int64_t rounds) const { return 4.0 * static_cast<double>(rounds); }

double BroughtOracle::regret() const { return kNan; }

void BroughtOracle::save(ByteWriter& out) const { out.state("own", Known{"heads", heads_.size()}); }

Result<> BroughtOracle::load(ByteReader& in) {
  return in.state("own", Known{"heads", heads_.size()});
}

}  // namespace rein
