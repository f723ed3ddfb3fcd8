// A SharedLog in Kafka keeps what every SharedLog promises, and what only Kafka makes difficult.
#include "journal/kafka_log.h"

#include <fmt/format.h>

#include "journal/kafka/server_model.h"
#include "journal/kafka_client.h"
#include "journal/kafka_fold.h"
#include "journal/open_log.h"
#include "journal/shared_log_contract.h"
#include "journal/throwaway.h"

namespace rein {
namespace {

std::string& kafka_place() {
  static std::string address;
  return address;
}

INSTANTIATE_TEST_SUITE_P(Kafka, SharedLogContract,
                         testing::Values(LogMaker{
                             "kafka",
                             [] {
                               kafka_place() = shared_brokers().new_place();
                               return open_shared_log(kafka_place()).value();
                             },
                             [] { return open_shared_log(kafka_place()).value(); }}),
                         name_of_maker);

class KafkaBrokerTest : public testing::Test {
 protected:
  std::shared_ptr<SharedLog> open() { return open_kafka_log(place_).value(); }
  std::unique_ptr<LogJournal> claim(const std::string& node) {
    return LogJournal::claim(open(), "m", node, true).value();
  }
  Reading reading() {
    const auto journal = LogJournal::follow(open(), "m").value();
    return reading_of(*journal, journal->first());
  }
  // A message as somebody else would send it.
  void send(const std::string& topic, std::string_view bytes) {
    const auto address = kafka::parse_address(place_).value();
    std::atomic<int> outcomes{0};
    const auto client = kafka::Client::connect(address, std::chrono::milliseconds(5'000),
                                               [&](auto, const std::string& error, auto) {
                                                 EXPECT_EQ(error, "");
                                                 ++outcomes;
                                               })
                            .value();
    client->send(topic, {}, bytes, 1).check();
    wait_until("the message is sent", [&] { return outcomes != 0; });
  }

  const std::string place_ = shared_brokers().new_place();
  const std::string topic_ = kafka::parse_address(place_).value().journal("m");
};

TEST_F(KafkaBrokerTest, AMessageOfAZombieIsInTheTopicAndNotInTheJournal) {
  const auto first = claim("a");
  append_next(*first, 3).check();
  const std::uint64_t chain = first->chain();
  const auto second = claim("b");
  const std::string late = "late";
  send(topic_, kafka::bytes_of(kafka::ModelMessage{.id = {.sender = 1, .number = 1},
                                                   .epoch = 1,
                                                   .last = 3,
                                                   .chain = chain,
                                                   .chain_after = chained(chain, 4, late),
                                                   .node = {},
                                                   .entries = {late}}));
  append_next(*second, 2).check();
  EXPECT_TRUE(reading().exact);
  EXPECT_EQ(reading().last, 5);
}

TEST_F(KafkaBrokerTest, AMessageThatReinDidNotWriteStopsTheModel) {
  const auto journal = claim("a");
  append_next(*journal, 3).check();
  send(topic_, "something else");
  EXPECT_FALSE(append_next(*journal, 1).ok());
  EXPECT_EQ(LogJournal::follow(open(), "m").reason(), Reason::kCorrupt);
}

// More than stays in memory, so that old entries come from the topic and marks are used.
TEST_F(KafkaBrokerTest, OldEntriesAreReadFromTheTopicAndDroppedFromIt) {
  const auto log = open();
  const auto journal = LogJournal::claim(log, "m", "a", true).value();
  const std::string large(1 << 20, 'l');
  std::vector<std::uint64_t> chains{journal->chain()};
  for (int group = 0; group < 30; ++group) {
    journal->append(std::vector<std::string_view>{"small", large}).check();
    chains.push_back(journal->chain());
  }
  const auto there = open();
  std::int64_t seen = 0;
  LogJournal::follow(there, "m").value()->read(1, [&](std::int64_t number, std::string_view bytes) -> Result<bool> {
    EXPECT_EQ(number, ++seen);
    EXPECT_EQ(bytes.size(), number % 2 == 1 ? 5U : large.size());
    return true;
  }).check();
  EXPECT_EQ(seen, 60);
  for (int group = 30; group > 0; group -= 7) {
    EXPECT_EQ(journal->chain_at(2 * group).value(), chains[static_cast<std::size_t>(group)]);
  }
  journal->drop_before(42).check();  // in the middle of a group
  const auto late = open();
  const LogHead head = late->head("m").value();
  EXPECT_EQ(head.first, 42);
  EXPECT_EQ(head.last, 60);
  EXPECT_EQ(late->read("m", 41, 100).reason(), Reason::kInvalid);
  const LogSlice slice = late->read("m", 42, 1).value();
  EXPECT_EQ(slice.entries.at(0).bytes.size(), large.size());
  EXPECT_EQ(slice.before, head.before);
  EXPECT_EQ(slice.entries.at(0).chain, chains[21]);
}

TEST_F(KafkaBrokerTest, WhatIsRiskyIsSaid) {
  std::vector<std::string> notices;
  const auto log = open_kafka_log(place_, {.notice = [&](const std::string& text) { notices.push_back(text); }});
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_NE(notices[0].find("memory of its brokers"), std::string::npos);
  notices.clear();
  const std::string one = shared_brokers().new_place() + "?replicas=1&topic.flush.messages=1";
  open_kafka_log(one, {.notice = [&](const std::string& text) { notices.push_back(text); }}).value();
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_NE(notices[0].find("1 copies"), std::string::npos);
}

TEST(KafkaAddressesTest, WhatCannotBeOpenedSaysWhy) {
  const auto nobody = open_kafka_log("kafka://127.0.0.1:9/shop", {.deadline = std::chrono::milliseconds(300)});
  EXPECT_EQ(nobody.reason(), Reason::kFailed);
  EXPECT_NE(nobody.error().find("127.0.0.1:9"), std::string::npos);
  EXPECT_NE(open_shared_log("mysql://h/d").error().find("accepted: postgres://"), std::string::npos);
  EXPECT_NE(open_shared_log("kafka://h/shop?security.protocol=magic").error().find("security.protocol"),
            std::string::npos);
}

}  // namespace
}  // namespace rein
