// A throwaway Kafka of three brokers for tests (scripts/kafka.sh). It ends with the process of the test.
#pragma once

#include <csignal>
#include <string>
#include <vector>

#include "journal/kafka_log.h"

namespace rein {

class KafkaServer {
 public:
  KafkaServer();
  ~KafkaServer();
  KafkaServer(const KafkaServer&) = delete;
  KafkaServer& operator=(const KafkaServer&) = delete;

  // The address of an empty place: topics with names of their own.
  std::string new_place();
  // A broker, 1 to 3: SIGSTOP, SIGCONT or SIGKILL; and again after it was killed.
  void signal(int broker, int signal) const;
  void restart(int broker) { script("again", std::to_string(broker)); }
  // The broker that leads this topic.
  int leader_of(const std::string& topic) const;

 private:
  std::string script(const std::string& verb, const std::string& words) const;
  std::string brokers() const;

  std::string folder_;
  int port_ = 0, places_ = 0;
};

// The brokers that all tests of a process share.
KafkaServer& shared_brokers();

}  // namespace rein
