// What messages in Kafka mean, without a broker.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "journal/kafka_address.h"
#include "journal/kafka_directory.h"

namespace rein::kafka {
namespace {

ModelMessage claim_of(const std::string& node, std::int64_t epoch) {
  return {.kind = ModelMessage::Kind::kClaim, .id = {}, .epoch = epoch, .node = node, .entries = {}};
}

ModelMessage group_of(const LogHead& head, std::vector<std::string_view> entries) {
  ModelMessage group{.id = {.sender = 7, .number = 9},
                     .epoch = head.epoch,
                     .last = head.last,
                     .chain = head.chain,
                     .chain_after = head.chain,
                     .node = {},
                     .entries = std::move(entries)};
  std::int64_t number = head.last;
  for (const auto entry : group.entries) group.chain_after = chained(group.chain_after, ++number, entry);
  return group;
}

TEST(KafkaFoldTest, AMessageComesBackAsItWas) {
  const std::string large(3'000, 'x');
  const LogHead head{.first = 1, .before = 5, .last = 7, .chain = 8, .epoch = 2, .owner = "a"};
  const std::string bytes = bytes_of(group_of(head, {"one", "", large}));
  const ModelMessage back = model_message(bytes).value();
  EXPECT_EQ(back.entries, (std::vector<std::string_view>{"one", "", large}));
  EXPECT_EQ(back.id.sender, 7U);
  EXPECT_EQ(back.id.number, 9U);
  EXPECT_EQ(back.last, 7);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(model_message(std::string_view(bytes).substr(0, size)).reason(), Reason::kCorrupt) << size;
  }
  EXPECT_EQ(model_message(bytes + "x").reason(), Reason::kCorrupt);
  EXPECT_EQ(bytes_of(log_head(bytes_of(head)).value()), bytes_of(head));
}

TEST(KafkaFoldTest, OnlyTheRightEpochAndPlaceAreAccepted) {
  LogHead head;
  EXPECT_FALSE(fold(head, group_of(head, {"before any claim"})).value());
  EXPECT_TRUE(fold(head, claim_of("a", 1)).value());
  const ModelMessage group = group_of(head, {"one", "two"});
  EXPECT_TRUE(fold(head, group).value());
  EXPECT_FALSE(fold(head, group).value()) << "a message that the producer repeated";
  const ModelMessage late = group_of(head, {"three"});
  EXPECT_TRUE(fold(head, claim_of("b", 2)).value());
  EXPECT_FALSE(fold(head, claim_of("c", 2)).value()) << "of two claims the second is late";
  EXPECT_FALSE(fold(head, late).value()) << "of an owner that was replaced";
  EXPECT_EQ(head.last, 2);
  EXPECT_EQ(head.owner, "b");
  ModelMessage drop{.kind = ModelMessage::Kind::kDrop, .id = {}, .epoch = 1, .last = 1, .node = {}, .entries = {}};
  EXPECT_FALSE(fold(head, drop).value());
  drop.epoch = 2;
  EXPECT_TRUE(fold(head, drop).value());
  EXPECT_EQ(head.first, 2);
}

TEST(KafkaFoldTest, EntriesThatWereChangedAreFound) {
  LogHead head;
  fold(head, claim_of("a", 1)).value();
  ModelMessage group = group_of(head, {"one"});
  group.entries = {"onf"};
  EXPECT_EQ(fold(head, group).reason(), Reason::kCorrupt);
  EXPECT_EQ(head.last, 0);
}

// Another process than the one that folds: every message has its own sender.
class KafkaDirectoryTest : public testing::Test {
 protected:
  bool lease(const std::string& holder, std::int64_t version, std::int64_t millis,
             const std::string& from = {}) {
    const LeaseMessage message{.version = version, .from = from, .holder = holder, .millis = millis};
    return directory_.fold(lease_key("m"), lease_bytes({}, message), now_).value().accepted;
  }
  void beat(const std::string& node, std::vector<std::string> held) {
    const NodeBeat beat{.node = node, .address = "x:1", .lease = std::chrono::milliseconds(100),
                        .held = std::move(held), .followed = {{"m", 3}}};
    directory_.fold(node_key(node), beat_bytes({}, beat), now_).value();
  }
  const Lease& its() { return directory_.models.at("m").lease; }

