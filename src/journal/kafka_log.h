// A SharedLog in Kafka, 2.4 or later.
//
// Each model has a topic of one partition. A group of entries is one message, so all of it is there or
// nothing. It names the epoch and the place for which it was made, and whoever reads the topic in its
// order accepts it only if both are right (kafka_fold.h). So a message of an owner that was replaced is
// in the topic, and is no part of the journal. append() answers only after its message came back and was
// accepted. Repeated messages are refused in the same way: the producer needs no idempotence and no
// transactions.
//
// A message is acknowledged when it is in the memory of `min.insync.replicas` brokers. What all of them
// lose at once, with the power, was acknowledged and is gone, unless the topics have flush.messages=1.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "journal/shared_log.h"
#include "rein/result.h"

namespace rein {

struct KafkaOptions {
  // A call that is not answered within this time has failed.
  std::chrono::milliseconds deadline{5'000};
  // Called with what a person should know about the topics and what is no error.
  std::function<void(const std::string&)> notice;
};

// Connects to kafka://HOST1:PORT,HOST2:PORT/NAME?OPTION=VALUE&..., and makes what is missing: the topics
// NAME.directory and NAME.snapshots, and NAME.journal.MODEL for each model. Options:
//   replicas=3         copies of each topic that is made
//   topic.KEY=VALUE    settings of topics that are made, such as topic.flush.messages=1
//   KEY=VALUE          where KEY has a dot: settings of librdkafka, such as security.protocol=ssl
// kInvalid: the address cannot be read, or this program was built without librdkafka. kFailed: the
// brokers cannot be reached or used.
Result<std::shared_ptr<SharedLog>> open_kafka_log(const std::string& address,
                                                  const KafkaOptions& options = {});

}  // namespace rein
