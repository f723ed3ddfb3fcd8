// What the messages in the topic of a model mean: a pure function of the messages before. Used by
// kafka_*.cc only.
//
// Every reader folds the same messages in the same order, and so agrees on which were accepted:
//   group   its epoch is that of the last claim, and the journal ends where the group begins
//   claim   its epoch is the next one; of two nodes that claim at once, the second is late
//   drop    its epoch is that of the last claim
// Everything else is stale, and changes nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "journal/shared_log.h"

namespace rein::kafka {

// Names a message among all that are sent: the process that sent it, and a count.
struct MessageId {
  std::uint64_t sender = 0;
  std::uint64_t number = 0;
};

struct ModelMessage {
  enum class Kind { kGroup = 1, kClaim = 2, kDrop = 3 };
  Kind kind = Kind::kGroup;
  MessageId id;
  std::int64_t epoch = 0;  // of the sender; of a claim: the epoch that it begins
  // A group: where the journal ends before and after it. A drop: the entry before the first that is kept.
  std::int64_t last = 0;
  std::uint64_t chain = 0, chain_after = 0;
  std::string node;                       // of a claim
  std::vector<std::string_view> entries;  // of a group; they point into the message
};

std::string bytes_of(const ModelMessage& message);
// kCorrupt: rein did not write this, or a newer rein did.
Result<ModelMessage> model_message(std::string_view bytes);

// Whether the message is accepted; `head` is then as it is after the message. kCorrupt: the entries do
// not have the chain value that the sender gave them.
Result<bool> fold(LogHead& head, const ModelMessage& message);

std::string bytes_of(const LogHead& head);
Result<LogHead> log_head(std::string_view bytes);

}  // namespace rein::kafka
