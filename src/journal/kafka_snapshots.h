// Snapshots of models in Kafka: pieces in one topic, and for each snapshot a message of the directory
// that says which pieces. Used by kafka_*.cc only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "journal/kafka_reader.h"
#include "journal/kafka_tail.h"

namespace rein::kafka {

class SnapshotTopic {
 public:
  SnapshotTopic(Client& client, Tail& tail, Reader& reader, milliseconds deadline)
      : client_(client), tail_(tail), reader_(reader), deadline_(deadline) {}

  Result<std::int64_t> put(const std::string& model, const Snapshot& snapshot);
  Result<Snapshot> read(const std::string& model, std::int64_t position);

 private:
  Result<Manifest> send_pieces(const std::string& model, const Snapshot& snapshot);
  void remove(const std::string& model, std::int64_t position, const Manifest& manifest);

  Client& client_;
  Tail& tail_;
  Reader& reader_;
  milliseconds deadline_;
};

}  // namespace rein::kafka
