#include "evaluate/feed.h"

#include <algorithm>

#include "base/size.h"

namespace rein {
namespace {

constexpr std::uint64_t kLossStream = 2;  // see kPolicyStream in play.cc

}  // namespace

Feed::Feed(std::span<const PartRule> rules, std::int64_t rounds, std::uint64_t seed)
    : rules_(rules.begin(), rules.end()), rng_(seed, kLossStream) {
  for (std::size_t part = 0; part < rules_.size(); ++part) {
    const std::int64_t late = rules_[part].late;
    if (late >= rounds) continue;
    auto group = std::ranges::find(groups_, late, &Group::late);
    if (group == groups_.end()) group = groups_.insert(group, {.late = late});
    group->parts |= Came{1} << part;
  }
  std::ranges::sort(groups_, std::greater<>(), &Group::late);
  ring_.resize(as_size(groups_.empty() ? 1 : groups_[0].late + 1));
}

const Feed::Waiting& Feed::at(std::int64_t t) const {
  return ring_[as_size(t % static_cast<std::int64_t>(ring_.size()))];
}

void Feed::add(std::int64_t t, std::uint64_t id, const Outcome& outcome) {
  Waiting& waiting = ring_[as_size(t % static_cast<std::int64_t>(ring_.size()))];
  waiting = {.round = t, .id = id, .outcome = outcome};
  rng_.set_counter(static_cast<std::uint64_t>(t) * rules_.size());
  for (std::size_t part = 0; part < rules_.size(); ++part) {
    if (rng_.uniform() >= rules_[part].missing) continue;
    (part == 0 ? waiting.outcome.reward : waiting.outcome.costs[static_cast<int>(part) - 1]) =
        kMissing;
  }
}

Result<> Feed::deliver(std::int64_t t, Engine& engine) const {
  for (const Group& group : groups_) {
    if (t <= group.late) continue;
    const Waiting& waiting = at(t - group.late);
    if (waiting.round != t - group.late) continue;  // no decision was made in that round
    const Outcome part = only(waiting.outcome, group.parts, waiting.outcome.costs.size());
    if (came_of(part) == 0) continue;
    const auto done = engine.learn(waiting.id, part);
    // After expiry a reward is refused, which is what a late reward meets in service.
    if (!done && done.reason() != Reason::kExpired) return done.failure();
  }
  return {};
}

}  // namespace rein
