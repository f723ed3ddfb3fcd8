// The topics that a log in Kafka needs, with the settings on which its promises stand.
#pragma once

#include <functional>
#include <string>

#include "journal/kafka_address.h"
#include "journal/kafka_client.h"
#include "journal/shared_log.h"

namespace rein::kafka {

// Those that are missing are made.
Result<> make_topics(Client& client, const Address& address);
Result<> make_journal_topic(Client& client, const Address& address, const std::string& model);

// Refuses with kInvalid a group that one message of these topics does not hold.
Result<> check_group_fits(const LogGroup& group);

// Says what the settings of the topics leave to be lost.
Result<> say_what_is_durable(Client& client, const Address& address,
                             const std::function<void(const std::string&)>& notice);

}  // namespace rein::kafka
