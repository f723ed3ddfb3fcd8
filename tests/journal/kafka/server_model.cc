#include "journal/kafka/server_model.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <random>

#include "journal/kafka_client.h"
#include "journal/throwaway.h"
#include "source_dir.h"

namespace rein {
namespace {

// Three brokers and three controllers, one after the other.
constexpr int kPorts = 6;

int free_ports() {
  std::random_device random;
  while (true) {
    const int first = 20'000 + static_cast<int>(random() % 10'000);
    int found = 0;
    while (found < kPorts && free_port(first + found) != 0) ++found;
    if (found == kPorts) return first;
  }
}

}  // namespace

KafkaServer::KafkaServer()
    : folder_(fmt::format("{}/rein_kafka_{}", std::filesystem::temp_directory_path().string(), ::getpid())),
      port_(free_ports()) {
  ::setenv("REIN_WATCHED_PID", std::to_string(::getpid()).c_str(), 1);
  // A dead broker is noticed after 2 s, not after 9 s.
  script("start", fmt::format("{} broker.session.timeout.ms=2000 broker.heartbeat.interval.ms=250", port_));
}

KafkaServer::~KafkaServer() { script("remove", ""); }

std::string KafkaServer::script(const std::string& verb, const std::string& words) const {
  return output_of(fmt::format("{}/scripts/kafka.sh {} {} {}", source_dir(), verb, folder_, words));
}

std::string KafkaServer::brokers() const {
  return fmt::format("127.0.0.1:{},127.0.0.1:{},127.0.0.1:{}", port_, port_ + 1, port_ + 2);
}

std::string KafkaServer::new_place() { return fmt::format("kafka://{}/place{}", brokers(), ++places_); }

void KafkaServer::signal(int broker, int signal) const {
  ::kill(static_cast<pid_t>(std::stoi(script("pid", std::to_string(broker)))), signal);
}

int KafkaServer::leader_of(const std::string& topic) const {
  kafka::Address address;
  address.brokers = brokers();
  const auto handle = kafka::make_consumer(address);
  const kafka::Owned<rd_kafka_topic_t> name(
      rd_kafka_topic_new(handle.value().get(), topic.c_str(), nullptr));
  const rd_kafka_metadata_t* metadata = nullptr;
  rd_kafka_metadata(handle.value().get(), 0, name.get(), &metadata, 5'000);
  const int leader = metadata->topics[0].partitions[0].leader;
  rd_kafka_metadata_destroy(metadata);
  return leader;
}

KafkaServer& shared_brokers() {
  static KafkaServer server;
  return server;
}

}  // namespace rein
