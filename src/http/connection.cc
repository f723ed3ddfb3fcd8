#include "http/connection.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <boost/asio/ip/tcp.hpp>
#include <cerrno>

namespace rein::serve {
namespace {

using boost::system::error_code;

// After the last answer, so long and so many bytes may still come and are read past.
constexpr double kLingerSeconds = 1.0;
constexpr std::size_t kLingerBytes = 8 << 20;
constexpr std::size_t kKeptCapacity = 4096;  // of the buffer of an idle connection
// Bytes of a request that no budget counts, so that requests of this size always have room. With
// the default limit on connections these are 64 MiB together.
constexpr std::size_t kFreeBytes = 4096;
// Bytes of answers that the system may keep per connection (the system takes twice as many).
// Without this limit Linux keeps up to 4 MiB: with 500 clients that do not read, 2 GiB that no
// budget counts.
constexpr int kSystemBytes = 128 << 10;
constexpr double kTokenSeconds = 1.0;  // that an answer waits after many wrong tokens

}  // namespace

HttpConnection::HttpConnection(HttpLoop& loop, HttpSocket socket, ReplyAddress address)
    : loop_(loop),
      options_(loop.shared().options),
      socket_(std::move(socket)),
      address_(address),
      since_(HttpClock::now()),
      input_(loop.shared().memory, MemoryUse::kRequest),
      output_(loop.shared().memory, MemoryUse::kAnswer) {
  error_code ignored;
  from_ = socket_.remote_endpoint(ignored).address().to_string();
}

void HttpConnection::start(bool too_many) {
  error_code ignored;
  static_cast<void>(socket_.set_option(boost::asio::ip::tcp::no_delay(true), ignored));
  static_cast<void>(
      socket_.set_option(boost::asio::socket_base::send_buffer_size(kSystemBytes), ignored));
  if (too_many) {
    return refuse({503, "busy",
                   fmt::format("{} connections are open; accepted are at most so many",
                               options_.most_connections)});
  }
  want_read();
}

void HttpConnection::close() {
  if (state_ == State::kClosed) return;
  if (state_ == State::kWaiting) loop_.shared().tokens.waited(TokenGuard::key_of(from_));
  state_ = State::kClosed;
  if (stream_ != nullptr) stream_->closed = true;
  count_stream(false);
  if (behind_) loop_.behind().erase(*behind_);
  behind_.reset();
  input_.clear();
  output_.clear();
  error_code ignored;
  static_cast<void>(socket_.close(ignored));
  loop_.remove(address_.place);
}

void HttpConnection::want_read() {
  if (reading_ || state_ == State::kClosed) return;
  reading_ = true;
  socket_.async_wait(HttpSocket::wait_read, [self = shared_from_this()](error_code error) {
    self->reading_ = false;
    if (self->state_ == State::kClosed) return;
    if (error) return self->close();
    self->guarded([&] { self->read(); });
  });
}

void HttpConnection::drop() {
  loop_.shared().slow_readers.fetch_add(1, std::memory_order_relaxed);
  close();
}

void HttpConnection::read() {
  loop_.begin_turn();
  const ssize_t n =
      ::recv(socket_.native_handle(), loop_.scratch.data(), loop_.scratch.size(), MSG_DONTWAIT);
  if (n < 0) return errno == EAGAIN || errno == EINTR ? go_on_reading() : close();
  if (n == 0) return end_of_input();
  receive({loop_.scratch.data(), static_cast<std::size_t>(n)});
}

void HttpConnection::end_of_input() {
  switch (state_) {
    case State::kHead:
    case State::kBody:
      if (is_idle()) return close();
      return refuse({400, "invalid", "the connection ended within the request"});
    case State::kLines:
      return end_lines({400, "invalid", "the connection ended within the body"});
    case State::kHandling:
    case State::kWaiting:
    case State::kReplying:  // the answer still goes out
      return;
    default:
      return close();
  }
}

void HttpConnection::receive(std::string_view bytes) {
  if (is_idle()) since_ = HttpClock::now();
  consuming_ = true;
  if (state_ == State::kLingering || state_ == State::kEvents) {
    lingered_ += bytes.size();
    if (lingered_ > kLingerBytes) close();
  } else if (in_.empty()) {
    in_.assign(bytes.substr(consume(bytes)));
  } else {
    in_.append(bytes);
    in_.erase(0, consume(in_));
  }
  consuming_ = false;
  if (state_ == State::kLingering || in_.empty()) {
    in_.clear();
    if (in_.capacity() > kKeptCapacity) std::string().swap(in_);
  }
  count_input();
  go_on_reading();
}

void HttpConnection::go_on_reading() {
  switch (state_) {
    case State::kHead:
    case State::kBody:
    case State::kEvents:
    case State::kLingering:
      return want_read();
    case State::kLines:
      if (!lines_ended_ && !body_done_ && has_room()) want_read();
      return;
    default:
      return;
  }
}

std::size_t HttpConnection::consume(std::string_view bytes) {
  std::size_t at = 0;
  for (;;) {
    const State before = state_;
    const std::string_view rest = bytes.substr(at);
    std::size_t n = 0;
    if (state_ == State::kHead) {
      n = take_head(rest);
    } else if (state_ == State::kBody) {
      n = take_body(rest);
    } else if (state_ == State::kLines) {
      n = take_lines(rest);
    }
    at += n;
    if (n == 0 && state_ == before) return at;
  }
}

std::size_t HttpConnection::take_head(std::string_view bytes) {
  if (bytes.empty()) return 0;
  if (bytes.starts_with("\r\n") && !skipped_) {  // some clients end a body with an empty line
    skipped_ = true;
    scanned_ = 0;
    return 2;
  }
  plan_ = {};
  HeadScan scan = find_head(bytes, scanned_, static_cast<std::size_t>(options_.most_header_bytes));
  scanned_ = scan.scanned;
  if (scan.refusal) return refuse(*scan.refusal), bytes.size();
  if (scan.size == 0) return 0;
  scanned_ = 0;
  auto refusal = parser_.read_head(bytes.substr(0, scan.size), loop_.head);
  if (!refusal) refusal = check_head(loop_.head, loop_.shared().gate, plan_);
  plan_.expects_continue = plan_.expects_continue && bytes.size() == scan.size;
  if (plan_.shows_token && !proved_ && wait_for_token(refusal)) return scan.size;
  if (refusal && plan_.shows_token && proved_) count_wrong_token();
  if (refusal) return refuse(*refusal), bytes.size();
  begin_request();
  return scan.size;
}

// The head is complete, and accepted.
void HttpConnection::begin_request() {
  proved_ = proved_ || plan_.request.token;
  if (!input_.change(loop_.shared().gate.comes_first(plan_.request.path) ? MemoryUse::kFirstRequest
                                                                         : MemoryUse::kRequest)) {
    return refuse(no_memory(options_.most_memory_bytes));
  }
  body_.clear();
  if (!plan_.has_body) return dispatch();
  if (plan_.expects_continue) put("HTTP/1.1 100 Continue\r\n\r\n");
  if (state_ == State::kClosed) return;
  state_ = plan_.request.lines ? State::kLines : State::kBody;
  if (state_ == State::kLines) {
    since_ = HttpClock::now();
    lines_head_sent_ = body_done_ = lines_ended_ = false;
  }
}

// Whether the answer to the head waits, because somebody guesses tokens.
bool HttpConnection::wait_for_token(const std::optional<Refusal>& refusal) {
  TokenGuard& tokens = loop_.shared().tokens;
  const std::uint64_t from = TokenGuard::key_of(from_);
  const HttpTime now = HttpClock::now();
  const TokenGuard::Verdict verdict = tokens.ask(from, now);
  if (!plan_.request.token) count_wrong_token();
  if (verdict == TokenGuard::Verdict::kAtOnce) return false;
  if (verdict == TokenGuard::Verdict::kRefuse) {
    refuse({429, "rate", "too many wrong tokens came from this address; accepted: fewer, later"});
    return true;
  }
  verdict_ = refusal;
  since_ = now;
  state_ = State::kWaiting;
  return true;
}

void HttpConnection::count_wrong_token() {
  loop_.shared().tokens.failed(TokenGuard::key_of(from_), HttpClock::now());
  loop_.shared().wrong_tokens.fetch_add(1, std::memory_order_relaxed);
}

void HttpConnection::end_wait() {
  loop_.shared().tokens.waited(TokenGuard::key_of(from_));
  since_ = HttpClock::now();
  state_ = State::kHead;
  if (const auto refusal = std::exchange(verdict_, std::nullopt)) return refuse(*refusal);
  begin_request();
  receive({});
}

bool HttpConnection::hold_input() {
  const std::size_t bytes = in_.capacity() + body_.capacity() + cutter_.buffer().capacity() +
                            plan_.request.path.size() + plan_.request.query.size();
  return input_.set(bytes > kFreeBytes ? bytes : 0);
}

void HttpConnection::count_input() {
  if (state_ == State::kClosed || hold_input()) return;
  switch (state_) {
    case State::kHead:
    case State::kBody:
    case State::kLines:
      refuse(no_memory(options_.most_memory_bytes));
      break;
    case State::kWaiting:
      close();
      break;
    default:  // the request under way is answered; those that came behind it are not read
      keep_alive_ = false;
      break;
  }
  std::string().swap(in_);
  std::string().swap(body_);
  if (state_ != State::kClosed) hold_input();
}

std::size_t HttpConnection::take_body(std::string_view bytes) {
  const RequestParser::Step step = parser_.read_body(bytes, body_);
  if (step.refusal) return refuse(*step.refusal), bytes.size();
  if (static_cast<std::int64_t>(body_.size()) > options_.most_body_bytes) {
    refuse({413, "too_large",
            fmt::format("the body has more than {} bytes; accepted are at most {}",
                        options_.most_body_bytes, options_.most_body_bytes)});
    return bytes.size();
  }
  if (step.done) dispatch();
  return step.consumed;
}

void HttpConnection::dispatch() {
  state_ = State::kHandling;
  if (!hold_input()) return refuse(no_memory(options_.most_memory_bytes));
  keep_alive_ = plan_.keep_alive;
  plan_.request.body = std::move(body_);
  body_ = {};
  call(std::move(plan_.request),
       std::exchange(input_, {loop_.shared().memory, MemoryUse::kRequest}));
}

// One call of the handler. If it throws, the destroyed reply answers 500.
void HttpConnection::call(HttpRequest request, MemoryHold hold) {
  ++address_.request;
  loop_.shared().requests.fetch_add(1, std::memory_order_relaxed);
  if (request.method == "HEAD") request.method = "GET";
  try {
    ReplyMemory memory{.request = std::move(hold),
                       .answer = {loop_.shared().memory, MemoryUse::kAnswer}};
    loop_.shared().handler(std::move(request),
                           make_reply(loop_.mailbox(), address_, std::move(memory)));
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): see above
  }
}

