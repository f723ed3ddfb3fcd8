#include "serve/event.h"

#include <gtest/gtest.h>

#include "serve/model_state.h"

namespace rein::serve {
namespace {

std::string bytes_of(const Event& event) {
  std::string bytes;
  encode(event, bytes);
  return bytes;
}

Event full_event() {
  Event event{.kind = Event::Kind::kRecord,
              .at = 1'800'000'000,
              .id = 0x0123456789abcdef,
              .decided = true,
              .deferred = true,
              .mark = mark_of(3, "order-7", "decide", "{}")};
  event.status = 200;
  event.text = R"({"id":"0123456789abcdef"})";
  event.note = R"({"dropped":[]})";
  event.record = std::string("\0\1\2", 3);
  return event;
}

void expect_same(const Event& a, const Event& b) {
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.at, b.at);
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.decided, b.decided);
  EXPECT_EQ(a.deferred, b.deferred);
  EXPECT_TRUE(a.mark.same_request(b.mark));
  EXPECT_EQ(a.mark.body, b.mark.body);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.text, b.text);
  EXPECT_EQ(a.note, b.note);
  EXPECT_EQ(a.record, b.record);
}

TEST(Event, IsReadAsItWasWritten) {
  const Event full = full_event();
  expect_same(decode_event(bytes_of(full)).value(), full);
  const Event hash{.kind = Event::Kind::kHash, .at = -5, .id = ~std::uint64_t{0}};
  expect_same(decode_event(bytes_of(hash)).value(), hash);
}

TEST(Event, OfEveryShorterLengthIsRefused) {
  const std::string bytes = bytes_of(full_event());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto read = decode_event(std::string_view(bytes).substr(0, size));
    ASSERT_FALSE(read) << size;
    EXPECT_EQ(read.reason(), Reason::kCorrupt);
  }
  EXPECT_FALSE(decode_event(bytes + '\0'));
}

// A journal has checksums. If they failed to see a flipped bit, an entry is refused, or it is another
// entry that is written exactly as it was read: no bit is without a meaning.
TEST(Event, WithAFlippedBitIsRefusedOrAnotherEvent) {
  const std::string bytes = bytes_of(full_event());
  int refused = 0;
  for (std::size_t i = 0; i < bytes.size() * 8; ++i) {
    std::string flipped = bytes;
    flipped[i / 8] = static_cast<char>(flipped[i / 8] ^ (1 << (i % 8)));
    const auto read = decode_event(flipped);
    if (!read) {
      ++refused;
    } else {
      ASSERT_EQ(bytes_of(read.value()), flipped) << "bit " << i;
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(Event, OfANewModelWithAFlippedByteMakesNoModelOrSaysWhy) {
  const ModelPlan plan = read_document(read_json(R"({"actions":["a","b"],"context":1,"seed":5})"));
  const Engine engine = make_engine(plan).value();
  const Event first = ModelState::creation(plan, engine, R"({"actions":["a","b"],"context":1})", 9);
  ASSERT_TRUE(ModelState::created(first));
  const std::string bytes = bytes_of(first);
  int refused = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string flipped = bytes;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x41);
    const auto read = decode_event(flipped);
    if (!read || !ModelState::created(read.value())) ++refused;
  }
  EXPECT_GT(refused, static_cast<int>(bytes.size()) / 2) << "snapshots of engines have a hash";
}

TEST(Event, OfAnotherVersionSaysSo) {
  std::string bytes = bytes_of({});
  bytes[1] = 3;
  const auto read = decode_event(bytes);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error(),
            "event: found version 3 (a newer program wrote it); accepted: versions 1 to 2");
  EXPECT_EQ(read.reason(), Reason::kFailed) << "it is not damaged";
}

}  // namespace
}  // namespace rein::serve
