#include "estimate/stack.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/math.h"
#include "base/size.h"
#include "base/spec_reader.h"
#include "estimate/one_action.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr double kEta = 0.125;
constexpr int kMaxMembers = 16;
constexpr double kLeastNoise = 1e-9;  // mean loss, in units squared
constexpr double kFaint = 1e-12;      // a total weight below this is treated as 0

// The specs of of=: a list, or a single one.
std::vector<Spec> read_members(SpecReader& read) {
  const SpecValue* value = read.value("of");
  if (value == nullptr) return {Spec("vaw"), Spec("kernel")};
  std::vector<Spec> specs;
  if (const auto* one = std::get_if<Spec>(&value->is)) specs.push_back(*one);
  if (const auto* list = std::get_if<SpecValue::List>(&value->is)) {
    for (const SpecValue& item : *list) {
      if (const auto* spec = std::get_if<Spec>(&item.is)) specs.push_back(*spec);
    }
    if (specs.size() != list->size()) specs.clear();
  }
  if (specs.empty() || specs.size() > std::size_t{kMaxMembers}) {
    read.wrong("of", *value, fmt::format("a list of 1 to {} oracles", kMaxMembers));
  }
  return specs;
}

}  // namespace

Result<std::unique_ptr<Oracle>> Stack::make(const Spec& spec, const Shape& shape, const Own& own) {
  SpecReader read(spec, "oracle spec");
  const std::vector<Spec> specs = read_members(read);
  const Weighing weighing{.by_noise = read.word("eta", "proved", {"proved", "auto"}) == "auto",
                          .memory = read.number("memory", 0.0, {.low = 0.0, .high = 1e12})};
  if (weighing.memory > 0.0 && weighing.memory < 2.0) {
    read.refuse("memory is less than 2 outcomes; accepted: 2 to 1e12, or 0 to forget nothing");
  }
  if (auto done = read.finish(); !done) return done.failure();
  std::vector<std::unique_ptr<Oracle>> members;
  for (const Spec& member : specs) {
    auto made = make_oracle(member, shape, own);
    if (!made) return made.failure();
    members.push_back(std::move(made).value());
  }
  return std::make_unique<Stack>(std::move(members), shape, weighing);
}

Stack::Stack(std::vector<std::unique_ptr<Oracle>> members, const Shape& shape, Weighing weighing)
    : members_(std::move(members)),
      heads_(shape),
      features_(shape.features),
      most_actions_(as_size(shape.actions)),
      weighing_(weighing),
      counts_(as_size(heads_.size())),
      losses_(members_.size() * as_size(heads_.size())),
      weights_(losses_.size()),
      shares_(members_.size()),
      loss_(as_size(heads_.size())) {
  std::size_t most = 0;
  for (const auto& member : members_) most = std::max(most, member->scratch());
  scratch_.reset(most);
  one_.prepare(heads_.size(), 1);
  weigh();
}

double Stack::eta(int head, double best) const {
  const double count = counts_[as_size(head)];
  if (!weighing_.by_noise || count == 0.0) return kEta;
  return kEta / std::clamp(best / count, kLeastNoise, 1.0);
}

void Stack::weigh() {
  for (int h = 0; h < heads_.size(); ++h) {
    double best = losses_[at(0, h)];
    for (int i = 1; i < size(); ++i) best = std::min(best, losses_[at(i, h)]);
    double total = 0.0;
    for (int i = 0; i < size(); ++i) {
      weights_[at(i, h)] = exp(-eta(h, best) * (losses_[at(i, h)] - best));
      total += weights_[at(i, h)];
    }
    for (int i = 0; i < size(); ++i) weights_[at(i, h)] /= total;
  }
  double wide = 0.0;
  double count = 0.0;
  for (int i = 0; i < size(); ++i) {
    const bool has = members_[i]->dimension() > 0;
    shares_[i] = has ? weights_[at(i, 0)] : 0.0;
    wide += shares_[i];
    count += has ? 1.0 : 0.0;
  }
  for (int i = 0; i < size(); ++i) {
    if (wide > kFaint) {
      shares_[i] /= wide;
    } else if (members_[i]->dimension() > 0) {
      shares_[i] = 1.0 / count;
    }
  }
}

std::size_t Stack::scratch() const {
  std::size_t total = most_actions_ * as_size(2 * heads_.size());
  for (const auto& member : members_) total += member->scratch();
  return total;
}

