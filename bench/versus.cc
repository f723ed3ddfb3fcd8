// versus FILE SPEC CONTEXT FEATURES: runs a policy over the rounds of a Vowpal Wabbit text file,
// once in memory and once including the reading. Prints rounds per CPU second of both.
//
// bench/versus_vw.py writes the file: `shared |U name:value ...` if there is a context, then one
// line per action, `[0:cost:1] |A name:value ...`, and a blank line after each event. Features have
// the same order on every line, so their position is their index. The labelled action is learned,
// as in Vowpal Wabbit.
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "rein/rein.h"

namespace {

struct Event {
  std::vector<double> context;
  std::vector<double> features;
  int actions = 0;
  int chosen = -1;
  double reward = 0.0;
  void clear() {
    context.clear();
    features.clear();
    actions = 0;
    chosen = -1;
  }
  rein::Round round() const {
    return {.actions = actions, .context = context, .features = features};
  }
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Appends the values of `|N name:value name:value ...`.
void read_values(std::string_view line, std::vector<double>& out) {
  const char* at = line.data();
  const char* end = at + line.size();
  while (
      (at = static_cast<const char*>(std::memchr(at, ':', static_cast<std::size_t>(end - at))))) {
    double value = 0.0;
    at = std::from_chars(at + 1, end, value).ptr;
    out.push_back(value);
  }
}

// Calls `each(event)` for every event of the text.
template <class Each>
void for_each_event(std::string_view text, Each each) {
  Event event;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty()) {
      if (event.actions > 0) each(event);
      event.clear();
      continue;
    }
    const std::size_t bar = line.find('|');
    if (line.starts_with("shared")) {
      read_values(line.substr(bar), event.context);
      continue;
    }
    if (bar > 0) {
      event.chosen = event.actions;
      double cost = 0.0;
      std::from_chars(line.data() + 2, line.data() + bar, cost);
      event.reward = -cost;
    }
    read_values(line.substr(bar), event.features);
    ++event.actions;
  }
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
  std::ifstream in(argv[1], std::ios::binary);
  std::stringstream buffer;
  buffer << in.rdbuf();
  const std::string text = buffer.str();
  std::vector<Event> events;
  for_each_event(text, [&](const Event& event) { events.push_back(event); });
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
  for_each_event(text, [&](const Event& event) { reading.play(event); });
  const double reading_seconds = cpu_seconds() - start;
  fmt::print("{} {}\n", count / memory_seconds, count / reading_seconds);
}
