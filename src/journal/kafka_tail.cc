#include "journal/kafka_tail.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <utility>

namespace rein::kafka {
namespace {

// Messages that are folded before those who wait are let in.
constexpr std::size_t kBatch = 256;
constexpr int kTailPollMillis = 100;
// The newest entries of a model that stay in memory, for nodes that follow it and owners that look back.
constexpr std::size_t kNewestBytes = std::size_t{4} << 20U;
// A mark is due after so many bytes of entries, so that a start and a read have not much more to read.
constexpr std::size_t kMarkBytes = std::size_t{8} << 20U;

std::uint64_t random_name() {
  std::random_device source;
  return (std::uint64_t{source()} << 32U) | source();
}

}  // namespace

Tail::Tail(const Address& address) : address_(address), sender_(random_name()) {}

Result<std::unique_ptr<Tail>> Tail::start(const Address& address) {
  std::unique_ptr<Tail> tail(new Tail(address));
  auto consumer = make_consumer(address);
  if (!consumer) return consumer.failure();
  tail->consumer_ = std::move(consumer).value();
  tail->queue_.reset(rd_kafka_queue_new(tail->consumer_.get()));
  if (auto begun = tail->begin(address.directory(), "", {.offset = RD_KAFKA_OFFSET_BEGINNING, .head = {}});
      !begun) {
    return begun.failure();
  }
  tail->thread_ = std::thread([self = tail.get()] { self->run(); });
  return tail;
}

Tail::~Tail() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  if (thread_.joinable()) thread_.join();
  for (auto& [topic, shelf] : shelves_) rd_kafka_consume_stop(shelf.topic.get(), 0);
  shelves_.clear();
  queue_.reset();
}

Result<> Tail::begin(const std::string& topic, const std::string& model, const Mark& mark) {
  Shelf& shelf = shelves_[topic];
  shelf.model = model;
  shelf.topic.reset(rd_kafka_topic_new(consumer_.get(), topic.c_str(), nullptr));
  shelf.next = std::max<std::int64_t>(mark.offset, 0);
  shelf.head = mark.head;
  shelf.newest_before = mark.head.chain;
  if (shelf.topic != nullptr &&
      rd_kafka_consume_start_queue(shelf.topic.get(), 0, mark.offset, queue_.get()) == 0) {
    return {};
  }
  Error error = kafka_failed(fmt::format("topic {}: {}", topic, rd_kafka_err2str(rd_kafka_last_error())));
  shelf.broken = error;
  return error;
}

void Tail::begin_model(const std::string& model) {
  const std::string topic = address_.journal(model);
  if (shelves_.contains(topic)) return;
  const auto& marks = directory_.models[model].marks;
  // Without a mark the topic begins with its first message, which nobody has deleted.
  static_cast<void>(begin(topic, model, marks.empty() ? Mark() : marks.rbegin()->second));
}

void Tail::follow_models() {
  const std::lock_guard lock(mutex_);
  follows_ = true;
  for (const auto& [model, known] : std::as_const(directory_.models)) {
    if (known.made) begin_model(model);
  }
}

void Tail::run() {
  std::array<rd_kafka_message_t*, kBatch> batch{};
  while (true) {
    // A batch waits for its last message, so wait for one, and take what else is there.
    rd_kafka_message_t* first = rd_kafka_consume_queue(queue_.get(), kTailPollMillis);
    ssize_t count = 0;
    if (first != nullptr) {
      batch[0] = first;
      count = 1 + std::max<ssize_t>(
                      0, rd_kafka_consume_batch_queue(queue_.get(), 0, batch.data() + 1, kBatch - 1));
    }
    const std::lock_guard lock(mutex_);
    if (ending_) {
      for (ssize_t i = 0; i < count; ++i) rd_kafka_message_destroy(batch[static_cast<std::size_t>(i)]);
      return;
    }
    const std::uint64_t entries = entries_;
    for (ssize_t i = 0; i < count; ++i) {
      const Owned<rd_kafka_message_t> message(batch[static_cast<std::size_t>(i)]);
      take(*message);
    }
    if (count > 0) moved_.notify_all();
    if (entries_ != entries) came_.notify_all();
  }
}

