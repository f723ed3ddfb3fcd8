// What the messages of the directory mean: which models there are, nodes, leases, pins, marks and the
// list of snapshots. A pure function of the messages and of the times that the broker gave them. Used
// by kafka_*.cc only.
//
// The topic is compacted: Kafka keeps the last message of each key. All but leases are as the last
// message says. A lease is changed by compare-and-set on its version, so of two nodes that ask at once
// the second is refused; a refused message may be the last that Kafka keeps, and a node that starts then
// may see a wrong holder until the true one has beaten. That costs a try: appends decide (kafka_fold.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "journal/kafka_fold.h"

namespace rein::kafka {

// A place from which a topic can be read: the state before the message at `offset`.
struct Mark {
  std::int64_t offset = 0;
  LogHead head;
};

// A snapshot, whose pieces are messages of another topic.
struct Manifest {
  std::optional<std::uint64_t> chain;
  std::int64_t length = 0, pieces = 0;
  std::uint64_t checksum = 0;
  std::uint64_t upload = 0;           // which tells its pieces from those of another attempt
  std::int64_t first = 0, after = 0;  // offsets of its pieces
};

struct Lease {
  std::int64_t version = 0;
  std::string holder;
  std::int64_t until = 0;  // in milliseconds of the brokers
  bool given = false;      // to a node that has not noticed yet
};

// A lease as a node asks for it.
struct LeaseMessage {
  std::int64_t version = 0;  // that it replaces
  std::string from;          // the holder that gives it away; empty: nobody does
  std::string holder;
  std::int64_t millis = 0;
};

struct Beaten {
  std::string address;
  std::int64_t at = 0;
  std::vector<NodeBeat::Followed> followed;
};

struct DirectoryModel {
  bool made = false;
  Lease lease;
  std::string pinned;
  std::map<std::int64_t, Mark> marks;          // by the last entry before them
  std::map<std::int64_t, Manifest> snapshots;  // by their position
};

struct DirectoryState {
  std::map<std::string, Beaten> nodes;
  std::map<std::string, DirectoryModel> models;

  bool has(const std::string& model) const {
    const auto found = models.find(model);
    return found != models.end() && found->second.made;
  }

  // Takes a message; without a value it is a deletion. Whether it was accepted, and who sent it.
  // kCorrupt: rein did not write it.
  struct Folded {
    bool accepted = true;
    MessageId id;
    std::string model;  // whose `made` has just become true
  };
  Result<Folded> fold(std::string_view key, std::optional<std::string_view> value, std::int64_t at);
};

std::string node_key(const std::string& node);
std::string model_key(const std::string& model);
std::string lease_key(const std::string& model);
std::string pin_key(const std::string& model);
std::string mark_key(const std::string& model, std::int64_t last);
std::string snapshot_key(const std::string& model, std::int64_t position);
inline constexpr std::string_view kClockKey = "clock";

std::string plain_bytes(MessageId id);  // of the clock and of a model
std::string text_bytes(MessageId id, std::string_view text);  // of a pin
std::string beat_bytes(MessageId id, const NodeBeat& beat);
std::string lease_bytes(MessageId id, const LeaseMessage& lease);
std::string mark_bytes(MessageId id, const Mark& mark);
std::string manifest_bytes(MessageId id, const Manifest& manifest);

// The view of a directory at this time of the brokers. `silent` gets the names of the nodes that were not heard of for
// a day: they are left out.
ClusterView view_of(const DirectoryState& directory, const std::map<std::string, LogHead>& heads, std::int64_t at,
                    std::vector<std::string>& silent);

}  // namespace rein::kafka
