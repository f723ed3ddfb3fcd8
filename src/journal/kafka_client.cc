#include "journal/kafka_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace rein::kafka {
namespace {

constexpr std::size_t kErrorBytes = 512;
// How long the poller waits for outcomes before it looks whether it is to end.
constexpr int kDeliveryPollMillis = 100;

struct DestroyAdmin {
  void operator()(rd_kafka_NewTopic_t* topic) const { rd_kafka_NewTopic_destroy(topic); }
  void operator()(rd_kafka_AdminOptions_t* options) const { rd_kafka_AdminOptions_destroy(options); }
  void operator()(rd_kafka_event_t* event) const { rd_kafka_event_destroy(event); }
  void operator()(rd_kafka_DeleteRecords_t* records) const { rd_kafka_DeleteRecords_destroy(records); }
  void operator()(rd_kafka_topic_partition_list_t* list) const {
    rd_kafka_topic_partition_list_destroy(list);
  }
  void operator()(rd_kafka_ConfigResource_t* resource) const {
    rd_kafka_ConfigResource_destroy(resource);
  }
  void operator()(const rd_kafka_metadata_t* metadata) const { rd_kafka_metadata_destroy(metadata); }
};
template <class T>
using Admin = std::unique_ptr<T, DestroyAdmin>;

// Settings that both kinds of handle have. Those of the address come last, so that they win.
Result<Owned<rd_kafka_conf_t>> conf_of(const Address& address, const Address::Settings& own) {
  Owned<rd_kafka_conf_t> conf(rd_kafka_conf_new());
  Address::Settings all{
      {"bootstrap.servers", address.brokers},
      {"client.id", "rein"},
      {"socket.nagle.disable", "true"},
      // A broker that was lost is tried again soon; another leader is looked for at once.
      {"reconnect.backoff.ms", "20"},
      {"reconnect.backoff.max.ms", "500"},
      {"topic.metadata.refresh.fast.interval.ms", "100"},
      // A broker that hangs keeps its connections, so the leader is asked for all the time.
      {"topic.metadata.refresh.interval.ms", "1000"},
      {"socket.timeout.ms", "2000"},
      {"message.max.bytes", std::to_string(kMostMessageBytes)},
  };
  all.insert(all.end(), own.begin(), own.end());
  all.insert(all.end(), address.client.begin(), address.client.end());
  std::array<char, kErrorBytes> error{};
  for (const auto& [key, value] : all) {
    if (rd_kafka_conf_set(conf.get(), key.c_str(), value.c_str(), error.data(), error.size()) !=
        RD_KAFKA_CONF_OK) {
      return Error{fmt::format("journal: librdkafka refuses {}: {}", key, error.data())};
    }
  }
  // The library must not print; what goes wrong comes back with the calls.
  rd_kafka_conf_set_log_cb(conf.get(), nullptr);
  return conf;
}

Result<Owned<rd_kafka_t>> handle_of(rd_kafka_type_t type, Owned<rd_kafka_conf_t> conf) {
  std::array<char, kErrorBytes> error{};
  Owned<rd_kafka_t> handle(rd_kafka_new(type, conf.get(), error.data(), error.size()));
  if (handle == nullptr) return kafka_failed(error.data());
  static_cast<void>(conf.release());  // the handle owns it now
  return handle;
}

// Runs one call of the admin interface, and waits for its answer.
class AdminCall {
 public:
  AdminCall(rd_kafka_t* handle, rd_kafka_admin_op_t kind, milliseconds deadline)
      : queue_(rd_kafka_queue_new(handle)),
        options_(rd_kafka_AdminOptions_new(handle, kind)),
        millis_(static_cast<int>(deadline.count())) {
    std::array<char, kErrorBytes> error{};
    rd_kafka_AdminOptions_set_request_timeout(options_.get(), millis_, error.data(), error.size());
  }
  rd_kafka_queue_t* queue() const { return queue_.get(); }
  rd_kafka_AdminOptions_t* options() const { return options_.get(); }
  Result<rd_kafka_event_t*> answer() {
    event_.reset(rd_kafka_queue_poll(queue_.get(), 2 * millis_));
    if (event_ == nullptr) return kafka_failed("no answer in time");
    if (rd_kafka_event_error(event_.get()) != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return kafka_failed(rd_kafka_event_error_string(event_.get()));
    }
    return event_.get();
  }

 private:
  Owned<rd_kafka_queue_t> queue_;
  Admin<rd_kafka_AdminOptions_t> options_;
  int millis_;
  Admin<rd_kafka_event_t> event_;
};

}  // namespace

std::string_view key_of(const rd_kafka_message_t& message) {
  if (message.key == nullptr) return {};
  return {static_cast<const char*>(message.key), message.key_len};
}

