// Instead of kafka_log.cc, in a build without librdkafka.
#include "journal/kafka_log.h"

namespace rein {

Result<std::shared_ptr<SharedLog>> open_kafka_log(const std::string&, const KafkaOptions&) {
  return Error{
      "this program was built without librdkafka, so it cannot keep journals in Kafka (on Debian: "
      "apt-get install librdkafka-dev, and build again)"};
}

}  // namespace rein
