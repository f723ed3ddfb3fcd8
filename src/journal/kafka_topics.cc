#include "journal/kafka_topics.h"

#include <fmt/format.h>

#include "journal/entry_size.h"

namespace rein::kafka {

Result<> make_topics(Client& client, const Address& address) {
  // The directory grows by a message per node and second, and is read whole at a start: so short
  // segments, which Kafka compacts soon.
  auto made = client.make_topic(address.directory(), {{"cleanup.policy", "compact"},
                                                      {"segment.bytes", "16777216"},
                                                      {"segment.ms", "600000"},
                                                      {"max.message.bytes", "8388608"},
                                                      {"min.cleanable.dirty.ratio", "0.1"},
                                                      {"delete.retention.ms", "3600000"}});
  if (!made) return made;
  return client.make_topic(address.snapshots(), {{"cleanup.policy", "compact"},
                                                 {"segment.bytes", "134217728"},
                                                 {"segment.ms", "3600000"},
                                                 {"min.cleanable.dirty.ratio", "0.1"},
                                                 {"delete.retention.ms", "3600000"}});
}

Result<> make_journal_topic(Client& client, const Address& address, const std::string& model) {
  return client.make_topic(address.journal(model),
                           {{"cleanup.policy", "delete"}, {"retention.ms", "-1"}, {"retention.bytes", "-1"}});
}

Result<> check_group_fits(const LogGroup& group) {
  // What a message has beside its entries: names, numbers, and a length for each entry.
  constexpr std::size_t kMessageHeadBytes = 1024, kEntryHeadBytes = 8;
  std::size_t bytes = kMessageHeadBytes;
  for (const std::string_view entry : group.entries) {
    if (auto accepted = check_entry_bytes(entry.size()); !accepted) return accepted;
    bytes += entry.size() + kEntryHeadBytes;
  }
  if (bytes <= static_cast<std::size_t>(kMostMessageBytes)) return {};
  return Error{fmt::format("a group of entries has {} bytes; one message of Kafka has at most {}", bytes,
                           kMostMessageBytes)};
}

Result<> say_what_is_durable(Client& client, const Address& address,
                             const std::function<void(const std::string&)>& notice) {
  auto copies = client.replicas_of(address.directory());
  if (!copies) return copies.failure();
  auto in_sync = client.setting_of(address.directory(), "min.insync.replicas");
  if (!in_sync) return in_sync.failure();
  auto flush = client.setting_of(address.directory(), "flush.messages");
  if (!flush) return flush.failure();
  if (copies.value() < 3 || in_sync.value() == "1") {
    notice(fmt::format("Kafka keeps {} copies and acknowledges with {} (min.insync.replicas): entries that were "
                       "acknowledged can be lost with one machine",
                       copies.value(), in_sync.value()));
  }
  if (flush.value() != "1") {
    notice("Kafka acknowledges entries that are in the memory of its brokers: if all of them lose power "
           "at once, the last ones are lost (topic.flush.messages=1 in the address makes new topics wait "
           "for the disk)");
  }
  return {};
}

}  // namespace rein::kafka
