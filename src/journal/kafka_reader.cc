#include "journal/kafka_reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace rein::kafka {
namespace {

// How many readers may read on where they were: a takeover of several models, and an export.
constexpr std::size_t kCursors = 16;
constexpr int kReaderPollMillis = 100;

// Ends what was started, also if the caller throws.
struct Stop {
  rd_kafka_topic_t* topic;
  ~Stop() { rd_kafka_consume_stop(topic, 0); }
};

}  // namespace

Result<> Reader::scan(const std::string& topic, std::int64_t from, std::int64_t end,
                      milliseconds deadline, const Each& each) {
  if (from >= end) return {};
  const std::lock_guard lock(mutex_);
  const auto last_call = [&] { return Clock::now() + deadline; };
  auto until = last_call();
  if (consumer_ == nullptr) {
    auto made = make_consumer(address_);
    if (!made) return made.failure();
    consumer_ = std::move(made).value();
  }
  const Owned<rd_kafka_topic_t> handle(rd_kafka_topic_new(consumer_.get(), topic.c_str(), nullptr));
  if (handle == nullptr || rd_kafka_consume_start(handle.get(), 0, from) != 0) {
    return Error{fmt::format("Kafka: topic {}: {}", topic, rd_kafka_err2str(rd_kafka_last_error())),
                 Reason::kFailed};
  }
  const Stop stop{handle.get()};
  while (true) {
    const Owned<rd_kafka_message_t> message(rd_kafka_consume(handle.get(), 0, kReaderPollMillis));
    if (message != nullptr && message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      if (message->offset >= end) return {};
      auto goes_on = each(*message);
      if (!goes_on) return goes_on.failure();
      if (!goes_on.value() || message->offset + 1 >= end) return {};
      until = last_call();
    } else if (message != nullptr && message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      if (message->offset >= end) return {};
    } else if (message != nullptr && message->err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET) {
      return Error{fmt::format("topic {} has no messages from offset {} on", topic, from),
                   Reason::kCorrupt};
    }
    if (Clock::now() >= until) {
      return Error{fmt::format("Kafka: topic {} cannot be read: no answer in time", topic),
                   Reason::kFailed};
    }
  }
}

Mark Reader::nearest(const std::string& model, Mark mark, std::int64_t from) {
  const std::lock_guard lock(cursors_mutex_);
  for (const Cursor& cursor : cursors_) {
    if (cursor.model == model && cursor.mark.head.last < from && cursor.mark.offset > mark.offset) {
      mark = cursor.mark;
    }
  }
  return mark;
}

void Reader::remember(const std::string& model, const Mark& mark) {
  const std::lock_guard lock(cursors_mutex_);
  if (cursors_.size() == kCursors) cursors_.erase(cursors_.begin());
  cursors_.push_back({model, mark});
}

Result<LogSlice> Reader::entries(const std::string& model, Mark mark, std::int64_t end,
                                 std::int64_t from, std::size_t most_bytes, milliseconds deadline) {
  mark = nearest(model, std::move(mark), from);
  LogSlice slice{.from = from, .before = mark.head.chain, .entries = {}};
  std::size_t bytes = 0;
  Mark place = mark;  // before the message that comes next
  Mark reached = mark;
  auto scanned = scan(
      address_.journal(model), mark.offset, end, deadline,
      [&](const rd_kafka_message_t& raw) -> Result<bool> {
        auto message = model_message(value_of(raw).value_or(std::string_view()));
        if (!message) return message.failure();
        reached = place;
        std::int64_t number = place.head.last;
        std::uint64_t chain = place.head.chain;
        auto accepted = fold(place.head, message.value());
        if (!accepted) return accepted.failure();
        place.offset = raw.offset + 1;
        if (!accepted.value()) return true;
        for (const std::string_view entry : message.value().entries) {
          const std::uint64_t before = chain;
          chain = chained(chain, ++number, entry);
          if (number < from) continue;
          bytes += entry.size();
          if (bytes > most_bytes && !slice.entries.empty()) return false;
          if (slice.entries.empty()) slice.before = before;
          slice.entries.push_back({std::string(entry), chain, message.value().epoch});
        }
        return bytes < most_bytes;
      });
  if (!scanned) return scanned.failure().in("model " + model + ": ");
  const std::int64_t next = from + static_cast<std::int64_t>(slice.entries.size());
  remember(model, place.head.last < next ? place : reached);
  return slice;
}

Result<Mark> Reader::place_before(const std::string& model, Mark mark, std::int64_t end,
                                  std::int64_t number, milliseconds deadline) {
  Mark place = std::move(mark);
  auto scanned = scan(address_.journal(model), place.offset, end, deadline,
                      [&](const rd_kafka_message_t& raw) -> Result<bool> {
                        auto message = model_message(value_of(raw).value_or(std::string_view()));
                        if (!message) return message.failure();
                        LogHead after = place.head;
                        auto accepted = fold(after, message.value());
                        if (!accepted) return accepted.failure();
                        if (after.last >= number) return false;
                        place = {.offset = raw.offset + 1, .head = std::move(after)};
                        return true;
                      });
  if (!scanned) return scanned.failure().in("model " + model + ": ");
  return place;
}

}  // namespace rein::kafka