void Tail::take(const rd_kafka_message_t& message) {
  if (message.rkt == nullptr) return;
  const auto found = shelves_.find(rd_kafka_topic_name(message.rkt));
  if (found == shelves_.end()) return;
  Shelf& shelf = found->second;
  if (message.err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
    shelf.next = std::max(shelf.next, message.offset);
    return;
  }
  if (message.err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET) {
    shelf.broken = Error{fmt::format("topic {} has no messages from offset {} on: it was deleted, or has "
                                     "lost its end",
                                     found->first, shelf.next),
                         Reason::kCorrupt};
    return;
  }
  // Other errors pass: the library goes on by itself.
  if (message.err != RD_KAFKA_RESP_ERR_NO_ERROR || shelf.broken || message.offset < shelf.next) return;
  shelf.model.empty() ? take_directory(shelf, message) : take_model(shelf, message);
  shelf.next = message.offset + 1;
}

void Tail::take_directory(Shelf& shelf, const rd_kafka_message_t& message) {
  rd_kafka_timestamp_type_t type{};
  const std::int64_t at = rd_kafka_message_timestamp(&message, &type);
  auto folded = directory_.fold(key_of(message), value_of(message), at);
  if (!folded) {
    shelf.broken = folded.failure();
    return;
  }
  if (follows_ && !folded.value().model.empty()) begin_model(folded.value().model);
  settle(folded.value().id,
         {.accepted = folded.value().accepted, .offset = message.offset, .at = at, .head = {}});
}

void Tail::take_model(Shelf& shelf, const rd_kafka_message_t& message) {
  const std::string where = "model " + shelf.model + ": ";
  auto read = model_message(value_of(message).value_or(std::string_view()));
  if (!read) {
    shelf.broken = read.failure().in(where);
    return;
  }
  const std::uint64_t before = shelf.head.chain;
  auto accepted = fold(shelf.head, read.value());
  if (!accepted) {
    shelf.broken = accepted.failure().in(where);
    return;
  }
  if (accepted.value() && read.value().kind == ModelMessage::Kind::kGroup) {
    keep(shelf, read.value(), before);
  }
  Verdict verdict{.accepted = accepted.value(), .offset = message.offset, .at = 0, .head = {}};
  if (read.value().id.sender != sender_) return;
  verdict.head = shelf.head;
  verdict.mark_due = shelf.since_mark >= kMarkBytes;
  if (verdict.mark_due) shelf.since_mark = 0;
  settle(read.value().id, std::move(verdict));
}

void Tail::keep(Shelf& shelf, const ModelMessage& message, std::uint64_t before) {
  std::int64_t number = message.last;
  std::uint64_t chain = before;
  for (const std::string_view bytes : message.entries) {
    chain = chained(chain, ++number, bytes);
    shelf.newest.push_back({std::string(bytes), chain, message.epoch});
    shelf.newest_bytes += bytes.size();
    shelf.since_mark += bytes.size();
    ++entries_;
  }
  while (shelf.newest_bytes > kNewestBytes) {
    shelf.newest_bytes -= shelf.newest.front().bytes.size();
    shelf.newest_before = shelf.newest.front().chain;
    shelf.newest.pop_front();
  }
}

MessageId Tail::announce() {
  const std::lock_guard lock(mutex_);
  pending_[++numbers_] = std::make_shared<Pending>();
  return {.sender = sender_, .number = numbers_};
}

MessageId Tail::named() {
  const std::lock_guard lock(mutex_);
  return {.sender = sender_, .number = ++numbers_};
}

void Tail::settle(const MessageId& id, Verdict verdict) {
  if (id.sender != sender_) return;
  const auto found = pending_.find(id.number);
  if (found == pending_.end() || found->second->verdict) return;
  found->second->verdict = std::move(verdict);
  found->second->done.notify_all();
}

