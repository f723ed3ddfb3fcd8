#include "policy/toward.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/came.h"
#include "base/size.h"
#include "base/units.h"
#include "policy/common.h"
#include "policy/explains.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr std::string_view kTag = "rein goal in parts";

constexpr std::array<std::string_view, 4> kKeys = {"at_least", "at_most", "maximize", "minimize"};

// With a lower limit the head that must be learned is a cost. Optimism about costs is 3 / 10 of that
// about rewards (tuning/optimism.cc): here it is as large.
constexpr double kOptimism = 10.0 / 3.0;

class Toward final : public Policy, public Explains {
 public:
  Toward(const Spec& spec, const Shape& shape, Goal goal, std::unique_ptr<Policy> policy)
      : spec_(spec),
        shape_(shape),
        units_(units_of(shape)),
        goal_(std::move(goal)),
        policy_(std::move(policy)),
        learns_parts_(policy_->state().learns_parts),
        counts_(as_size(shape.heads())),
        learned_(*policy_) {
    shape_.rounds = policy_->shape().rounds;
  }

  using Policy::decide;
  using Policy::learn;
  Result<> decide(const Round& round, const Money& money, Rng& rng, Scratch& scratch,
                  Decision& decision) const override {
    if (auto fits = check_reserved(shape_, units_, money.reserved); !fits) return fits;
    const Costs held = goal_.reserved(money.reserved);
    auto done = policy_->decide(round, {.reserved = held.span()}, rng, scratch, decision);
    if (done) goal_.unmap(decision.estimates);
    return done;
  }

  Result<> learn(const Round& round, const Decision& decision, const Outcome& outcome,
                 Part part) override {
    if (part == Part::kWarm && came_of(outcome) == 0) {
      return policy_->learn(round, decision, outcome, part);
    }
    if (auto fits = check(outcome, part); !fits) return fits;
    const bool change = part == Part::kCorrection;
    const Outcome mapped = change ? goal_.map_change(outcome) : goal_.map(outcome);
    if (part == Part::kWarm || is_bill(part)) {
      if (auto done = policy_->learn(round, decision, mapped, part); !done) return done;
    } else {
      learned_ = decision;
      goal_.map(learned_.estimates);
      if (auto done = policy_->learn(round, learned_, mapped, part); !done) return done;
    }
    if (part == Part::kWarm || change) return {};
    rounds_ += part == Part::kFirst ? 1 : 0;
    const Came came = came_of(outcome);
    for (std::size_t h = 0; h < counts_.size(); ++h) counts_[h] += came >> h & 1U;
    return {};
  }

  const Shape& shape() const override { return shape_; }
  const Spec& spec() const override { return spec_; }
  std::size_t scratch() const override { return policy_->scratch(); }
  std::string save() const override {
    std::string inside = policy_->save();
    if (std::ranges::all_of(counts_, [&](std::int64_t count) { return count == rounds_; })) {
      return inside;
    }
    ByteWriter out;
    out.tag(kTag);
    out.i64(rounds_);
    for (std::int64_t count : counts_) out.i64(count);
    out.text(inside);
    return out.bytes();
  }

  Result<> load(std::string_view bytes) override {
    ByteReader in(bytes);
    if (in.text() != kTag) {  // every outcome came whole
      if (auto done = policy_->load(bytes); !done) return done;
      rounds_ = policy_->state().rounds;
      std::ranges::fill(counts_, rounds_);
      return {};
    }
    const std::int64_t rounds = in.count();
    std::vector<std::int64_t> counts(counts_.size());
    for (std::int64_t& count : counts) count = in.count();
    const std::string inside = in.text();
    if (auto done = in.finish(); !done) return done;
    if (auto done = policy_->load(inside); !done) return done;
    rounds_ = rounds;
    counts_ = counts;
    return {};
  }

  Result<> explain(const Round& round, const Decision& decision,
                   std::span<Explanation> out) const override {
    Decision inside = decision;
    goal_.map(inside.estimates);
    if (auto done = explain_by(*policy_, round, inside, out); !done) return done;
    for (Explanation& one : out) goal_.unmap(one);
    return {};
  }

  PolicyState state() const override { return adapted(policy_->state()); }
  PolicyState brief() const override { return adapted(policy_->brief()); }

 private:
  // The state of the policy inside, in the terms of the user.
  PolicyState adapted(PolicyState state) const {
    goal_.unmap(counts_, state.reward, state.spent);
    state.least = {};  // of mapped costs
    state.objective = goal_.objective();
    if (state.alarm) state.alarm->head = head_of(state.alarm->head);
    if (state.status_head >= 0) state.status_head = head_of(state.status_head);
    state.status_goal = true;
    if (state.change) state.change->head = head_of(state.change->head);
    return state;
  }

  // The user's head of a head inside.
  int head_of(int head) const {
    return head == 0 ? goal_.objective() : head == goal_.objective() ? 0 : head;
  }

  // In the terms of the user. Bills are checked inside.
  Result<> check(const Outcome& outcome, Part part) const {
    const int m = static_cast<int>(shape_.costs.size());
    if (is_bill(part)) {
      if (outcome.costs.size() == m) return {};
      return Error{fmt::format("bill: found {} costs; accepted: {}", outcome.costs.size(), m)};
    }
    return learns_parts_ ? validate_parts(shape_, outcome) : validate(shape_, outcome);
  }

  Spec spec_;
  Shape shape_;
  std::vector<double> units_;
  Goal goal_;
  std::unique_ptr<Policy> policy_;
  bool learns_parts_;
  std::int64_t rounds_ = 0;           // that were learned,
  std::vector<std::int64_t> counts_;  // and those in which each head came
  Decision learned_;                  // with the estimates that the policy made
};