void Stack::predict(const Round& round, Scratch& scratch, Estimates& estimates) const {
  const auto actions = as_size(round.actions);
  const int heads = heads_.size();
  const std::span<double> sums = scratch.take(actions * as_size(2 * heads));
  std::fill_n(sums.begin(), actions * as_size(heads + 1), 0.0);
  bool apart = false;
  for (int i = 0; i < size(); ++i) {
    estimates.set_apart(false);
    members_[i]->predict(round, scratch, estimates);
    if (estimates.apart() && !apart) {  // the members before had one width for all
      for (int h = 1; h < heads; ++h) {
        std::copy_n(sums.data() + as_size(heads) * actions, actions,
                    sums.data() + as_size(heads + h) * actions);
      }
      apart = true;
    }
    double* sum = sums.data();
    for (int h = 0; h < heads; ++h) {
      const double weight = weights_[at(i, h)];
      for (double mean : estimates.mean(h)) {
        *sum += weight * mean;
        ++sum;
      }
    }
    for (int h = 0; h < (apart ? heads : 1); ++h) {
      for (double width : estimates.width(h)) *sum++ += shares_[i] * width;
    }
  }
  estimates.set_apart(apart);
  const double* sum = sums.data();
  for (int h = 0; h < heads; ++h) {
    for (double& mean : estimates.mean(h)) mean = heads_.clip(h, *sum++);
  }
  for (int h = 0; h < (apart ? heads : 1); ++h) {
    for (double& width : estimates.width(h)) width = *sum++;
  }
}

void Stack::learn(const Round& round, int action, std::span<const double> outcomes) {
  const OneAction alone(round, action, features_);
  const double kept = weighing_.memory == 0.0 ? 1.0 : 1.0 - 1.0 / weighing_.memory;
  HeadValues y, mean;
  for (int h = 0; h < heads_.size(); ++h) {
    y[h] = heads_.to_units(h, outcomes[h]);
    mean[h] = 0.0;
    if (std::isnan(y[h])) continue;
    counts_[as_size(h)] = std::fma(counts_[as_size(h)], kept, 1.0);
    for (int i = 0; i < size() && kept != 1.0; ++i) losses_[at(i, h)] *= kept;
  }
  for (int i = 0; i < size(); ++i) {
    scratch_.reset(members_[i]->scratch());
    members_[i]->predict(alone.round(), scratch_, one_);
    for (int h = 0; h < heads_.size(); ++h) {
      if (std::isnan(y[h])) continue;
      const double prediction = heads_.to_units(h, one_.mean(h)[0]);
      mean[h] += weights_[at(i, h)] * prediction;
      losses_[at(i, h)] += (prediction - y[h]) * (prediction - y[h]);
    }
    members_[i]->learn(round, action, outcomes);
  }
  for (int h = 0; h < heads_.size(); ++h) {
    if (std::isnan(y[h])) continue;
    const double miss = heads_.clip_units(h, mean[h]) - y[h];
    loss_[h] += miss * miss;
  }
  weigh();
}

double Stack::bound(std::int64_t rounds) const {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& member : members_) least = std::min(least, member->bound(rounds));
  return least + log(static_cast<double>(size())) / kEta;
}

double Stack::regret_by(double (*regret_of)(const Oracle&)) const {
  double worst = kNan;
  if (!proved()) return worst;
  for (int i = 0; i < size(); ++i) {
    const double regret = regret_of(*members_[i]);
    if (std::isnan(regret)) continue;
    for (int h = 0; h < heads_.size(); ++h) {
      const double ours = regret + loss_[h] - losses_[at(i, h)];
      worst = std::isnan(worst) ? std::max(0.0, ours) : std::max(worst, ours);
    }
  }
  return worst;
}

WidthSum Stack::width_sum(std::int64_t rounds) const {
  WidthSum all;
  for (const auto& member : members_) {
    const WidthSum one = rein::width_sum(*member, rounds);
    all = {.sum = all.sum + one.sum, .largest = std::max(all.largest, one.largest)};
  }
  return all;
}

int Stack::dimension() const {
  int largest = 0;
  for (const auto& member : members_) largest = std::max(largest, member->dimension());
  return largest;
}

void Stack::save(ByteWriter& out) const {
  out.state("stack", Known{"members", size()}, Known{"heads", heads_.size()}, losses_, loss_);
  if (!proved()) out.f64s(counts_);
  for (const auto& member : members_) member->save(out);
}

Result<> Stack::load(ByteReader& in) {
  auto read =
      in.state("stack", Known{"members", size()}, Known{"heads", heads_.size()}, losses_, loss_);
  if (!proved()) in.f64s(counts_);
  for (const auto& member : members_) {
    if (read) read = member->load(in);
  }
  weigh();
  return read;
}

}  // namespace rein
