#include "http/loop.h"

#include <algorithm>
#include <boost/asio/post.hpp>

#include "http/answer.h"
#include "http/connection.h"

namespace rein::serve {
namespace {

constexpr std::size_t kScratchBytes = 64 << 10;
constexpr std::size_t kKeptBytes = 1 << 20;
// A turn ends after so many bytes: less than a millisecond of copying. Connections whose clients do not
// read, or that got large answers all at once, then cannot hold up the others.
constexpr std::size_t kTurnBytes = 1 << 20;
// Limits of the bytes that a connection sends in its turn. Below the lower limit, the calls cost
// more than the bytes.
constexpr std::size_t kLeastShare = 8 << 10;
constexpr std::size_t kMostShare = 64 << 10;
constexpr std::size_t kLetterBytes = 1024;  // what a letter counts besides the bytes that it sends

// Deadlines of all connections are checked once per tick. That is cheaper than a timer per
// connection, and late by at most a tenth.
HttpClock::duration tick_of(const HttpOptions& options) {
  const double least =
      std::min({options.request_seconds, options.idle_seconds, options.ping_seconds});
  return as_duration(std::clamp(least / 10.0, 0.01, 0.5));
}

}  // namespace

HttpLoop::HttpLoop(HttpShared& shared)
    : scratch(kScratchBytes),
      shared_(shared),
      mailbox_(std::make_shared<Mailbox>(
          [this] { boost::asio::post(io_, [this] { take_letters(); }); })),
      date_(http_date()),
      period_(tick_of(shared.options)) {}

HttpLoop::~HttpLoop() {
  mailbox_->close();
  for (const Letter& letter : letters_) {
    if (letter.stream != nullptr) letter.stream->closed = true;
  }
}

void HttpLoop::run() {
  tick();
  io_.run();
  mailbox_->close();
  for (Place& place : places_) {
    if (const auto connection = place.connection) connection->close();
  }
}

void HttpLoop::adopt(HttpSocket socket, bool too_many) {
  if (stopping_) return;
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(places_.size()));
    places_.emplace_back();
  }
  const std::uint32_t place = free_.back();
  free_.pop_back();
  Place& here = places_[place];
  ++open_;
  shared_.connections.fetch_add(1, std::memory_order_relaxed);
  here.connection = std::make_shared<HttpConnection>(
      *this, std::move(socket), ReplyAddress{.place = place, .generation = here.generation});
  const auto connection = here.connection;
  connection->guarded([&] { connection->start(too_many); });
}

void HttpLoop::remove(std::uint32_t place) {
  places_[place].connection.reset();
  ++places_[place].generation;
  free_.push_back(place);
  --open_;
  shared_.connections.fetch_sub(1, std::memory_order_relaxed);
  finish_if_done();
}

void HttpLoop::flush_later(std::shared_ptr<HttpConnection> connection) {
  to_flush_.push_back(std::move(connection));
}

void HttpLoop::work(std::size_t bytes) {
  turn_ += bytes;
  auto& longest = shared_.longest_turn;
  const auto turn = static_cast<std::int64_t>(turn_);
  std::int64_t before = longest.load(std::memory_order_relaxed);
  while (turn > before && !longest.compare_exchange_weak(before, turn)) {
  }
}

std::size_t HttpLoop::share() const {
  return std::clamp(kTurnBytes / (behind_.size() + 1), kLeastShare, kMostShare);
}

void HttpLoop::take_letters() {
  begin_turn();
  for (;;) {
    if (next_letter_ == letters_.size()) {
      letters_.clear();
      next_letter_ = 0;
      mailbox_->take(letters_);
      if (letters_.empty()) break;
    }
    if (turn_ >= kTurnBytes) {
      boost::asio::post(io_, [this] { take_letters(); });
      break;
    }
    deliver(letters_[next_letter_++]);
  }
  for (const auto& connection : to_flush_) {
    connection->guarded([&] { connection->flush(); });
  }
  to_flush_.clear();
}

void HttpLoop::deliver(Letter& letter) {
  work(kLetterBytes);
  const Place& place = places_[letter.to.place];
  if (place.connection == nullptr || place.generation != letter.to.generation) {
    if (letter.stream != nullptr) letter.stream->closed = true;
    letter = {};  // the caller has gone; nobody waits for this answer
    return;
  }
  const auto connection = place.connection;
  connection->guarded([&] { connection->take(letter); });
  letter = {};
}

void HttpLoop::tick() {
  const HttpTime now = HttpClock::now();
  date_ = http_date();
  for (std::string* buffer : {&out, &lines}) {  // after a large answer
    if (buffer->capacity() > kKeptBytes) std::string().swap(*buffer);
  }
  const bool late = stopping_ && now >= deadline_;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const auto connection = places_[i].connection;
    if (connection == nullptr) continue;
    late ? connection->close() : connection->guarded([&] { connection->tick(now); });
  }
  if (late) io_.stop();
  timer_.expires_after(stopping_ ? std::min(period_, as_duration(0.01)) : period_);
  timer_.async_wait([this](boost::system::error_code error) {
    if (!error) tick();
  });
}

void HttpLoop::begin_stop(HttpTime deadline) {
  if (stopping_) {
    deadline_ = std::min(deadline_, deadline);
    return;
  }
  stopping_ = true;
  deadline_ = deadline;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const auto connection = places_[i].connection;
    if (connection != nullptr) connection->guarded([&] { connection->stop(); });
  }
  timer_.cancel();
  tick();
  finish_if_done();
}

void HttpLoop::finish_if_done() {
  if (stopping_ && open_ == 0) io_.stop();
}

}  // namespace rein::serve
