// kafka://HOST1:PORT,HOST2:PORT/NAME?OPTION=VALUE&... (kafka_log.h). Used by kafka_*.cc only.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rein/result.h"

namespace rein::kafka {

struct Address {
  using Settings = std::vector<std::pair<std::string, std::string>>;
  std::string brokers;
  std::string name;  // what the names of our topics begin with
  int replicas = 3;
  Settings topic;   // of topics that are made
  Settings client;  // of librdkafka

  std::string directory() const { return name + ".directory"; }
  std::string snapshots() const { return name + ".snapshots"; }
  // Kafka takes a dot and an underscore for the same in names of topics, so both are spelled out.
  std::string journal(const std::string& model) const;
};

Result<Address> parse_address(const std::string& text);

}  // namespace rein::kafka
