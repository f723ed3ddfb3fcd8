// versus FILE SPEC CONTEXT FEATURES COSTS: runs a policy over the rounds of a log, once in memory and
// once including the reading. Prints rounds per CPU second of both.
//
// bench/versus_vw.py writes the file, in any format of rein/log.h. The features of the context, and of
// the actions, are columns in the order in which they appear. The labelled action is learned, as in
// Vowpal Wabbit.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "rein/log.h"
#include "rein/rein.h"

namespace {

struct Event {
  std::vector<double> context;
  std::vector<double> features;
  int actions = 0;
  int chosen = -1;
  double reward = 0.0;
  int layout = 0;  // which numbers may differ from 0 (Columns)
  rein::Round round() const {
    return {.actions = actions, .context = context, .features = features};
  }
};

constexpr std::size_t kBatch = 32;  // rows that are read before they are learned

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Rows of a log as rounds: sparse features by name become columns. Most rows have the features of the
// row before. Then the places of their numbers are known, and all other numbers are still 0.
class Columns {
 public:
  Columns(int context, int features)
      : context_(static_cast<std::size_t>(context)),
        features_(static_cast<std::size_t>(features)) {}

  void read(const rein::LogRow& row, const rein::LogNames& names, Event& event) {
    event.actions = row.actions;
    event.chosen = row.played;
    event.reward = row.reward;
    if (row.actions != actions_ || !std::ranges::equal(row.shared.index, shared_index_) ||
        !std::ranges::equal(row.features.index, index_) ||
        !std::ranges::equal(row.features.begin, begin_)) {
      find_places(row, names);
    }
    if (event.layout != layout_) {
      event.layout = layout_;
      event.context.assign(context_, 0.0);
      event.features.assign(features_ * static_cast<std::size_t>(row.actions), 0.0);
    }
    copy(row.shared.value, shared_place_, shared_dense_, event.context);
    copy(row.features.value, place_, dense_, event.features);
  }

 private:
  static void copy(std::span<const double> from, const std::vector<std::size_t>& places, bool dense,
                   std::vector<double>& to) {
    if (dense) {
      std::ranges::copy(from, to.begin());
      return;
    }
    for (std::size_t j = 0; j < places.size(); ++j) to[places[j]] = from[j];
  }
  // Whether all columns come, in order.
  static bool is_dense(const std::vector<std::size_t>& places, std::size_t columns) {
    for (std::size_t j = 0; j < places.size(); ++j) {
      if (places[j] != j) return false;
    }
    return places.size() == columns;
  }

  void find_places(const rein::LogRow& row, const rein::LogNames& names) {
    ++layout_;
    actions_ = row.actions;
    if (column_.size() < names.features.size()) column_.resize(names.features.size(), -1);
    shared_index_.assign(row.shared.index.begin(), row.shared.index.end());
    index_.assign(row.features.index.begin(), row.features.index.end());
    begin_.assign(row.features.begin.begin(), row.features.begin.end());
    shared_place_.clear();
    for (const std::int32_t index : shared_index_) {
      shared_place_.push_back(at(index, next_context_, context_));
    }
    place_.clear();
    for (std::size_t a = 0; a + 1 < begin_.size(); ++a) {
      for (auto j = static_cast<std::size_t>(begin_[a]);
           j < static_cast<std::size_t>(begin_[a + 1]); ++j) {
        place_.push_back(a * features_ + at(index_[j], next_feature_, features_));
      }
    }
    shared_dense_ = is_dense(shared_place_, context_);
    dense_ = is_dense(place_, features_ * static_cast<std::size_t>(actions_));
  }
  std::size_t at(std::int32_t index, std::int32_t& next, std::size_t most) {
    std::int32_t& column = column_[static_cast<std::size_t>(index)];
    if (column < 0) column = next++;
    if (static_cast<std::size_t>(column) >= most)
      throw std::runtime_error("versus: too many columns");
    return static_cast<std::size_t>(column);
  }
  std::size_t context_, features_;
  std::int32_t next_context_ = 0, next_feature_ = 0;
  std::vector<std::int32_t> column_;  // by number of the feature
  // The row before: its features, and where their numbers belong.
  int layout_ = 0, actions_ = 0;
  std::vector<std::int32_t> shared_index_, index_, begin_;
  std::vector<std::size_t> shared_place_, place_;
  bool shared_dense_ = false, dense_ = false;
};

// Calls `each(event)` for every row of the log. Reads some rows before it calls: reading and learning
// do not push each other out of the processor's caches then.
template <class Each>
void for_each_event(const char* path, Columns columns, Each each) {
  const auto reader = rein::open_log(path).value();
  rein::LogRow row;
  std::vector<Event> events(kBatch);
  std::size_t count = 0;
  const auto flush = [&] {
    for (std::size_t i = 0; i < count; ++i) each(events[i]);
    count = 0;
  };
  while (reader->next(row).value()) {
    columns.read(row, reader->names(), events[count++]);
    if (count == kBatch) flush();
  }
  flush();
}

// A policy and everything it needs to run.
class Player {
 public:
  Player(const std::string& spec, const rein::Shape& shape)
      : policy_(rein::make_policy(spec, shape).value()), scratch_(*policy_), decision_(*policy_) {}
  void play(const Event& event) {
    const rein::Round round = event.round();
    policy_->decide(round, rng_, scratch_, decision_).check();
    decision_.action = event.chosen;
    outcome_.reward = event.reward;
    policy_->learn(round, decision_, outcome_).check();
  }
  void set_costs(int m) { outcome_.costs = rein::Costs(m, 0.1); }

 private:
  std::unique_ptr<rein::Policy> policy_;
  rein::Rng rng_{7};
  rein::Scratch scratch_;
  rein::Decision decision_;
  rein::Outcome outcome_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    fmt::print(stderr, "usage: versus FILE SPEC CONTEXT FEATURES COSTS\n");
    return 2;
  }
  const Columns columns(std::stoi(argv[3]), std::stoi(argv[4]));
  std::vector<Event> events;
  for_each_event(argv[1], columns, [&](const Event& event) { events.push_back(event); });
  if (events.empty()) {
    fmt::print(stderr, "versus: no events in {}\n", argv[1]);
    return 1;
  }
  rein::Shape shape;
  shape.context = std::stoi(argv[3]);
  shape.features = std::stoi(argv[4]);
  shape.costs.resize(static_cast<std::size_t>(std::stoi(argv[5])));
  shape.rounds = static_cast<std::int64_t>(events.size());
  for (const Event& event : events) shape.actions = std::max(shape.actions, event.actions);

  const auto count = static_cast<double>(events.size());
  Player in_memory(argv[2], shape), reading(argv[2], shape);
  in_memory.set_costs(std::stoi(argv[5]));
  reading.set_costs(std::stoi(argv[5]));
  double start = cpu_seconds();
  for (const Event& event : events) in_memory.play(event);
  const double memory_seconds = cpu_seconds() - start;
  start = cpu_seconds();
  for_each_event(argv[1], columns, [&](const Event& event) { reading.play(event); });
  const double reading_seconds = cpu_seconds() - start;
  fmt::print("{} {}\n", count / memory_seconds, count / reading_seconds);
}
