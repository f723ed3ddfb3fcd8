// One node of the simulated world: a member with its models, their writers, and a store that it reaches through
// FaultyLog.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "cluster/world_model.h"

namespace rein::cluster {

// The store as one node sees it: calls take time, are lost, done although no answer comes, done twice, or done
// later. A node that is killed goes no further.
class FaultyLog final : public SharedLog, public std::enable_shared_from_this<FaultyLog> {
 public:
  FaultyLog(World& world, World::Node& node) : world_(world), node_(node) {}
  Result<LogHead> head(const std::string& model) override;
  Result<LogHead> claim(const std::string& model, const std::string& node, bool create) override;
  Result<> append(const std::string& model, const LogGroup& group) override;
  Result<LogSlice> read(const std::string& model, std::int64_t from,
                        std::size_t most_bytes) override;
  Result<> drop_before(const std::string& model, std::int64_t epoch, std::int64_t number) override;
  void wait_for_entries(std::chrono::milliseconds most) override;
  Result<std::int64_t> put_snapshot(const std::string& model, const Snapshot& snapshot) override;
  Result<std::vector<std::int64_t>> snapshot_positions(const std::string& model) override;
  Result<Snapshot> snapshot(const std::string& model, std::int64_t position) override;
  Result<ClusterView> beat(const NodeBeat& beat) override;
  Result<bool> take_lease(const std::string& model, const std::string& node,
                          std::chrono::milliseconds lease) override;
  Result<> give_lease(const std::string& model, const std::string& node, const std::string& to,
                      std::chrono::milliseconds lease) override;
  Result<> pin(const std::string& model, const std::string& node) override;

 private:
  template <class Call>
  auto through(const Call& call) -> decltype(call());
  Result<> append_now(const std::string& model, const LogGroup& group);
  void append_later(const std::string& model, const LogGroup& group);

  World& world_;
  World::Node& node_;
};

struct World::Node final : Host {
  Node(World& in, std::string called) : world(in), name(std::move(called)) {}

  // Lets time go by. Throws Killed if the node is killed meanwhile.
  void sleep(std::int64_t millis);
  std::int64_t wall() const { return world.seconds() + skew; }

  bool has(const std::string& model) const override { return writers.contains(model); }
  bool serves(const std::string& model) const override;
  Result<> serve(std::unique_ptr<serve::Model> model) override;
  std::unique_ptr<serve::Model> release(const std::string& model) override;
  serve::ModelOptions options(const std::string& model) override;

  struct Message {
    serve::Ask ask;
    std::string model;
    std::shared_ptr<serve::HttpReply> reply;
  };

  World& world;
  std::string name;
  std::int64_t skew = 0;  // seconds
  std::int64_t next_beat = 0;
  bool killed = false;  // and not started again yet
  std::unique_ptr<Fibre> fibre;
  std::deque<Message> inbox;
  std::shared_ptr<FaultyLog> log;
  std::unique_ptr<Member> member;
  std::map<std::string, std::unique_ptr<serve::Writer>> writers;
};

}  // namespace rein::cluster