void Tail::outcome(std::uint64_t number, const std::string& error, std::int64_t offset) {
  const std::lock_guard lock(mutex_);
  const auto found = pending_.find(number);
  if (found == pending_.end()) return;
  found->second->error = error;
  if (error.empty()) found->second->acknowledged = offset;
  found->second->done.notify_all();
}

Result<Verdict> Tail::wait_for(MessageId id, Clock::time_point until) {
  std::unique_lock lock(mutex_);
  const auto found = pending_.find(id.number);
  const std::shared_ptr<Pending> pending = found->second;
  pending->done.wait_until(lock, until, [&] { return pending->verdict || !pending->error.empty(); });
  pending_.erase(id.number);
  if (pending->verdict) return *pending->verdict;
  if (!pending->error.empty()) return kafka_failed("a message was not acknowledged: " + pending->error);
  return kafka_failed("a message did not come back in time");
}

Result<std::int64_t> Tail::wait_acknowledged(MessageId id, Clock::time_point until) {
  std::unique_lock lock(mutex_);
  const std::shared_ptr<Pending> pending = pending_.find(id.number)->second;
  pending->done.wait_until(lock, until,
                           [&] { return pending->acknowledged || !pending->error.empty(); });
  pending_.erase(id.number);
  if (pending->acknowledged) return *pending->acknowledged;
  return kafka_failed("a message was not acknowledged" +
                (pending->error.empty() ? " in time" : ": " + pending->error));
}

Result<> Tail::wait_until(const std::string& topic, std::int64_t end, Clock::time_point until) {
  std::unique_lock lock(mutex_);
  const auto there = [&] {
    const auto found = shelves_.find(topic);
    return found != shelves_.end() && (found->second.broken || found->second.next >= end);
  };
  if (!moved_.wait_until(lock, until, there)) {
    return kafka_failed(fmt::format("topic {} was not read to offset {} in time", topic, end));
  }
  const Shelf& shelf = shelves_.find(topic)->second;
  return shelf.broken ? Result<>(*shelf.broken) : Result<>();
}

Result<std::optional<LogHead>> Tail::head(const std::string& model) {
  const std::lock_guard lock(mutex_);
  const auto found = shelves_.find(address_.journal(model));
  if (found == shelves_.end()) return std::optional<LogHead>();
  if (found->second.broken) return *found->second.broken;
  return std::optional(found->second.head);
}

std::int64_t Tail::next_of(const std::string& model) {
  const std::lock_guard lock(mutex_);
  const auto found = shelves_.find(address_.journal(model));
  return found == shelves_.end() ? 0 : found->second.next;
}

std::map<std::string, LogHead> Tail::heads() {
  const std::lock_guard lock(mutex_);
  std::map<std::string, LogHead> found;
  for (const auto& [topic, shelf] : shelves_) {
    if (!shelf.model.empty()) found[shelf.model] = shelf.head;
  }
  return found;
}

std::optional<LogSlice> Tail::recent(const std::string& model, std::int64_t from, std::size_t most_bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = shelves_.find(address_.journal(model));
  if (found == shelves_.end() || found->second.broken) return std::nullopt;
  const Shelf& shelf = found->second;
  const std::int64_t first = shelf.head.last - static_cast<std::int64_t>(shelf.newest.size()) + 1;
  if (from < first) return std::nullopt;
  LogSlice slice{.from = from, .before = shelf.head.chain, .entries = {}};
  if (from > shelf.head.last) return slice;
  auto at = static_cast<std::size_t>(from - first);
  slice.before = at == 0 ? shelf.newest_before : shelf.newest[at - 1].chain;
  for (std::size_t bytes = 0; at < shelf.newest.size(); ++at) {
    bytes += shelf.newest[at].bytes.size();
    if (bytes > most_bytes && !slice.entries.empty()) break;
    slice.entries.push_back(shelf.newest[at]);
  }
  return slice;
}

void Tail::wait_for_entries(milliseconds most) {
  std::unique_lock lock(mutex_);
  came_.wait_for(lock, most, [&] { return entries_ != entries_seen_; });
  entries_seen_ = entries_;
}

}  // namespace rein::kafka
