#include "cluster/member.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "cluster/plan.h"
#include "http/log.h"

namespace rein::cluster {
namespace {

// Bytes of entries that are folded for one model before others have their turn: some milliseconds.
constexpr std::size_t kSliceBytes = std::size_t{256} << 10U;
// A clock that differs more from that of the store is not believed. The store says whole seconds, and an
// answer takes time, so smaller differences cannot be told from none.
constexpr std::int64_t kMostSkewSeconds = 3;
// A model that somebody began to make here and did not finish may be claimed again after this time.
constexpr std::int64_t kMakingMillis = 10'000;
// After a failure to open a model: the first wait, doubled up to the longest.
constexpr std::int64_t kFirstWaitMillis = 200, kLongestWaitMillis = 30'000;
// The longest wait where the store did not answer: its models have no owner until it is asked again.
constexpr std::int64_t kLongestStoreWaitMillis = 1000;

}  // namespace

Member::Member(std::shared_ptr<SharedLog> log, Host& host, MemberOptions options)
    : log_(std::move(log)), host_(host), options_(std::move(options)) {
  // Nodes that start together find each other before the first takes every model.
  take_not_before_ = options_.millis() + options_.lease.count();
}

Result<> Member::beat() {
  NodeBeat beat{.node = options_.node,
                .address = options_.address,
                .lease = options_.lease,
                .held = {},
                .followed = {}};
  std::int64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    number = ++beats_;
    beat.held.assign(held_.begin(), held_.end());
    for (const auto& [model, position] : positions_) beat.followed.push_back({model, position});
  }
  const std::int64_t before = options_.millis();
  auto view = log_->beat(beat);
  const std::int64_t now = options_.millis();
  const std::lock_guard lock(mutex_);
  // While the store did not answer, nobody's leases were extended: their owners get time to say that
  // they live.
  const bool slow = !view || now - before > options_.lease.count();
  if (slow) take_not_before_ = now + options_.lease.count();
  if (!view) return view.failure();
  heard_at_ = now;
  view_ = std::move(view).value();
  view_beat_ = number;
  skew_ = options_.seconds() - view_.now;
  return {};
}

bool Member::work() {
  ClusterView view;
  bool fresh = false;
  {
    const std::lock_guard lock(mutex_);
    fresh = view_beat_ > done_beat_;
    done_beat_ = view_beat_;
    if (fresh) view = view_;
  }
  if (fresh) follow_view(view);
  const bool more = fold_some();
  note_positions();
  return more;
}

void Member::follow_view(const ClusterView& view) {
  const auto wanted = plan(view, options_.lease);
  for (const ClusterView::Model& model : view.models) {
    if (model.head.last == 0 || !is_settled(model.name)) continue;  // it is being made
    const auto found = wanted.find(model.name);
    const std::string target = found == wanted.end() ? "" : found->second;
    if (host_.has(model.name)) {
      keep_or_give(view, model, target);
    } else {
      follow_or_take(model, target);
    }
  }
}

// Whether the view is newer than what this node did with the model, and no call makes it now.
bool Member::is_settled(const std::string& model) {
  const std::lock_guard lock(mutex_);
  const auto making = making_.find(model);
  if (making != making_.end()) {
    if (!host_.has(model) && options_.millis() - making->second < kMakingMillis) return false;
    making_.erase(making);
  }
  const auto changed = changed_.find(model);
  return changed == changed_.end() || changed->second < done_beat_;
}

void Member::keep_or_give(const ClusterView& view, const ClusterView::Model& model,
                          const std::string& wanted) {
  const bool others = !model.holder.empty() && model.holder != options_.node;
  if (!host_.serves(model.name) || others) {  // where it has stopped, this node opens it again
    stop_serving(model.name);
    if (others) end_lease(model.name);
    return;
  }
  if (model.holder.empty()) {
    if (!take_lease(model.name)) stop_serving(model.name);
    return;
  }
  if (wanted.empty() || wanted == options_.node || !is_close(view, wanted, model)) return;
  stop_serving(model.name);
  const auto given = log_->give_lease(model.name, options_.node, wanted, options_.lease);
  serve::log("info", "gave away",
             {{"model", model.name},
              {"to", wanted},
              {"given", given ? std::string("yes") : given.error()}});
  end_lease(model.name);
}

void Member::follow_or_take(const ClusterView::Model& model, const std::string& wanted) {
  if (const auto found = failed_.find(model.name);
      found != failed_.end() && options_.millis() < found->second.not_before) {
    return;
  }
  if (model.holder == options_.node) return take_over(model.name);
  if (follower(model.name) == nullptr) return;
  const bool free = model.holder.empty() || model.lease_millis <= 0;
  {
    const std::lock_guard lock(mutex_);
    if (!free || options_.millis() < take_not_before_) return;
  }
  if (wanted == options_.node && take_lease(model.name)) take_over(model.name);
}

// The lease counts as held before it is taken: a beat between the two would end it.
bool Member::take_lease(const std::string& model) {
  {
    const std::lock_guard lock(mutex_);
    held_.insert(model);
    changed_[model] = beats_;
  }
  const auto taken = log_->take_lease(model, options_.node, options_.lease);
  if (taken && taken.value()) return true;
  const std::lock_guard lock(mutex_);
  held_.erase(model);
  return false;
}

// The next beat ends it, if it was not given to another node.
void Member::end_lease(const std::string& model) {
  const std::lock_guard lock(mutex_);
  held_.erase(model);
  changed_[model] = beats_;
}

