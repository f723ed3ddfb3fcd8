#include "estimate/race.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/math.h"
#include "base/size.h"
#include "base/spec_reader.h"
#include "base/tuned.h"
#include "estimate/one_action.h"
#include "estimate/vaw.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr int kMaxMembers = 16;
constexpr const char* kBoth = "both";

// At most ln(1 + x) for |x| <= 1/2.
double gain_of(double x) {
  x = std::min(x, 0.5);
  return x * (1.0 + x * (-0.5 + x * (1.0 / 3.0 - 0.5 * x)));
}

bool is_both(const Spec& spec) { return spec.name == kBoth && spec.options.empty(); }

// The specs of of=: a list, or a single one.
std::vector<Spec> read_others(SpecReader& read) {
  const SpecValue* value = read.value("of");
  if (value == nullptr) return {Spec(kBoth), parse_spec("kernel(size=32,width=auto)").value()};
  std::vector<Spec> specs;
  if (const auto* one = std::get_if<Spec>(&value->is)) specs.push_back(*one);
  if (const auto* list = std::get_if<SpecValue::List>(&value->is)) {
    for (const SpecValue& item : *list) {
      if (const auto* spec = std::get_if<Spec>(&item.is)) specs.push_back(*spec);
    }
    if (specs.size() != list->size()) specs.clear();
  }
  if (specs.empty() || specs.size() > std::size_t{kMaxMembers}) {
    read.wrong("of", *value, fmt::format("a list of 1 to {} oracles, or both", kMaxMembers));
  }
  return specs;
}

}  // namespace

Result<std::unique_ptr<Oracle>> Race::make(const Spec& spec, const Shape& shape, const Own& own) {
  SpecReader read(spec, "oracle spec");
  const double forward = read.number("forward", 1.0, {.low = 0.0, .high = 1.0});
  const SpecValue* memory = read.value("memory");
  std::vector<Spec> others = read_others(read);
  if (auto done = read.finish(); !done) return done.failure();
  // Where actions have features, the linear oracle shares its parameters already.
  const bool shares = shape.features == 0 && shape.context > 0 &&
                      Centre::fits(shape.context + 1, shape.actions, shape.heads());
  const bool both = shares && std::ranges::any_of(others, is_both);
  if (!both) std::erase_if(others, is_both);
  Spec first = parse_spec("vaw(memory=auto)").value();
  if (memory != nullptr) first.set("memory", *memory);
  if (forward < 1.0) first.set("forward", {.is = forward});
  if (both) {
    first.set("features", {.is = Spec(kBoth)});
    first.set("level", {.is = 0.0});
  }
  std::vector<std::unique_ptr<Oracle>> members;
  auto linear = make_oracle(first, shape, own);
  if (!linear) return linear.failure();
  members.push_back(std::move(linear).value());
  auto& vaw = dynamic_cast<Vaw&>(*members[0]);
  vaw.leave_out_centre();
  for (const Spec& other : others) {
    if (is_both(other)) {
      members.push_back(vaw.around());
      continue;
    }
    auto made = make_oracle(other, shape, own);
    if (!made) return made.failure();
    members.push_back(std::move(made).value());
  }
  return std::make_unique<Race>(std::move(members), shape);
}

Race::Race(std::vector<std::unique_ptr<Oracle>> members, const Shape& shape)
    : members_(std::move(members)),
      heads_(shape),
      features_(shape.features),
      most_actions_(as_size(shape.actions)),
      leaders_(as_size(heads_.size())),
      moves_(as_size(heads_.size())),
      noise_(as_size(heads_.size())),
      counts_(as_size(heads_.size())),
      sums_(members_.size() * as_size(heads_.size())),
      losses_(sums_.size()),
      loss_(as_size(heads_.size())),
      misses_(sums_.size()) {
  std::size_t most = 0;
  for (const auto& member : members_) most = std::max(most, member->scratch());
  scratch_.reset(most);
  one_.prepare(heads_.size(), 1);
}

std::size_t Race::scratch() const {
  std::size_t total = most_actions_ * as_size(2 * heads_.size());
  for (const auto& member : members_) total += member->scratch();
  return total;
}

void Race::predict(const Round& round, Scratch& scratch, Estimates& estimates) const {
  const bool one = std::ranges::all_of(leaders_, [&](auto i) { return i == leaders_[0]; });
  if (one) return player(0).predict(round, scratch, estimates);
  const auto actions = as_size(round.actions);
  const int heads = heads_.size();
  const std::span<double> rows = scratch.take(actions * as_size(2 * heads));
  const auto row = [&](int i) { return rows.subspan(as_size(i) * actions, actions); };
  bool apart = false;
  for (int i = 0; i < size(); ++i) {
    if (std::ranges::find(leaders_, i) == leaders_.end()) continue;
    estimates.set_apart(false);
    members_[as_size(i)]->predict(round, scratch, estimates);
    apart = apart || estimates.apart();
    for (int h = 0; h < heads; ++h) {
      if (leader(h) != i) continue;
      std::ranges::copy(estimates.mean(h), row(h).begin());
      std::ranges::copy(estimates.width(h), row(heads + h).begin());
    }
  }
  estimates.set_apart(apart);
  for (int h = 0; h < heads; ++h) std::ranges::copy(row(h), estimates.mean(h).begin());
  for (int h = 0; h < (apart ? heads : 1); ++h) {
    std::ranges::copy(row(heads + h), estimates.width(h).begin());
  }
}

