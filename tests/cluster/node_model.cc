#include "cluster/node_model.h"

#include <algorithm>

namespace rein::cluster {
namespace {

// A call that is lost costs the caller its deadline.
constexpr std::int64_t kDeadlineMillis = 400;

Error no_answer() { return {"the store does not answer", Reason::kFailed}; }

}  // namespace

template <class Call>
auto FaultyLog::through(const Call& call) -> decltype(call()) {
  const World::Faults& faults = world_.faults();
  const bool faulty = world_.faulty();
  node_.sleep(static_cast<std::int64_t>(world_.draw(3)));
  if (faulty && world_.chance(faults.long_pause)) {
    node_.sleep(static_cast<std::int64_t>(500 + world_.draw(6000)));
  }
  if (world_.outage() || (faulty && world_.chance(faults.lost_call))) {
    const bool reached = world_.outage() && world_.chance(0.2);  // the answer is lost
    if (reached) static_cast<void>(call());
    node_.sleep(kDeadlineMillis);
    return no_answer();
  }
  auto answer = call();
  node_.sleep(static_cast<std::int64_t>(world_.draw(3)));
  if (faulty && world_.chance(faults.lost_answer)) {
    node_.sleep(kDeadlineMillis);
    return no_answer();
  }
  return answer;
}

Result<LogHead> FaultyLog::head(const std::string& model) {
  return through([&] { return world_.log().head(model); });
}

Result<LogHead> FaultyLog::claim(const std::string& model, const std::string& node, bool create) {
  return through([&] {
    world_.arrive_now(model);
    return world_.log().claim(model, node, create);
  });
}

Result<> FaultyLog::append(const std::string& model, const LogGroup& group) {
  if (world_.faulty() && world_.chance(world_.faults().late_append)) {
    append_later(model, group);
    // Some nodes are cut off with it, for so long that others take over.
    node_.sleep(world_.chance(0.4) ? 2000 + static_cast<std::int64_t>(world_.draw(4000)) : kDeadlineMillis);
    return no_answer();
  }
  return through([&] {
    auto done = append_now(model, group);
    if (world_.faulty() && world_.chance(world_.faults().twice)) done = append_now(model, group);
    return done;
  });
}

// The group is on its way, and the node does not hear of it any more.
void FaultyLog::append_later(const std::string& model, const LogGroup& group) {
  std::vector<std::string> entries(group.entries.begin(), group.entries.end());
  world_.later(model, static_cast<std::int64_t>(world_.draw(4000)),
               [self = shared_from_this(), model, group, entries = std::move(entries)] {
                 const std::vector<std::string_view> views(entries.begin(), entries.end());
                 LogGroup late = group;
                 late.entries = views;
                 static_cast<void>(self->append_now(model, late));
               });
}

Result<> FaultyLog::append_now(const std::string& model, const LogGroup& group) {
  LogGroup sent = group;
  const LogHead head = world_.log().head(model).value();
  if (world_.planted() == Planted::kNoEndCheck) {
    sent.epoch = head.epoch;
    sent.last = head.last;
    sent.chain = head.chain;
  }
  if (world_.planted() == Planted::kTornGroup && sent.entries.size() > 1) {
    sent.entries = sent.entries.first(sent.entries.size() - 1);
  }
  if (world_.planted() == Planted::kLostGroup && world_.chance(0.02)) return {};
  auto done = world_.log().append(model, sent);
  if (world_.planted() == Planted::kEqualPlaceIsTheGroup && !done && head.last > group.last)
    return {};
  return done;
}

Result<LogSlice> FaultyLog::read(const std::string& model, std::int64_t from,
                                 std::size_t most_bytes) {
  return through([&] { return world_.log().read(model, from, most_bytes); });
}

Result<> FaultyLog::drop_before(const std::string& model, std::int64_t epoch, std::int64_t number) {
  return through([&] { return world_.log().drop_before(model, epoch, number); });
}

void FaultyLog::wait_for_entries(std::chrono::milliseconds most) { node_.sleep(most.count()); }

Result<std::int64_t> FaultyLog::put_snapshot(const std::string& model, const Snapshot& snapshot) {
  return through([&] { return world_.log().put_snapshot(model, snapshot); });
}

Result<std::vector<std::int64_t>> FaultyLog::snapshot_positions(const std::string& model) {
  return through([&] { return world_.log().snapshot_positions(model); });
}

Result<Snapshot> FaultyLog::snapshot(const std::string& model, std::int64_t position) {
  return through([&] { return world_.log().snapshot(model, position); });
}

Result<ClusterView> FaultyLog::beat(const NodeBeat& beat) {
  return through([&] { return world_.log().beat(beat); });
}

Result<bool> FaultyLog::take_lease(const std::string& model, const std::string& node,
                                   std::chrono::milliseconds lease) {
  return through([&] { return world_.log().take_lease(model, node, lease); });
}

Result<> FaultyLog::give_lease(const std::string& model, const std::string& node,
                               const std::string& to, std::chrono::milliseconds lease) {
  return through([&] { return world_.log().give_lease(model, node, to, lease); });
}

Result<> FaultyLog::pin(const std::string& model, const std::string& node) {
  return through([&] { return world_.log().pin(model, node); });
}

void World::Node::sleep(std::int64_t millis) {
  if (killed) return;  // it is being taken apart
  world.wake(*this, millis);
  fibre->stop();
  if (killed) throw Killed();
}

bool World::Node::serves(const std::string& model) const {
  const auto found = writers.find(model);
  return found != writers.end() && !found->second->stopped();
}

Result<> World::Node::serve(std::unique_ptr<serve::Model> model) {
  const std::string called = model->name();
  serve::WriterOptions options;
  options.wait_for_snapshots = true;
  options.shared = true;
  options.stepped = true;
  options.clock = [this] {
    return std::chrono::steady_clock::time_point(std::chrono::milliseconds(world.millis()));
  };
  writers[called] = std::make_unique<serve::Writer>(std::move(model), options);
  return {};
}

std::unique_ptr<serve::Model> World::Node::release(const std::string& model) {
  const auto found = writers.find(model);
  if (found == writers.end()) return nullptr;
  found->second->step();  // what waits is answered
  auto released = found->second->take();
  writers.erase(found);
  return released;
}

serve::ModelOptions World::Node::options(const std::string& model) {
  serve::ModelOptions options;
  options.snapshot_every = 25;
  options.wall = [this] { return member->wall(); };
  options.steady = [this] { return world.seconds(); };
  options.snapshots = std::make_shared<LogSnapshots>(log, model);
  if (!world.archive().empty()) {
    options.snapshot_every = 6;
    options.keep_seconds = 2;
    options.archive = world.archive() + "/" + model;
  }
  options.journal_to_read = [this, model]() -> Result<std::unique_ptr<Journal>> {
    auto journal = LogJournal::follow(log, model);
    if (!journal) return journal.failure();
    return std::unique_ptr<Journal>(std::move(journal).value());
  };
  return options;
}

}  // namespace rein::cluster
