#include "journal/memory_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "journal/entry_size.h"

namespace rein {
namespace {

std::int64_t system_millis() {
  return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now())
      .time_since_epoch()
      .count();
}

class MemoryLog final : public SharedLog {
 public:
  explicit MemoryLog(std::function<std::int64_t()> millis) : millis_(std::move(millis)) {}

  Result<LogHead> head(const std::string& model) override {
    const std::lock_guard lock(mutex_);
    const Shelf* shelf = find(model);
    if (shelf == nullptr) return unknown(model);
    return shelf->head;
  }

  Result<LogHead> claim(const std::string& model, const std::string& node, bool create) override {
    const std::lock_guard lock(mutex_);
    if (find(model) == nullptr && !create) return unknown(model);
    LogHead& head = shelves_[model].head;
    ++head.epoch;
    head.owner = node;
    return head;
  }

  Result<> append(const std::string& model, const LogGroup& group) override {
    const std::lock_guard lock(mutex_);
    Shelf* shelf = find(model);
    if (shelf == nullptr) return unknown(model);
    LogHead& head = shelf->head;
    if (is_there(*shelf, group)) return {};
    if (head.epoch != group.epoch) {
      return fenced(fmt::format("model {}: node {} has claimed it with epoch {}; this is epoch {}",
                                model, head.owner, head.epoch, group.epoch));
    }
    if (head.last != group.last || head.chain != group.chain) {
      return fenced(
          fmt::format("model {}: its journal ends at entry {}, not at {}", model, head.last, group.last));
    }
    for (const std::string_view bytes : group.entries) {
      if (auto accepted = check_entry_bytes(bytes.size()); !accepted) return accepted;
    }
    for (const std::string_view bytes : group.entries) {
      head.chain = chained(head.chain, ++head.last, bytes);
      shelf->entries.push_back({std::string(bytes), head.chain, group.epoch});
    }
    return {};
  }

  Result<LogSlice> read(const std::string& model, std::int64_t from, std::size_t most_bytes) override {
    const std::lock_guard lock(mutex_);
    const Shelf* shelf = find(model);
    if (shelf == nullptr) return unknown(model);
    const LogHead& head = shelf->head;
    if (from < head.first) {
      return Error{fmt::format("entry {} is gone; the first that is kept is {}", from, head.first)};
    }
    LogSlice slice{.from = from, .before = chain_before(*shelf, from), .entries = {}};
    std::size_t bytes = 0;
    for (std::int64_t number = from; number <= head.last; ++number) {
      const LogEntry& entry = shelf->at(number);
      bytes += entry.bytes.size();
      if (bytes > most_bytes && !slice.entries.empty()) break;
      slice.entries.push_back(entry);
    }
    return slice;
  }

  Result<> drop_before(const std::string& model, std::int64_t epoch, std::int64_t number) override {
    const std::lock_guard lock(mutex_);
    Shelf* shelf = find(model);
    if (shelf == nullptr) return unknown(model);
    LogHead& head = shelf->head;
    if (head.epoch != epoch) return fenced(fmt::format("model {}: its epoch is {}", model, head.epoch));
    for (; head.first < number && !shelf->entries.empty(); ++head.first) {
      head.before = shelf->entries.front().chain;
      shelf->entries.pop_front();
    }
    return {};
  }

  void wait_for_entries(std::chrono::milliseconds most) override {
    std::this_thread::sleep_for(std::min(most, std::chrono::milliseconds(1)));
  }

  Result<std::int64_t> put_snapshot(const std::string& model, const Snapshot& snapshot) override {
    const std::lock_guard lock(mutex_);
    Shelf* shelf = find(model);
    if (shelf == nullptr) return unknown(model);
    auto& kept = shelf->snapshots;
    kept[snapshot.position] = snapshot;
    while (kept.size() > 2) kept.erase(kept.begin());
    return kept.size() == 2 ? kept.begin()->first : 0;
  }

  Result<std::vector<std::int64_t>> snapshot_positions(const std::string& model) override {
    const std::lock_guard lock(mutex_);
    const Shelf* shelf = find(model);
    if (shelf == nullptr) return unknown(model);
    std::vector<std::int64_t> positions;
    for (const auto& each : shelf->snapshots) positions.push_back(each.first);
    std::ranges::reverse(positions);
    return positions;
  }

  Result<Snapshot> snapshot(const std::string& model, std::int64_t position) override {
    const std::lock_guard lock(mutex_);
    const Shelf* shelf = find(model);
    if (shelf == nullptr) return unknown(model);
    const auto found = shelf->snapshots.find(position);
    if (found != shelf->snapshots.end()) return found->second;
    return Error{fmt::format("model {}: there is no snapshot at entry {}", model, position),
                 Reason::kFailed};
  }