// The state stays here and is folded on, so that the model can come back without a replay.
void Member::stop_serving(const std::string& model) {
  const auto released = host_.release(model);
  followers_.erase(model);
  if (released == nullptr) return;
  const auto chain = released->chain_at(released->committed());
  if (!chain) return;
  auto state = Follower::from(log_, model, released->give_up(), chain.value());
  if (state) followers_.emplace(model, std::move(state).value());
}

void Member::take_over(const std::string& model) {
  const std::int64_t start = options_.millis();
  {
    const std::lock_guard lock(mutex_);
    held_.insert(model);
    changed_[model] = beats_;
  }
  Takeover takeover;
  if (auto done = claim_and_fold(model, takeover); !done) {
    followers_.erase(model);
    return failed(model, done.failure());
  }
  failed_.erase(model);
  takeover.at = wall();
  takeover.seconds = static_cast<double>(options_.millis() - start) / 1000.0;
  {
    const std::lock_guard lock(mutex_);
    takeover.count = takeovers_[model].count + 1;
    takeovers_[model] = takeover;
  }
  serve::log("info", "took over",
             {{"model", model}, {"entries", takeover.entries}, {"seconds", takeover.seconds}});
}

Result<> Member::claim_and_fold(const std::string& model, Takeover& takeover) {
  Follower* here = follower(model);
  if (here == nullptr) return Error{failed_[model].why, Reason::kFailed};
  const std::int64_t before = here->position();
  // As much as possible before the claim: until then the old owner, if it lives, goes on.
  while (true) {
    const auto more = here->step(kSliceBytes);
    if (!more) return more.failure();
    if (!more.value()) break;
  }
  auto journal = LogJournal::claim(log_, model, options_.node, false, options_.journal);
  if (!journal) return journal.failure();
  const auto chain = journal.value()->chain_at(here->position());
  if (!chain) return chain.failure();
  if (chain.value() != here->chain()) {
    return Error{"the journal is not the one that was followed", Reason::kCorrupt};
  }
  takeover.entries = journal.value()->last() - before;
  auto opened =
      serve::Model::resume(model, here->take(), std::move(journal).value(), host_.options(model));
  followers_.erase(model);
  if (!opened) return opened.failure();
  return host_.serve(std::move(opened).value());
}

Follower* Member::follower(const std::string& model) {
  if (const auto found = followers_.find(model); found != followers_.end()) return &found->second;
  auto opened = Follower::open(log_, model);
  if (!opened) {
    failed(model, opened.failure());
    return nullptr;
  }
  return &followers_.emplace(model, std::move(opened).value()).first->second;
}

void Member::failed(const std::string& model, const Error& error) {
  Failed& found = failed_[model];
  const std::int64_t longest =
      error.reason == Reason::kFailed ? kLongestStoreWaitMillis : kLongestWaitMillis;
  const std::int64_t wait = std::min(kFirstWaitMillis << std::min(found.times, 10), longest);
  ++found.times;
  found.not_before = options_.millis() + wait;
  found.why = error.message;
  serve::log("error", "not opened",
             {{"model", model}, {"why", error.message}, {"next_try_millis", wait}});
}

bool Member::fold_some() {
  bool more = false;
  for (auto each = followers_.begin(); each != followers_.end();) {
    const auto folded = each->second.step(kSliceBytes);
    if (folded) {
      more = more || folded.value();
      ++each;
      continue;
    }
    if (folded.reason() == Reason::kFailed) {  // the store does not answer; the state is sound
      ++each;
      continue;
    }
    failed(each->first, folded.failure());
    each = followers_.erase(each);
  }
  return more;
}

void Member::note_positions() {
  std::map<std::string, std::int64_t> positions;
  for (const auto& [model, follower] : followers_) positions[model] = follower.position();
  const std::lock_guard lock(mutex_);
  positions_ = std::move(positions);
}

Result<std::unique_ptr<Journal>> Member::claim_new(const std::string& model) {
  {
    const std::lock_guard lock(mutex_);
    making_[model] = options_.millis();
  }
  if (!take_lease(model)) {
    const std::lock_guard lock(mutex_);
    making_.erase(model);
    return Error{"another node owns it or is about to make it", Reason::kFailed};
  }
  auto journal = LogJournal::claim(log_, model, options_.node, true, options_.journal);
  if (!journal) return journal.failure();
  return std::unique_ptr<Journal>(std::move(journal).value());
}

void Member::leave() {
  ClusterView view = this->view();
  std::erase_if(view.nodes,
                [&](const ClusterView::Node& each) { return each.name == options_.node; });
  const auto wanted = plan(view, options_.lease);
  for (const ClusterView::Model& model : view.models) {
    if (!host_.has(model.name)) continue;
    stop_serving(model.name);
    const auto to = wanted.find(model.name);
    if (to != wanted.end()) {
      static_cast<void>(log_->give_lease(model.name, options_.node, to->second, options_.lease));
    }
    end_lease(model.name);
  }
}

ClusterView Member::view() const {
  const std::lock_guard lock(mutex_);
  return view_;
}

std::map<std::string, Takeover> Member::takeovers() const {
  const std::lock_guard lock(mutex_);
  return takeovers_;
}

std::map<std::string, std::int64_t> Member::positions() const {
  const std::lock_guard lock(mutex_);
  return positions_;
}

std::int64_t Member::clock_skew() const {
  const std::lock_guard lock(mutex_);
  return skew_;
}

std::int64_t Member::wall() const {
  const std::int64_t skew = clock_skew();
  const bool believed = std::abs(skew) <= kMostSkewSeconds;
  return options_.seconds() - (believed ? 0 : skew);
}

bool Member::is_heard() const {
  const std::lock_guard lock(mutex_);
  return heard_at_ >= 0 && options_.millis() - heard_at_ <= 2 * options_.lease.count();
}

}  // namespace rein::cluster
