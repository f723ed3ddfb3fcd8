// Reads all topics as they grow, on a thread of its own, and keeps what they mean: the directory, the
// head of every model and its newest entries. Used by kafka_*.cc only.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "journal/kafka_client.h"
#include "journal/kafka_directory.h"

namespace rein::kafka {

// What became of a message of ours when it was read back.
struct Verdict {
  bool accepted = false;
  std::int64_t offset = 0, at = 0;
  LogHead head;            // after it, for messages of a model
  bool mark_due = false;   // much was accepted since the last mark
};

class Tail {
 public:
  static Result<std::unique_ptr<Tail>> start(const Address& address);
  ~Tail();
  Tail(const Tail&) = delete;
  Tail& operator=(const Tail&) = delete;

  std::uint64_t sender() const { return sender_; }
  // Announces a message that will be sent, so that wait_for() can tell what became of it.
  MessageId announce();
  // A name that no message has.
  MessageId named();
  // For messages whose fate nobody waits for.
  MessageId unannounced() const { return {.sender = sender_, .number = 0}; }
  // Client::Outcome.
  void outcome(std::uint64_t number, const std::string& error, std::int64_t offset);
  // Until the message was read back, or could not be sent.
  Result<Verdict> wait_for(MessageId id, Clock::time_point until);
  // Until the brokers have it: the offset of a message in a topic that is not read here.
  Result<std::int64_t> wait_acknowledged(MessageId id, Clock::time_point until);

  // Until messages before `end` of this topic were folded.
  Result<> wait_until(const std::string& topic, std::int64_t end, Clock::time_point until);
  // From here on models are followed, each from its newest mark: the directory was read.
  void follow_models();

  // Copies of what is known. head(): none if the model is not known; an error if its topic is damaged.
  Result<std::optional<LogHead>> head(const std::string& model);
  template <class Look>
  auto with_directory(Look look) {
    const std::lock_guard lock(mutex_);
    return look(std::as_const(directory_));
  }
  // The offset up to which the topic of a model was read.
  std::int64_t next_of(const std::string& model);
  // The head of every model that is made.
  std::map<std::string, LogHead> heads();
  // Entries from a number on, if the newest ones that are kept begin at or before it.
  std::optional<LogSlice> recent(const std::string& model, std::int64_t from, std::size_t most_bytes);
  // Waits until entries were accepted since the last such call, or that long.
  void wait_for_entries(milliseconds most);

 private:
  struct Shelf {
    std::string model;  // empty: the directory
    Owned<rd_kafka_topic_t> topic;
    std::int64_t next = 0;  // offset of the message that is folded next
    LogHead head;
    std::deque<LogEntry> newest;  // up to head.last
    std::uint64_t newest_before = kChainStart;
    std::size_t newest_bytes = 0, since_mark = 0;
    std::optional<Error> broken;
  };
  struct Pending {
    std::condition_variable done;
    std::optional<Verdict> verdict;
    std::optional<std::int64_t> acknowledged;
    std::string error;
  };

  explicit Tail(const Address& address);
  Result<> begin(const std::string& topic, const std::string& model, const Mark& mark);
  void begin_model(const std::string& model);
  void run();
  void take(const rd_kafka_message_t& message);
  void take_directory(Shelf& shelf, const rd_kafka_message_t& message);
  void take_model(Shelf& shelf, const rd_kafka_message_t& message);
  void keep(Shelf& shelf, const ModelMessage& message, std::uint64_t before);
  void settle(const MessageId& id, Verdict verdict);

  const Address address_;
  const std::uint64_t sender_;
  Owned<rd_kafka_t> consumer_;
  Owned<rd_kafka_queue_t> queue_;

  std::mutex mutex_;
  std::condition_variable moved_, came_;
  bool ending_ = false, follows_ = false;
  std::uint64_t numbers_ = 0, entries_ = 0, entries_seen_ = 0;
  std::map<std::uint64_t, std::shared_ptr<Pending>> pending_;
  std::map<std::string, Shelf> shelves_;  // by topic
  DirectoryState directory_;
  std::thread thread_;
};

}  // namespace rein::kafka
