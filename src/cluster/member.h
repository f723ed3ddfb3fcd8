// Member: the part of one node in the directory of a SharedLog. It says that the node lives, takes leases,
// claims and folds models, gives them away, and follows those of other nodes.
//
// It has neither threads nor a clock: node.h calls beat() and work() in two threads, a simulation
// (tests/cluster) in one. Leases only decide who tries to own a model. What is committed is decided by
// SharedLog::append(), so a member that is paused, or whose clock is wrong, can harm nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "cluster/follower.h"
#include "journal/shared_log.h"
#include "serve/model.h"

namespace rein::cluster {

// Who answers for the models that a member owns: the service, or a simulation.
class Host {
 public:
  virtual ~Host() = default;
  virtual bool has(const std::string& model) const = 0;     // perhaps stopped
  virtual bool serves(const std::string& model) const = 0;  // and not stopped
  virtual Result<> serve(std::unique_ptr<serve::Model> model) = 0;
  // The model after its last answer; null if it had stopped.
  virtual std::unique_ptr<serve::Model> release(const std::string& model) = 0;
  // Opens a model that this member has claimed.
  virtual serve::ModelOptions options(const std::string& model) = 0;
};

struct MemberOptions {
  std::string node;     // a name that no other running node has
  std::string address;  // where other nodes reach it
  // After so long without a beat others take over. Five beats fit into it.
  std::chrono::milliseconds lease{1500};
  std::function<std::int64_t()> millis;   // a monotonic clock
  std::function<std::int64_t()> seconds;  // the wall clock of this machine, UTC
  LogJournalOptions journal;              // of the models that it owns
};

struct Takeover {
  std::int64_t count = 0;
  std::int64_t at = 0;       // UTC seconds of the last one
  double seconds = 0.0;      // from the decision to take over until the model was served
  std::int64_t entries = 0;  // that had to be folded in it
};

class Member {
 public:
  Member(std::shared_ptr<SharedLog> log, Host& host, MemberOptions options);

  // Tells the directory that this node lives, and reads what it knows. One thread.
  Result<> beat();
  // Does what the last view asks for, then folds some entries of the models of others. True: there is more
  // to fold. One thread, which may be another one.
  bool work();
  // Claims a model that is to be made here. kFailed: another node is about to make it.
  Result<std::unique_ptr<Journal>> claim_new(const std::string& model);
  // Gives all models to other nodes, for the end of this one. In the thread of work().
  void leave();

  // Any thread.
  ClusterView view() const;
  std::map<std::string, Takeover> takeovers() const;
  std::map<std::string, std::int64_t> positions() const;  // of the models that are followed
  // The time of this node: that of its own clock, unless that is too far from the store's.
  std::int64_t wall() const;
  std::int64_t clock_skew() const;  // of its own clock, in seconds: positive if it is ahead
  bool is_heard() const;            // the last beat succeeded within the lease
  const MemberOptions& options() const { return options_; }

 private:
  void follow_view(const ClusterView& view);
  void keep_or_give(const ClusterView& view, const ClusterView::Model& model,
                    const std::string& wanted);
  void follow_or_take(const ClusterView::Model& model, const std::string& wanted);
  bool take_lease(const std::string& model);
  void stop_serving(const std::string& model);
  void end_lease(const std::string& model);
  void take_over(const std::string& model);
  Result<> claim_and_fold(const std::string& model, Takeover& takeover);
  Follower* follower(const std::string& model);
  bool is_settled(const std::string& model);
  void failed(const std::string& model, const Error& error);
  bool fold_some();
  void note_positions();

  std::shared_ptr<SharedLog> log_;
  Host& host_;
  MemberOptions options_;
  mutable std::mutex mutex_;  // guards the next block
  ClusterView view_;
  std::int64_t beats_ = 0, view_beat_ = 0;  // beats that began, and the one that brought view_
  std::map<std::string, std::int64_t>
      changed_;  // models that came or went here, and the last beat before
  std::int64_t heard_at_ = -1, take_not_before_ = 0;  // of millis()
  std::int64_t skew_ = 0;
  std::set<std::string> held_;                  // leases that beat() keeps
  std::map<std::string, std::int64_t> making_;  // models that claim_new() has claimed, and when
  std::map<std::string, Takeover> takeovers_;
  std::map<std::string, std::int64_t> positions_;
  // Members of the thread of work():
  std::int64_t done_beat_ = 0;
  std::map<std::string, Follower> followers_;
  struct Failed {
    int times = 0;
    std::int64_t not_before = 0;
    std::string why;
  };
  std::map<std::string, Failed> failed_;
};

}  // namespace rein::cluster
