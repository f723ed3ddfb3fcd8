// Reads topics from any place: entries that are no longer in memory, and snapshots. Used by kafka_*.cc
// only.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "journal/kafka_client.h"
#include "journal/kafka_directory.h"

namespace rein::kafka {

class Reader {
 public:
  explicit Reader(Address address) : address_(std::move(address)) {}

  // Passes on the messages of a topic from one offset to another, in order, until `each` returns false.
  // kFailed: the brokers did not answer in time.
  using Each = std::function<Result<bool>(const rd_kafka_message_t&)>;
  Result<> scan(const std::string& topic, std::int64_t from, std::int64_t end, milliseconds deadline,
                const Each& each);

  // Entries of a model from a number on, where `mark` is a place before them, and the topic ends at `end`.
  Result<LogSlice> entries(const std::string& model, Mark mark, std::int64_t end, std::int64_t from,
                           std::size_t most_bytes, milliseconds deadline);
  // The last place before the entry with this number: the state before the group that contains it.
  Result<Mark> place_before(const std::string& model, Mark mark, std::int64_t end, std::int64_t number,
                            milliseconds deadline);

 private:
  // A place that was reached, from which a reader is likely to go on.
  struct Cursor {
    std::string model;
    Mark mark;
  };
  Mark nearest(const std::string& model, Mark mark, std::int64_t from);
  void remember(const std::string& model, const Mark& mark);

  const Address address_;
  std::mutex mutex_;  // of one scan at a time
  Owned<rd_kafka_t> consumer_;
  std::mutex cursors_mutex_;
  std::vector<Cursor> cursors_;  // the newest last
};

}  // namespace rein::kafka