void Race::judge(int head) {
  const auto h = as_size(head);
  const int playing = leader(head);
  const double own = miss(playing, head) * miss(playing, head);
  const double noise = noise_[h];
  counts_[h] += 1.0;
  noise_[h] += (own - noise) / std::min(counts_[h], tuned::kRaceMemory);
  if (!(noise > 0.0)) return;
  int best = playing;
  double most = tuned::kRaceProof;
  for (int i = 0; i < size(); ++i) {
    if (i == playing) continue;
    const double material = i == 0 ? 0.0 : tuned::kSlight;
    const double x = tuned::kRaceBet * ((own - miss(i, head) * miss(i, head)) / noise - material);
    double& sum = sums_[at(i, head)];
    sum = std::max(-tuned::kRaceProof, sum + gain_of(x));
    if (!(sum > most)) continue;
    best = i;
    most = sum;
  }
  if (best == playing) return;
  leaders_[h] = best;
  moves_[h] += 1;
  for (int i = 0; i < size(); ++i) sums_[at(i, head)] = 0.0;
}

// All predict before any learns: one of them may borrow from another.
void Race::learn(const Round& round, int action, std::span<const double> outcomes) {
  const OneAction alone(round, action, features_);
  for (int i = 0; i < size(); ++i) {
    const auto member = as_size(i);
    scratch_.reset(members_[member]->scratch());
    members_[member]->predict(alone.round(), scratch_, one_);
    for (int h = 0; h < heads_.size(); ++h) {
      if (std::isnan(outcomes[as_size(h)])) continue;
      const double miss =
          heads_.to_units(h, one_.mean(h)[0]) - heads_.to_units(h, outcomes[as_size(h)]);
      misses_[at(i, h)] = miss;
      losses_[at(i, h)] += miss * miss;
      if (i == leader(h)) loss_[as_size(h)] += miss * miss;
    }
  }
  for (const auto& member : members_) member->learn(round, action, outcomes);
  for (int h = 0; h < heads_.size(); ++h) {
    if (!std::isnan(outcomes[as_size(h)])) judge(h);
  }
}

double Race::bound(std::int64_t rounds) const { return members_[0]->bound(rounds); }

double Race::regret_by(double (*regret_of)(const Oracle&)) const {
  if (std::ranges::all_of(moves_, [](auto n) { return n == 0; })) return regret_of(*members_[0]);
  double worst = kNan;
  for (int i = 0; i < size(); ++i) {
    const double regret = regret_of(*members_[as_size(i)]);
    if (std::isnan(regret)) continue;
    for (int h = 0; h < heads_.size(); ++h) {
      const double ours = regret + loss_[as_size(h)] - losses_[at(i, h)];
      worst = std::isnan(worst) ? std::max(0.0, ours) : std::max(worst, ours);
    }
  }
  return worst;
}

WidthSum Race::width_sum(std::int64_t rounds) const {
  WidthSum all;
  for (const auto& member : members_) {
    const WidthSum one = rein::width_sum(*member, rounds);
    all = {.sum = all.sum + one.sum, .largest = std::max(all.largest, one.largest)};
  }
  return all;
}

bool Race::forgets() const {
  const auto* sees = dynamic_cast<const SeesChange*>(members_[0].get());
  return sees != nullptr && sees->forgets();
}

double Race::memory() const {
  const auto* sees = dynamic_cast<const SeesChange*>(members_[0].get());
  return sees != nullptr ? sees->memory() : 0.0;
}

std::optional<Changes> Race::change() const {
  const auto* sees = dynamic_cast<const SeesChange*>(members_[0].get());
  return sees != nullptr ? sees->change() : std::nullopt;
}

bool Race::weights(const Round& round, int action, int head, std::vector<Term>& out) const {
  return weights_of(player(head), round, action, head, out);
}

void Race::save(ByteWriter& out) const {
  out.state("race", Known{"members", size()}, Known{"heads", heads_.size()}, noise_, counts_, sums_,
            losses_, loss_);
  for (const std::int64_t n : leaders_) out.i64(n);
  for (const std::int64_t n : moves_) out.i64(n);
  for (const auto& member : members_) member->save(out);
}

Result<> Race::load(ByteReader& in) {
  auto read = in.state("race", Known{"members", size()}, Known{"heads", heads_.size()}, noise_,
                       counts_, sums_, losses_, loss_);
  for (std::int64_t& n : leaders_) n = in.between("leader", 0, size() - 1);
  for (std::int64_t& n : moves_) n = in.count();
  for (const auto& member : members_) {
    if (read) read = member->load(in);
  }
  return read;
}

}  // namespace rein
