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
  const bool sparse = read.word("challengers", "sparse", {"every", "sparse"}) == "sparse";
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
  auto linear = Vaw::make_vaw(first, shape, /*often=*/!sparse);
  if (!linear) return linear.failure();
  Vaw& vaw = *linear.value();
  members.push_back(std::move(linear).value());
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
  return std::make_unique<Race>(std::move(members), shape, sparse);
}

Race::Race(std::vector<std::unique_ptr<Oracle>> members, const Shape& shape, bool sparse)
    : members_(std::move(members)),
      sparse_(sparse),
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
      misses_(sums_.size()),
      seen_(shape.features > 0 ? 1 : as_size(shape.actions)),
      left_out_(members_.size()),
      is_due_(members_.size(), true) {
  std::size_t most = 0;
  for (const auto& member : members_) most = std::max(most, member->scratch());
  scratch_.reset(most);
  one_.prepare(heads_.size(), 1);
  asked_.resize(as_size(heads_.size()));
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
    if (i == playing || !is_due_[as_size(i)]) continue;
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

// The player and the linear member learn every outcome, and so does a member with evidence for it. The plays
// of an action that is little known always count: where money buys few plays, they are rare.
bool Race::is_taught(int member, double seen) const {
  if (!sparse_ || member == 0) return true;
  for (int h = 0; h < heads_.size(); ++h) {
    if (leader(h) == member || sums_[at(member, h)] > 0.0) return true;
  }
  return seen <= tuned::kKnownRounds * members_[as_size(member)]->dimension() ||
         std::fmod(seen, tuned::kSparse) == 0.0;
}

void Race::take(int member, std::span<const double> predicted, std::span<const double> outcomes) {
  for (int h = 0; h < heads_.size(); ++h) {
    const auto head = as_size(h);
    if (std::isnan(outcomes[head])) continue;
    const double miss = heads_.to_units(h, predicted[head]) - heads_.to_units(h, outcomes[head]);
    misses_[at(member, h)] = miss;
    losses_[at(member, h)] += miss * miss;
    if (member == leader(h)) loss_[head] += miss * miss;
  }
}

void Race::ask(int member, const Round& round) {
  scratch_.reset(members_[as_size(member)]->scratch());
  members_[as_size(member)]->predict(round, scratch_, one_);
  for (int h = 0; h < heads_.size(); ++h) asked_[as_size(h)] = one_.mean(h)[0];
}

// Members that keep no prediction are asked before any learns: one of them may borrow from another.
void Race::learn(const Round& round, int action, std::span<const double> outcomes) {
  const OneAction alone(round, action, features_);
  const double seen = seen_[seen_.size() == 1 ? 0 : as_size(round.id(action))] += 1.0;
  for (int i = 0; i < size(); ++i) {
    is_due_[as_size(i)] = is_taught(i, seen);
    if (!is_due_[as_size(i)]) left_out_[as_size(i)] += 1;
    if (!is_due_[as_size(i)] || keeps_prediction(i)) continue;
    ask(i, alone.round());
    take(i, asked_, outcomes);
  }
  for (int i = 0; i < size(); ++i) {
    if (!is_due_[as_size(i)]) continue;
    members_[as_size(i)]->learn(round, action, outcomes);
    if (keeps_prediction(i)) take(i, members_[as_size(i)]->abilities().predicted(), outcomes);
  }
  for (int h = 0; h < heads_.size(); ++h) {
    if (!std::isnan(outcomes[as_size(h)])) judge(h);
  }
}

bool Race::keeps_prediction(int member) const {
  return sparse_ && !members_[as_size(member)]->abilities().predicted().empty();
}

double Race::bound(std::int64_t rounds) const { return members_[0]->bound(rounds); }

double Race::regret_by(double (*regret_of)(const Oracle&)) const {
  if (std::ranges::all_of(moves_, [](auto n) { return n == 0; })) return regret_of(*members_[0]);
  if (leaves_out()) return kNan;
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

bool Race::forgets() const { return members_[0]->abilities().forgets() || leaves_out(); }

// The regret of a member that did not learn everything is that of the outcomes it learned.
bool Race::leaves_out() const {
  if (std::ranges::all_of(moves_, [](auto n) { return n == 0; })) return false;
  for (int i = 0; i < size(); ++i) {
    if (left_out_[as_size(i)] > 0 && !std::isnan(members_[as_size(i)]->regret())) return true;
  }
  return false;
}

double Race::memory() const { return members_[0]->abilities().memory(); }

std::optional<Changes> Race::change() const { return members_[0]->abilities().change(); }

bool Race::weights(const Round& round, int action, int head, std::vector<Term>& out) const {
  return weights_of(player(head), round, action, head, out);
}

void Race::save(ByteWriter& out) const {
  out.state("race", Known{"members", size()}, Known{"heads", heads_.size()}, noise_, counts_, sums_,
            losses_, loss_);
  for (const std::int64_t n : leaders_) out.i64(n);
  for (const std::int64_t n : moves_) out.i64(n);
  if (sparse_) {
    out.parts(seen_);
    for (const std::int64_t n : left_out_) out.i64(n);
  }
  for (const auto& member : members_) member->save(out);
}

Result<> Race::load(ByteReader& in) {
  auto read = in.state("race", Known{"members", size()}, Known{"heads", heads_.size()}, noise_,
                       counts_, sums_, losses_, loss_);
  for (std::int64_t& n : leaders_) n = in.between("leader", 0, size() - 1);
  for (std::int64_t& n : moves_) n = in.count();
  if (sparse_) {
    in.parts(in.saved(seen_, static_cast<int>(seen_.size())));
    in.put_back();
    for (std::int64_t& n : left_out_) n = in.count();
  }
  for (const auto& member : members_) {
    if (read) read = member->load(in);
  }
  return read;
}

}  // namespace rein
