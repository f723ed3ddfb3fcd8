// SharedLog: the journals of all models in a store that several nodes reach, such as PostgreSQL or
// Kafka. It holds for each model the entries, where they end, the epoch of the owner, and snapshots;
// and a directory of nodes and leases, by which nodes agree who tries to own a model.
//
// A node is one running service. The owner of a model is the node that made its last claim. Safety
// comes from append() alone: a group is committed only if its epoch is that of the last claim and the
// journal ends where the group begins. So an owner that was paused, or that nobody can reach, cannot
// add an entry after another node has taken over. Leases and clocks decide who tries, never who is right.
//
// OwnedJournal (owned_journal.h) makes a Journal of it. Every call may take as long as the deadline of
// the implementation, and several threads may call. Errors: kFailed if the store cannot be reached or
// does not answer, kUnknown if it has no such model, kCorrupt for what rein did not write.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "journal/chain.h"
#include "journal/snapshot.h"
#include "rein/result.h"

namespace rein {

// Where the journal of a model begins and ends, and who may append to it.
struct LogHead {
  std::int64_t first = 1;              // the first entry that is kept
  std::uint64_t before = kChainStart;  // the chain value before that entry
  std::int64_t last = 0;               // the last entry; first - 1 if there is none
  std::uint64_t chain = kChainStart;   // its chain value
  std::int64_t epoch = 0;              // counts claims; 0: nobody has claimed the model
  std::string owner;                   // the node of the last claim
};

// Entries that are committed together, or not at all.
struct LogGroup {
  std::int64_t epoch = 0;    // of the claim
  std::int64_t last = 0;     // where the journal ends before the group
  std::uint64_t chain = kChainStart;  // its chain value there
  std::span<const std::string_view> entries;
};

struct LogEntry {
  std::string bytes;
  std::uint64_t chain = 0;  // as it is stored; the reader checks it (chain.h)
  std::int64_t epoch = 0;   // of the owner that appended it
};

// Consecutive entries, in order. `before` is the chain value before the first of them.
struct LogSlice {
  std::int64_t from = 1;
  std::uint64_t before = kChainStart;
  std::vector<LogEntry> entries;
};

// What a node says of itself at every beat.
struct NodeBeat {
  struct Followed {
    std::string model;
    std::int64_t position = 0;  // the last entry that is folded here
  };
  std::string node;     // a name that no other running node has
  std::string address;  // where others reach it: "10.0.0.3:8080"
  std::chrono::milliseconds lease{0};  // how long the leases of its models last from now on
  std::vector<std::string> held;       // models whose leases it holds and keeps
  std::vector<Followed> followed;      // models of others that it folds as they grow
};

// What the directory knows. Ages and leases are measured by the clock of the store.
struct ClusterView {
  struct Node {
    std::string name, address;
    std::int64_t age_millis = 0;  // since its last beat
    std::vector<NodeBeat::Followed> followed;
  };
  struct Model {
    std::string name;
    std::string holder;              // of the lease; empty: nobody
    std::int64_t lease_millis = 0;   // that are left; 0 or less: it has ended
    std::string pinned;              // the node that a person has chosen; empty: none
    LogHead head;
  };
  std::vector<Node> nodes;    // by name
  std::vector<Model> models;  // by name
  std::int64_t now = 0;       // UTC seconds
};

class SharedLog {
 public:
  virtual ~SharedLog() = default;

  // kUnknown: there is no journal of this model.
  virtual Result<LogHead> head(const std::string& model) = 0;
  // Makes this node the owner, with the next epoch. From then on append() refuses every earlier epoch.
  // A journal that is missing is made, if `create` is set.
  virtual Result<LogHead> claim(const std::string& model, const std::string& node, bool create) = 0;
  // Success: the group is committed, and no later owner can be without it. kFenced: it is not there, and
  // never will be, because another node has claimed the model or because the journal ends elsewhere.
  // kFailed: unknown; it may be there or may come to be there. The same group may be sent again, and is
  // never committed twice: entries of the same epoch at the same places are the group itself. Equal bytes
  // of another epoch are not: two owners may make equal entries for different callers. kInvalid: an entry
  // is too long; nothing happened.
  virtual Result<> append(const std::string& model, const LogGroup& group) = 0;
  // Committed entries from a number on: at least one, if there is one, and no more after `most_bytes`.
  // kInvalid: the entries from there are no longer kept.
  virtual Result<LogSlice> read(const std::string& model, std::int64_t from, std::size_t most_bytes) = 0;
  // Forgets all entries before a number, which snapshots and archives have made unnecessary. kFenced
  // as for append().
  virtual Result<> drop_before(const std::string& model, std::int64_t epoch, std::int64_t number) = 0;
  // Waits until entries may have come for any model, or for that long.
  virtual void wait_for_entries(std::chrono::milliseconds most) = 0;

  // Snapshots (snapshot_files.h), the two newest of each model. put_snapshot() returns the position of
  // the older one, or 0; any node may put one, because equal positions have equal states.
  virtual Result<std::int64_t> put_snapshot(const std::string& model, const Snapshot& snapshot) = 0;
  virtual Result<std::vector<std::int64_t>> snapshot_positions(const std::string& model) = 0;
  virtual Result<Snapshot> snapshot(const std::string& model, std::int64_t position) = 0;

  // The directory. beat() notes the node, extends the leases in `held` that it still holds, ends its other
  // leases, and returns what is known; without a name of a node it only reads. take_lease(): whether this node holds the lease now; it
  // does not if another node holds one that has not ended. give_lease() ends the own lease and gives it
  // to another node, which need not ask. pin() keeps a model on one node; an empty name ends that.
  virtual Result<ClusterView> beat(const NodeBeat& beat) = 0;
  virtual Result<bool> take_lease(const std::string& model, const std::string& node,
                                  std::chrono::milliseconds lease) = 0;
  virtual Result<> give_lease(const std::string& model, const std::string& node, const std::string& to,
                              std::chrono::milliseconds lease) = 0;
  virtual Result<> pin(const std::string& model, const std::string& node) = 0;
};

}  // namespace rein