  DirectoryState directory_;
  std::int64_t now_ = 1'000;
};

TEST_F(KafkaDirectoryTest, OfTwoThatTakeALeaseAtOnceTheSecondIsRefused) {
  EXPECT_TRUE(lease("a", 0, 100));
  EXPECT_FALSE(lease("b", 0, 100));
  EXPECT_FALSE(lease("b", 1, 100)) << "it has not ended";
  now_ += 100;
  EXPECT_TRUE(lease("b", 1, 100));
  beat("a", {"m"});
  EXPECT_EQ(its().holder, "b") << "an old holder gets nothing back";
}

TEST_F(KafkaDirectoryTest, BeatsExtendWhatIsHeldAndEndWhatIsNot) {
  EXPECT_TRUE(lease("a", 0, 100));
  now_ += 50;
  beat("a", {"m"});
  EXPECT_EQ(its().until, 1'150);
  EXPECT_EQ(directory_.nodes.at("a").followed.at(0).position, 3);
  beat("a", {});
  EXPECT_EQ(its().holder, "");
  EXPECT_TRUE(lease("a", 1, 100));
  EXPECT_TRUE(lease("b", 2, 100, "a"));
  beat("b", {});
  EXPECT_EQ(its().holder, "b") << "it has not noticed yet";
  beat("b", {"m"});
  beat("b", {});
  EXPECT_EQ(its().holder, "");
}

// Kafka kept a refused message as the last of its key.
TEST_F(KafkaDirectoryTest, AfterCompactionTheTrueHolderIsFoundAgain) {
  EXPECT_TRUE(lease("late", 6, 100)) << "the accepted messages before it are gone";
  now_ += 101;
  beat("true", {"m"});
  EXPECT_EQ(its().holder, "true");
}

TEST_F(KafkaDirectoryTest, MarksAndSnapshotsAreKeptByPositionAndDeleted) {
  const Mark mark{.offset = 12, .head = {.first = 1, .before = 1, .last = 40, .chain = 3, .epoch = 2, .owner = "a"}};
  directory_.fold(mark_key("m", 40), mark_bytes({}, mark), now_).value();
  EXPECT_EQ(directory_.models.at("m").marks.at(40).head.owner, "a");
  const Manifest manifest{.chain = 4, .length = 10, .pieces = 1, .checksum = 5, .upload = 6, .first = 7, .after = 8};
  directory_.fold(snapshot_key("m", 40), manifest_bytes({}, manifest), now_).value();
  EXPECT_EQ(directory_.models.at("m").snapshots.at(40).after, 8);
  directory_.fold(mark_key("m", 40), std::nullopt, now_).value();
  EXPECT_TRUE(directory_.models.at("m").marks.empty());
  EXPECT_FALSE(directory_.has("m"));
  EXPECT_EQ(directory_.fold(model_key("m"), plain_bytes({}), now_).value().model, "m");
  EXPECT_TRUE(directory_.has("m"));
  EXPECT_EQ(directory_.fold("mark/m/x", plain_bytes({}), now_).reason(), Reason::kCorrupt);
  EXPECT_EQ(directory_.fold("song/m", plain_bytes({}), now_).reason(), Reason::kCorrupt);
  EXPECT_EQ(directory_.fold("node/a", "bytes of another program", now_).reason(), Reason::kCorrupt);
}

TEST(KafkaAddressTest, TheAddressIsRead) {
  const Address address =
      parse_address("kafka://h1:1,h2:2/shop?replicas=1&topic.flush.messages=1&sasl.password=a%26b").value();
  EXPECT_EQ(address.brokers, "h1:1,h2:2");
  EXPECT_EQ(address.name, "shop");
  EXPECT_EQ(address.replicas, 1);
  EXPECT_EQ(address.topic, (Address::Settings{{"flush.messages", "1"}}));
  EXPECT_EQ(address.client, (Address::Settings{{"sasl.password", "a&b"}}));
  EXPECT_EQ(address.journal("a.b_c-D"), "shop.journal.a_2eb_5fc-D");
}

TEST(KafkaAddressTest, WhatIsNoAddressIsRefusedByName) {
  const auto why = [](const std::string& text) { return parse_address(text).error(); };
  EXPECT_NE(why("kafka://h1:1").find("name"), std::string::npos);
  EXPECT_NE(why("kafka:///shop").find("broker"), std::string::npos);
  EXPECT_NE(why("kafka://h/sh.op").find("sh.op"), std::string::npos);
  EXPECT_NE(why("kafka://h/shop?replicas=0").find("replicas=0"), std::string::npos);
  EXPECT_NE(why("kafka://h/shop?linger=0").find("linger"), std::string::npos);
}

}  // namespace
}  // namespace rein::kafka