void HttpConnection::take(Letter& letter) {
  const bool current = letter.to.request == address_.request;
  switch (letter.kind) {
    case Letter::Kind::kAnswer:
      if (state_ == State::kHandling && current) {
        letter.hold.clear();
        return answer(letter.response);
      }
      if (state_ != State::kLines) return;
      loop_.lines.clear();
      append_line(loop_.lines, letter.response.status, letter.response.body);
      loop_.work(loop_.lines.size());
      letter.hold.clear();
      line_bytes_ += loop_.lines.size();
      answers_.fill(letter.to.request, loop_.lines);
      count_output();
      if (!std::exchange(flushing_, true)) loop_.flush_later(shared_from_this());
      return;
    case Letter::Kind::kStream:
      if (state_ == State::kHandling && current) return start_events(std::move(letter.stream));
      letter.stream->closed = true;
      if (state_ != State::kLines) return;
      letter.kind = Letter::Kind::kAnswer;
      letter.response = answer_of(Refusal{400, "invalid", "events are not for lines of a body"});
      return take(letter);
    case Letter::Kind::kEvent:
      if (state_ != State::kEvents || !current) return;
      owed_ += static_cast<std::int64_t>(letter.event->size());
      since_ = HttpClock::now();
      out_.add(std::move(letter.event));
      return push();
    case Letter::Kind::kEnd:
    case Letter::Kind::kCut:
      if (state_ == State::kEvents && current) end_events(letter.kind == Letter::Kind::kCut);
      return;
  }
}