  Result<ClusterView> beat(const NodeBeat& beat) override {
    const std::lock_guard lock(mutex_);
    const std::int64_t now = millis_();
    if (!beat.node.empty()) nodes_[beat.node] = {.address = beat.address, .at = now, .followed = beat.followed};
    for (auto& [model, shelf] : shelves_) {
      if (beat.node.empty() || shelf.holder != beat.node) continue;
      const bool keeps = std::ranges::find(beat.held, model) != beat.held.end();
      if (keeps) shelf.lease_until = std::max(shelf.lease_until, now + beat.lease.count());
      if (!keeps && !shelf.given) shelf.holder.clear();
      if (keeps) shelf.given = false;
    }
    ClusterView view{.nodes = {}, .models = {}, .now = now / 1000};
    for (const auto& [name, node] : nodes_) {
      view.nodes.push_back({name, node.address, now - node.at, node.followed});
    }
    for (const auto& [name, shelf] : shelves_) {
      view.models.push_back({name, shelf.holder, shelf.holder.empty() ? 0 : shelf.lease_until - now,
                             shelf.pinned, shelf.head});
    }
    return view;
  }

  Result<bool> take_lease(const std::string& model, const std::string& node,
                          std::chrono::milliseconds lease) override {
    const std::lock_guard lock(mutex_);
    Shelf& shelf = shelves_[model];
    const std::int64_t now = millis_();
    if (!shelf.holder.empty() && shelf.holder != node && shelf.lease_until > now) return false;
    shelf.holder = node;
    shelf.lease_until = now + lease.count();
    shelf.given = false;
    return true;
  }

  Result<> give_lease(const std::string& model, const std::string& node, const std::string& to,
                      std::chrono::milliseconds lease) override {
    const std::lock_guard lock(mutex_);
    Shelf* shelf = find(model);
    if (shelf == nullptr) return unknown(model);
    if (shelf->holder != node) return fenced(fmt::format("model {}: {} has its lease", model, shelf->holder));
    shelf->holder = to;
    shelf->lease_until = millis_() + lease.count();
    shelf->given = true;
    return {};
  }

  Result<> pin(const std::string& model, const std::string& node) override {
    const std::lock_guard lock(mutex_);
    Shelf* shelf = find(model);
    if (shelf == nullptr) return unknown(model);
    shelf->pinned = node;
    return {};
  }

 private:
  // What is kept of one model.
  struct Shelf {
    LogHead head;
    std::deque<LogEntry> entries;
    std::map<std::int64_t, Snapshot> snapshots;
    std::string holder, pinned;
    std::int64_t lease_until = 0;
    bool given = false;  // to a node that has not noticed yet

    const LogEntry& at(std::int64_t number) const {
      return entries[static_cast<std::size_t>(number - head.first)];
    }
  };
  struct Node {
    std::string address;
    std::int64_t at = 0;
    std::vector<NodeBeat::Followed> followed;
  };

  static Error unknown(const std::string& model) {
    return {fmt::format("there is no journal of model {}", model), Reason::kUnknown};
  }
  static Error fenced(std::string why) { return {std::move(why), Reason::kFenced}; }

  Shelf* find(const std::string& model) {
    const auto found = shelves_.find(model);
    return found == shelves_.end() || found->second.head.epoch == 0 ? nullptr : &found->second;
  }

  static std::uint64_t chain_before(const Shelf& shelf, std::int64_t number) {
    if (number == shelf.head.first) return shelf.head.before;
    return number > shelf.head.last ? shelf.head.chain : shelf.at(number - 1).chain;
  }

  // Whether the journal goes on after group.last with exactly this group: it was sent before.
  static bool is_there(const Shelf& shelf, const LogGroup& group) {
    const auto end = group.last + static_cast<std::int64_t>(group.entries.size());
    if (group.last < shelf.head.first - 1 || end > shelf.head.last) return false;
    std::uint64_t chain = group.chain;
    std::int64_t number = group.last;
    for (const std::string_view bytes : group.entries) chain = chained(chain, ++number, bytes);
    return chain == shelf.at(end).chain && shelf.at(end).epoch == group.epoch;
  }

  std::function<std::int64_t()> millis_;
  std::mutex mutex_;
  std::map<std::string, Shelf> shelves_;
  std::map<std::string, Node> nodes_;
};

}  // namespace

std::shared_ptr<SharedLog> make_memory_log(std::function<std::int64_t()> millis) {
  if (!millis) millis = system_millis;
  return std::make_shared<MemoryLog>(std::move(millis));
}

}  // namespace rein
