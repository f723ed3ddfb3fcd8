// The connections of a SharedLog in Kafka: a producer, which also makes topics, and consumers. Used by
// kafka_*.cc only.
#pragma once

#include <librdkafka/rdkafka.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "journal/kafka_address.h"

namespace rein::kafka {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

struct Destroy {
  void operator()(rd_kafka_t* handle) const { rd_kafka_destroy(handle); }
  void operator()(rd_kafka_conf_t* conf) const { rd_kafka_conf_destroy(conf); }
  void operator()(rd_kafka_topic_t* topic) const { rd_kafka_topic_destroy(topic); }
  void operator()(rd_kafka_queue_t* queue) const { rd_kafka_queue_destroy(queue); }
  void operator()(rd_kafka_message_t* message) const { rd_kafka_message_destroy(message); }
};
template <class T>
using Owned = std::unique_ptr<T, Destroy>;

// The text of a key or a value; a missing one is a deletion.
std::string_view key_of(const rd_kafka_message_t& message);
std::optional<std::string_view> value_of(const rd_kafka_message_t& message);

// What the brokers or the network refuse.
inline Error kafka_failed(const std::string& what) { return {"Kafka: " + what, Reason::kFailed}; }

// A consumer, whose topics are started one by one; it joins no group.
Result<Owned<rd_kafka_t>> make_consumer(const Address& address);

// The longest message. A request that carries it fits a broker's socket.request.max.bytes, 100 MiB.
inline constexpr std::int64_t kMostMessageBytes = 90 << 20;

class Client {
 public:
  // `outcome` is called on another thread for every message that was sent, with the number that send()
  // was given: empty if the brokers have acknowledged it, at `offset`; otherwise what went wrong.
  using Outcome = std::function<void(std::uint64_t number, const std::string& error, std::int64_t offset)>;
  static Result<std::unique_ptr<Client>> connect(const Address& address, milliseconds deadline,
                                                 Outcome outcome);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // A topic of one partition; it may be there already.
  Result<> make_topic(const std::string& topic, const Address::Settings& settings);
  Result<> send(const std::string& topic, std::string_view key, std::optional<std::string_view> value,
                std::uint64_t number);
  // The offset that the next message of a topic gets.
  Result<std::int64_t> end_of(const std::string& topic);
  // Deletes the messages of a topic before an offset.
  Result<> delete_before(const std::string& topic, std::int64_t offset);
  // Copies of a topic, and a setting of it as Kafka spells it.
  Result<int> replicas_of(const std::string& topic);
  Result<std::string> setting_of(const std::string& topic, const std::string& name);

  const Address& address() const { return address_; }

 private:
  Client(Address address, milliseconds deadline, Outcome outcome)
      : address_(std::move(address)), deadline_(deadline), outcome_(std::move(outcome)) {}
  static void delivered(rd_kafka_t* handle, const rd_kafka_message_t* message, void* self);

  Address address_;
  milliseconds deadline_;
  Outcome outcome_;
  Owned<rd_kafka_t> producer_;
  std::atomic<bool> ending_{false};
  std::thread poller_;
};

}  // namespace rein::kafka