void HttpConnection::tick(HttpTime now) {
  if (is_too_slow(now)) return drop();
  const auto passed = now - since_;
  const bool late = passed > as_duration(options_.request_seconds);
  switch (state_) {
    case State::kHead:
    case State::kBody:
      if (is_idle()) {
        if (passed > as_duration(options_.idle_seconds)) close();
      } else if (late) {
        refuse({408, "timeout",
                fmt::format("the request was not complete after {} s", options_.request_seconds)});
      }
      return;
    case State::kWaiting:
      if (passed > as_duration(kTokenSeconds)) end_wait();
      return;
    case State::kLines:
      if (late && answers_.empty() && out_.empty() && !lines_ended_) {
        end_lines({408, "timeout",
                   fmt::format("no complete line came within {} s", options_.request_seconds)});
      }
      return;
    case State::kEvents:
      if (passed > as_duration(options_.ping_seconds)) {
        since_ = now;
        put(":\n\n");
      }
      return;
    case State::kLingering:
      if (passed > as_duration(kLingerSeconds)) close();
      return;
    default:
      return;
  }
}

void HttpConnection::stop() {
  if (is_idle()) {  // unless a request has arrived that was not read yet
    read();
    if (is_idle()) close();
  } else if (state_ == State::kLines && !lines_ended_) {
    end_lines({503, "busy", "the service stops; send the lines that got no answer again"});
  } else if (state_ == State::kEvents) {
    end_events(false);
  }
}

}  // namespace rein::serve