// The head of this name; -1 if there is none.
int find_head(const Shape& shape, std::string_view name) {
  for (int h = shape.heads() - 1; h > 0; --h) {
    if (head_name(shape, h) == name) return h;
  }
  return name == "reward" ? 0 : -1;
}

std::string accepted_heads(const Shape& shape) {
  std::string names = "reward";
  for (const CostShape& cost : shape.costs) names += ", " + cost.name;
  return names;
}

bool with_budget(const SpecValue& setting) {
  const Spec* word = std::get_if<Spec>(&setting.is);
  auto found = parse_setting(word == nullptr ? "" : word->name);
  return found && has_budget(found.value());
}

// A word or quoted text.
std::string_view text_of(const SpecValue& value) {
  if (const auto* quoted = std::get_if<SpecValue::Quoted>(&value.is)) return quoted->text;
  const Spec* word = std::get_if<Spec>(&value.is);
  return word != nullptr && word->options.empty() ? std::string_view(word->name) : "";
}

// [name, number, name, number, ...]
void read_limits(SpecReader& read, std::string_view key, const Shape& shape,
                 std::vector<Goal::Limit>& limits) {
  const SpecValue* value = read.value(key);
  if (value == nullptr) return;
  const auto accepted = fmt::format("[NAME,NUMBER,...], where names are {}", accepted_heads(shape));
  const auto* list = std::get_if<SpecValue::List>(&value->is);
  if (list == nullptr || list->empty() || list->size() % 2 != 0) {
    return read.wrong(key, *value, accepted);
  }
  for (std::size_t i = 0; i + 1 < list->size(); i += 2) {
    const int head = find_head(shape, text_of((*list)[i]));
    const auto* mean = std::get_if<double>(&(*list)[i + 1].is);
    if (head < 0 || mean == nullptr) return read.wrong(key, *value, accepted);
    limits.push_back({.head = head, .below = key == "at_least", .mean = *mean});
  }
}

}  // namespace

bool has_goal(const Spec& spec) {
  return std::ranges::any_of(kKeys,
                             [&](std::string_view key) { return spec.find(key) != nullptr; });
}

Result<Goal> read_goal(SpecReader& read, const Shape& shape) {
  std::vector<Goal::Limit> limits;
  for (const char* key : {"at_least", "at_most"}) read_limits(read, key, shape, limits);
  int objective = 0;
  for (const char* key : {"minimize", "maximize"}) {
    const SpecValue* value = read.value(key);
    if (value == nullptr) continue;
    objective = find_head(shape, text_of(*value));
    if (objective < 0) {
      read.wrong(key, *value, accepted_heads(shape));
      objective = 0;
    }
  }
  if (read.has("minimize") && read.has("maximize")) {
    read.refuse("both \"minimize\" and \"maximize\" are given; accepted: one of them");
  }
  for (const char* key : {"budget", "rate"}) {
    if (read.has(key)) {
      read.refuse(fmt::format("\"{}\" is given with a goal; accepted: at_most=[NAME,MEAN]", key));
    }
  }
  if (auto done = read.finish(); !done) return done.failure();
  return Goal::make(shape, objective, read.has("minimize"), limits);
}

namespace {

// The keys of the goal, and those that may not be beside it. The policy inside reads the others.
Result<Goal> goal_of(const Spec& spec, const Shape& shape) {
  Spec goal_only(spec.name);
  for (const auto& [key, value] : spec.options) {
    const bool goals = std::ranges::find(kKeys, key) != kKeys.end();
    if (goals || key == "budget" || key == "rate") goal_only.set(key, value);
  }
  SpecReader read(goal_only, "policy spec");
  for (const char* key : {"budget", "rate"}) read.value(key);
  Shape whole = shape;
  if (const SpecValue* rounds = spec.find("rounds")) {
    if (const auto* n = std::get_if<double>(&rounds->is)) {
      whole.rounds = static_cast<std::int64_t>(*n);
    }
  }
  return read_goal(read, whole);
}

}  // namespace

Shape solved_shape(const Policy& policy) {
  if (!has_goal(policy.spec())) return policy.shape();
  return goal_of(policy.spec(), policy.shape()).value().mapped();
}

Result<std::unique_ptr<Policy>> make_toward(const Spec& spec, const Shape& shape, const Own& own,
                                            MakePolicy make) {
  if (shape.paced) {
    return Error{
        "policy spec: the policy has a goal, and there are budgets that steer; accepted: a limit "
        "of "
        "the goal, at_most=[NAME,MEAN], or hard budgets"};
  }
  auto goal = goal_of(spec, shape);
  if (!goal) return goal.failure();
  Spec inside(spec.name);
  for (const auto& [key, value] : spec.options) {
    if (std::ranges::find(kKeys, key) == kKeys.end()) inside.set(key, value);
  }
  SpecValue::List rates;
  for (double rate : goal.value().rates()) rates.push_back({.is = rate});
  // In zero-threshold form only settings with a budget are told that it is 0.
  const SpecValue* setting = inside.find("setting");
  const bool budgeted = setting != nullptr && with_budget(*setting);
  if (!rates.empty() && (budgeted || !goal.value().zero_threshold())) {
    inside.set("rate", {.is = rates});
  }
  if (goal.value().zero_threshold() && inside.find("optimism") == nullptr) {
    inside.set("optimism", {.is = kOptimism});
  }
  auto policy = make(inside, goal.value().mapped(), own);
  if (!policy) return policy.failure();
  return std::unique_ptr<Policy>(
      new Toward(spec, shape, std::move(goal).value(), std::move(policy).value()));
}

}  // namespace rein
