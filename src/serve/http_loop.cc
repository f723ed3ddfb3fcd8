#include "serve/http_loop.h"

#include <algorithm>
#include <boost/asio/post.hpp>

#include "serve/http_answer.h"
#include "serve/http_connection.h"

namespace rein::serve {
namespace {

constexpr std::size_t kScratchBytes = 64 << 10;
constexpr std::size_t kKeptBytes = 1 << 20;

// Deadlines are looked at once per tick, for all connections. That is cheaper than a timer for each,
// and late by at most a tenth.
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

HttpLoop::~HttpLoop() { mailbox_->close(); }

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

void HttpLoop::take_letters() {
  mailbox_->take(letters_);
  for (Letter& letter : letters_) {
    const Place& place = places_[letter.to.place];
    if (place.connection == nullptr || place.generation != letter.to.generation) {
      if (letter.stream != nullptr) letter.stream->closed = true;
      continue;  // the caller has gone; nobody waits for this answer
    }
    const auto connection = place.connection;
    connection->guarded([&] { connection->take(letter); });
  }
  letters_.clear();
  for (const auto& connection : to_flush_) {
    connection->guarded([&] { connection->flush(); });
  }
  to_flush_.clear();
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