std::optional<std::string_view> value_of(const rd_kafka_message_t& message) {
  if (message.payload == nullptr) return std::nullopt;
  return std::string_view(static_cast<const char*>(message.payload), message.len);
}

Result<Owned<rd_kafka_t>> make_consumer(const Address& address) {
  auto conf = conf_of(address, {
                                   {"auto.offset.reset", "error"},
                                   {"enable.partition.eof", "true"},
                                   {"fetch.error.backoff.ms", "50"},
                                   {"receive.message.max.bytes", "128000000"},
                                   {"fetch.max.bytes", std::to_string(kMostMessageBytes)},
                                   // Of a topic, read ahead of what was taken.
                                   {"queued.max.messages.kbytes", "16384"},
                               });
  if (!conf) return conf.failure();
  return handle_of(RD_KAFKA_CONSUMER, std::move(conf).value());
}

Result<std::unique_ptr<Client>> Client::connect(const Address& address, milliseconds deadline,
                                                Outcome outcome) {
  const std::string within = std::to_string(deadline.count());
  auto conf = conf_of(address, {{"acks", "all"},
                                {"linger.ms", "0"},
                                {"message.timeout.ms", within},
                                {"request.timeout.ms", "2000"}});
  if (!conf) return conf.failure();
  std::unique_ptr<Client> client(new Client(address, deadline, std::move(outcome)));
  rd_kafka_conf_set_opaque(conf.value().get(), client.get());
  rd_kafka_conf_set_dr_msg_cb(conf.value().get(), delivered);
  auto handle = handle_of(RD_KAFKA_PRODUCER, std::move(conf).value());
  if (!handle) return handle.failure();
  client->producer_ = std::move(handle).value();
  client->poller_ = std::thread([self = client.get()] {
    while (!self->ending_) rd_kafka_poll(self->producer_.get(), kDeliveryPollMillis);
  });
  const rd_kafka_metadata_t* metadata = nullptr;
  const auto error = rd_kafka_metadata(client->producer_.get(), 0, nullptr, &metadata,
                                       static_cast<int>(deadline.count()));
  const Admin<const rd_kafka_metadata_t> owned(metadata);
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return client;
  return kafka_failed(fmt::format("no broker of {} answers: {}", address.brokers, rd_kafka_err2str(error)));
}

Client::~Client() {
  ending_ = true;
  if (poller_.joinable()) poller_.join();
}

void Client::delivered(rd_kafka_t*, const rd_kafka_message_t* message, void* self) {
  const auto number = reinterpret_cast<std::uintptr_t>(message->_private);
  const std::string error = message->err == RD_KAFKA_RESP_ERR_NO_ERROR
                                ? std::string()
                                : std::string(rd_kafka_err2str(message->err));
  static_cast<Client*>(self)->outcome_(number, error, message->offset);
}

Result<> Client::make_topic(const std::string& topic, const Address::Settings& settings) {
  std::array<char, kErrorBytes> error{};
  const Admin<rd_kafka_NewTopic_t> made(
      rd_kafka_NewTopic_new(topic.c_str(), 1, address_.replicas, error.data(), error.size()));
  if (made == nullptr) return Error{fmt::format("journal: topic {}: {}", topic, error.data())};
  Address::Settings all{{"min.insync.replicas", std::to_string(std::min(2, address_.replicas))},
                        {"unclean.leader.election.enable", "false"},
                        {"message.timestamp.type", "LogAppendTime"},
                        {"max.message.bytes", std::to_string(kMostMessageBytes)}};
  all.insert(all.end(), settings.begin(), settings.end());
  all.insert(all.end(), address_.topic.begin(), address_.topic.end());
  for (const auto& [key, value] : all) {
    rd_kafka_NewTopic_set_config(made.get(), key.c_str(), value.c_str());
  }
  AdminCall call(producer_.get(), RD_KAFKA_ADMIN_OP_CREATETOPICS, deadline_);
  // The brokers answer once the topic can be used, or after this time.
  rd_kafka_AdminOptions_set_operation_timeout(call.options(), static_cast<int>(deadline_.count()),
                                              error.data(), error.size());
  rd_kafka_NewTopic_t* topics[] = {made.get()};
  rd_kafka_CreateTopics(producer_.get(), topics, 1, call.options(), call.queue());
  auto answer = call.answer();
  if (!answer) return answer.failure().in("topic " + topic + ": ");
  std::size_t count = 0;
  const auto** found = rd_kafka_CreateTopics_result_topics(
      rd_kafka_event_CreateTopics_result(answer.value()), &count);
  const auto code = rd_kafka_topic_result_error(found[0]);
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR || code == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS) return {};
  const char* why = rd_kafka_topic_result_error_string(found[0]);
  return kafka_failed(fmt::format(
      "topic {} with replicas={} cannot be made: {}", topic, address_.replicas,
      why == nullptr ? rd_kafka_err2str(code) : why));
}

