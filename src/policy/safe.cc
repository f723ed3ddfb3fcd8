#include "policy/safe.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/size.h"
#include "base/spec_reader.h"
#include "policy/common.h"
#include "policy/ranges.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr std::int64_t kStateVersion = 1;

}  // namespace

Result<std::unique_ptr<Policy>> make_safe(const Spec& spec, const Shape& shape, const Own& own) {
  SpecReader read(spec, "policy spec");
  const Spec of = read.spec("of", "ccb");
  const Spec oracle = read.spec("oracle", "none");
  Stage stage(read);
  const Confidence confidence = read_confidence(read, Radius::kEllipsoid);
  if (auto done = read.finish(); !done) return done.failure();
  if (!shape.unknown().empty()) return needs_range("safe", shape, "");
  auto inner = make_policy(of, shape, own);
  if (!inner) return inner.failure();
  if (auto fits = stage.fit(inner.value()->shape()); !fits) return fits.failure();
  auto bounds = make_upper_bounds(oracle, confidence, shape, own);
  if (!bounds) return bounds.failure();
  return std::make_unique<Safe>(spec, std::move(inner).value(), std::move(bounds).value(), stage);
}

Safe::Safe(const Spec& spec, std::unique_ptr<Policy> policy, std::unique_ptr<UpperBounds> bounds,
           const Stage& stage)
    : spec_(spec), policy_(std::move(policy)), bounds_(std::move(bounds)), stage_(stage) {}

bool Safe::fits(std::span<const double> upper, std::size_t action, std::size_t actions) const {
  for (std::size_t i = 0; i < shape().costs.size(); ++i) {
    if (upper[i * actions + action] > stage_.limit(static_cast<int>(i))) return false;
  }
  return true;
}

// beta.
double Safe::kept(std::span<const double> upper, const Decision& decision) const {
  const std::span<const double> p = decision.probabilities();
  double share = 1.0;
  for (std::size_t i = 0; i < shape().costs.size(); ++i) {
    const double safe = stage_.known(static_cast<int>(i));
    double at_least = 0.0, rises = 0.0;  // the cost at beta = 0, and by how much beta raises it
    for (std::size_t a = 0; a < p.size(); ++a) {
      const double cost = upper[i * p.size() + a];
      const bool keeps = fits(upper, a, p.size());
      at_least += p[a] * (keeps ? cost : safe);
      if (!keeps) rises += p[a] * (cost - safe);
    }
    const double room = stage_.limit(static_cast<int>(i)) - at_least;
    if (rises > room) share = std::min(share, std::max(0.0, room / rises));
  }
  return share;
}

// The inner policy uses the front of the working memory, and the bounds stay behind it.
Result<> Safe::decide(const Round& round, const Money& money, Rng& rng, Scratch& scratch,
                      Decision& decision) const {
  if (auto fits = validate(shape(), round); !fits) return fits;
  const auto found = stage_.place(round);
  if (!found) return found.failure();
  const int place = found.value();
  scratch.reset(front() + uppers());
  scratch.take(front());
  const std::span<double> upper =
      scratch.take(shape().costs.size() * as_size(round.actions));
  scratch.reset(front());
  bounds_->write(round, scratch, decision, upper);
  stage_.set_known(place, as_size(round.actions), upper);

  if (auto decided = policy_->decide(round, money, rng, scratch, decision); !decided) {
    return decided;
  }
  const std::span<double> p = decision.probabilities();
  const double share = kept(upper, decision);
  const bool drawn_fits = fits(upper, as_size(decision.action), p.size());
  double moved = 0.0;
  for (std::size_t a = 0; a < p.size(); ++a) {
    if (fits(upper, a, p.size())) continue;
    moved += (1.0 - share) * p[a];
    p[a] *= share;
  }
  p[as_size(place)] += moved;
  const bool keeps = rng.uniform() < share;
  if (!drawn_fits && !keeps) decision.action = place;
  decision.probability = p[as_size(decision.action)];
  return {};
}

Result<> Safe::learn(const Round& round, const Decision& decision, const Outcome& outcome,
                     Part part) {
  if (auto learned = policy_->learn(round, decision, outcome, part); !learned) return learned;
  if (is_bill(part)) return {};
  double heads[1 + kMaxCosts];
  heads[0] = outcome.reward;
  bool came = !is_missing(outcome.reward);
  for (int i = 0; i < outcome.costs.size(); ++i) {
    heads[i + 1] = outcome.costs[i];
    came = came || !is_missing(outcome.costs[i]);
  }
  if (!came) return {};
  bounds_->learn(round, decision.action, {heads, as_size(shape().heads())});
  return {};
}

PolicyState Safe::adapted(PolicyState state) {
  state.theorem.reset();  // other distributions than the theorem's were played
  state.setting.reset();  // what is promised is about every round, not about sums
  return state;
}

std::string Safe::save() const {
  ByteWriter out;
  out.tag("rein safe");
  out.i64(kStateVersion);
  out.text(spec_.asked().str());
  bounds_->save(out);
  out.text(policy_->save());
  return out.bytes();
}

Result<> Safe::load(std::string_view bytes) {
  ByteReader in(bytes);
  in.tag("rein safe");
  in.expect("version", in.i64(), kStateVersion);
  in.tag(spec_.asked().str());
  if (auto read = bounds_->load(in); !read) return read;
  const std::string inner = in.text();
  if (auto read = in.finish(); !read) return read;
  if (auto loaded = policy_->load(inner); !loaded) return loaded;
  return {};
}

}  // namespace rein