Result<> Client::send(const std::string& topic, std::string_view key,
                      std::optional<std::string_view> value, std::uint64_t number) {
  // The library takes a value without an address for a deletion.
  const std::size_t size = value ? value->size() : 0;
  const char* bytes = value ? (value->data() == nullptr ? "" : value->data()) : nullptr;
  const auto error = rd_kafka_producev(
      producer_.get(), RD_KAFKA_V_TOPIC(topic.c_str()), RD_KAFKA_V_PARTITION(0),
      RD_KAFKA_V_KEY(key.data(), key.size()),
      RD_KAFKA_V_VALUE(const_cast<char*>(bytes), size),
      RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
      RD_KAFKA_V_OPAQUE(reinterpret_cast<void*>(static_cast<std::uintptr_t>(number))), RD_KAFKA_V_END);
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  return kafka_failed(fmt::format("topic {}: {}", topic, rd_kafka_err2str(error)));
}

Result<std::int64_t> Client::end_of(const std::string& topic) {
  std::int64_t low = 0, high = 0;
  const auto until = Clock::now() + deadline_;
  while (true) {
    const auto error = rd_kafka_query_watermark_offsets(producer_.get(), topic.c_str(), 0, &low, &high,
                                                        static_cast<int>(deadline_.count()));
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return high;
    // A topic that was made just now is not known everywhere, and a leader may be being replaced.
    if (Clock::now() >= until) return kafka_failed(fmt::format("topic {}: {}", topic, rd_kafka_err2str(error)));
    std::this_thread::sleep_for(milliseconds(20));
  }
}

Result<> Client::delete_before(const std::string& topic, std::int64_t offset) {
  const Admin<rd_kafka_topic_partition_list_t> list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), 0)->offset = offset;
  const Admin<rd_kafka_DeleteRecords_t> records(rd_kafka_DeleteRecords_new(list.get()));
  AdminCall call(producer_.get(), RD_KAFKA_ADMIN_OP_DELETERECORDS, deadline_);
  rd_kafka_DeleteRecords_t* all[] = {records.get()};
  rd_kafka_DeleteRecords(producer_.get(), all, 1, call.options(), call.queue());
  auto answer = call.answer();
  if (!answer) return answer.failure().in("topic " + topic + ": ");
  const auto* done =
      rd_kafka_DeleteRecords_result_offsets(rd_kafka_event_DeleteRecords_result(answer.value()));
  if (done->elems[0].err == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  return kafka_failed(fmt::format("topic {}: {}", topic, rd_kafka_err2str(done->elems[0].err)));
}

Result<int> Client::replicas_of(const std::string& topic) {
  const Owned<rd_kafka_topic_t> handle(rd_kafka_topic_new(producer_.get(), topic.c_str(), nullptr));
  const rd_kafka_metadata_t* metadata = nullptr;
  const auto error = rd_kafka_metadata(producer_.get(), 0, handle.get(), &metadata,
                                       static_cast<int>(deadline_.count()));
  const Admin<const rd_kafka_metadata_t> owned(metadata);
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return kafka_failed(rd_kafka_err2str(error));
  if (metadata->topic_cnt == 0 || metadata->topics[0].partition_cnt == 0) return 0;
  return metadata->topics[0].partitions[0].replica_cnt;
}

Result<std::string> Client::setting_of(const std::string& topic, const std::string& name) {
  const Admin<rd_kafka_ConfigResource_t> resource(
      rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic.c_str()));
  AdminCall call(producer_.get(), RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS, deadline_);
  rd_kafka_ConfigResource_t* all[] = {resource.get()};
  rd_kafka_DescribeConfigs(producer_.get(), all, 1, call.options(), call.queue());
  auto answer = call.answer();
  if (!answer) return answer.failure();
  std::size_t count = 0;
  const auto** found = rd_kafka_DescribeConfigs_result_resources(
      rd_kafka_event_DescribeConfigs_result(answer.value()), &count);
  if (count == 0) return std::string();
  const auto** entries = rd_kafka_ConfigResource_configs(found[0], &count);
  for (std::size_t entry = 0; entry < count; ++entry) {
    if (name != rd_kafka_ConfigEntry_name(entries[entry])) continue;
    const char* value = rd_kafka_ConfigEntry_value(entries[entry]);
    return std::string(value == nullptr ? "" : value);
  }
  return std::string();
}

}  // namespace rein::kafka
