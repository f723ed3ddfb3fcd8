// The sending side of a connection: answers, answers in lines, events.
#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>

#include "http/connection.h"

namespace rein::serve {
namespace {

using boost::system::error_code;

// With more than this to send, a body in lines is not read on.
constexpr std::size_t kMostUnsent = 256 << 10;
// Larger bodies are sent without a copy; smaller bodies are copied behind their head, which saves a
// call.
constexpr std::size_t kCopiedBody = 16 << 10;
// A client that takes less than this in request_seconds, and has not taken all, is closed: 26 kB/s with
// the default of 10 s.
constexpr std::size_t kLeastTaken = 256 << 10;

}  // namespace

AnswerFrame HttpConnection::frame(bool keep_alive) const {
  return {.keep_alive = keep_alive,
          .http11 = plan_.http11,
          .without_body = plan_.without_body,
          .date = loop_.date()};
}

// Sends what the system takes at once, at most one share, and removes it from `bytes`. False if the
// client has gone.
bool HttpConnection::send_some(std::string_view& bytes) {
  std::size_t room = loop_.share();
  while (!bytes.empty() && room > 0) {
    const ssize_t n = ::send(socket_.native_handle(), bytes.data(), std::min(bytes.size(), room),
                             MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EAGAIN;
    bytes.remove_prefix(static_cast<std::size_t>(n));
    room -= static_cast<std::size_t>(n);
    loop_.work(static_cast<std::size_t>(n));
  }
  return true;
}

// The bytes go out in the order of the calls. After the last bytes of an answer, replied() is
// called.
void HttpConnection::put(std::string_view bytes) {
  if (state_ == State::kClosed) return;
  if (out_.empty() && !send_some(bytes)) return close();
  out_.add(bytes);
  after_sending();
}

// Sends some of what waits.
void HttpConnection::push() {
  if (state_ == State::kClosed) return;
  if (!writing_) {  // otherwise the system has no room
    const std::ptrdiff_t sent = out_.send(socket_.native_handle(), loop_.share());
    if (sent < 0) return close();
    loop_.work(static_cast<std::size_t>(sent));
    taken_ += static_cast<std::size_t>(sent);
    if (sent > 0) note_progress();
  }
  after_sending();
}

void HttpConnection::after_sending() {
  count_output();
  if (state_ == State::kClosed) return;
  if (!out_.empty()) return want_write();
  if (state_ == State::kReplying) replied();
}

void HttpConnection::note_progress() {
  if (!behind_) return;
  HttpLoop::Behind& behind = loop_.behind();
  behind.splice(behind.end(), behind, *behind_);
}

bool HttpConnection::is_too_slow(HttpTime now) {
  if (out_.empty() || now - span_ <= as_duration(options_.request_seconds)) return false;
  if (taken_ < kLeastTaken) return true;
  span_ = now;
  taken_ = 0;
  return false;
}

// Bytes that wait for the client count in the memory budget. If the budget is used up, the
// connections whose clients have not read for longest are closed, so that clients who read are
// served.
void HttpConnection::count_output() {
  count_waiting();
  HttpLoop::Behind& behind = loop_.behind();
  if (out_.empty() && behind_) {
    behind.erase(*behind_);
    behind_.reset();
  } else if (!out_.empty() && !behind_) {
    behind_ = behind.insert(behind.end(), this);
    span_ = HttpClock::now();
    taken_ = 0;
  }
  const std::size_t bytes = out_.size() + line_bytes_;
  while (!output_.set(bytes)) {
    HttpConnection* slowest = behind.empty() ? this : behind.front();
    const auto kept = slowest->shared_from_this();
    slowest->drop();
    if (slowest == this) return;
  }
}

void HttpConnection::want_write() {
  if (writing_ || state_ == State::kClosed) return;
  writing_ = true;
  socket_.async_wait(HttpSocket::wait_write, [self = shared_from_this()](error_code error) {
    self->writing_ = false;
    if (self->state_ == State::kClosed) return;
    if (error) return self->close();
    self->guarded([&] { self->write(); });
  });
}

void HttpConnection::write() {
  loop_.begin_turn();
  push();
  if (state_ != State::kLines || !out_.empty()) return;
  since_ = HttpClock::now();
  receive({});  // there is room again
}

void HttpConnection::answer(HttpResponse& response) {
  keep_alive_ = keep_alive_ && !loop_.stopping();
  loop_.out.clear();
  state_ = State::kReplying;
  AnswerFrame frame = this->frame(keep_alive_);
  if (response.body.size() <= kCopiedBody || frame.without_body ||
      has_no_content(response.status)) {
    append_answer(loop_.out, response, frame);
    return put(loop_.out);
  }
  frame.body_follows = true;
  append_answer(loop_.out, response, frame);
  out_.add(std::string_view(loop_.out));
  out_.add(std::move(response.body));
  push();
}

// Answers in place of the handler and closes, because what follows may not be the next request.
void HttpConnection::refuse(const Refusal& refusal) {
  if (state_ == State::kLines) return end_lines(refusal);
  note_refusal(refusal);
  keep_alive_ = false;
  HttpResponse response = answer_of(refusal);
  answer(response);
}

void HttpConnection::note_refusal(const Refusal& refusal) {
  loop_.shared().refused.fetch_add(1, std::memory_order_relaxed);
  if (!options_.refused) return;
  options_.refused({.status = refusal.status,
                    .code = refusal.code,
                    .method = plan_.request.method,
                    .path = plan_.request.path,
                    .from = from_});
}

void HttpConnection::replied() {
  if (!keep_alive_ || loop_.stopping()) return linger();
  state_ = State::kHead;
  since_ = HttpClock::now();
  scanned_ = 0;
  skipped_ = false;
  if (consuming_) return;  // consume() goes on with the next request
  receive({});
}

// Closing while bytes of the client are unread would reset the connection, and the client could
// lose the answer. So the client may close first, for a short time.
void HttpConnection::linger() {
  state_ = State::kLingering;
  since_ = HttpClock::now();
  error_code ignored;
  socket_.shutdown(HttpSocket::shutdown_send, ignored);
  want_read();
}

bool HttpConnection::has_room() const {
  return answers_.size() < static_cast<std::size_t>(options_.lines_at_once) &&
         out_.size() < kMostUnsent;
}

// Calls the handler for the lines at hand, while there is room.
void HttpConnection::call_lines() {
  while (has_room() && !lines_ended_) {
    const auto line = cutter_.next();
    if (!line) return;
    if (line->size() > static_cast<std::size_t>(options_.most_line_bytes)) return too_long();
    if (line->empty()) continue;
    call_line(*line);
  }
}

void HttpConnection::call_line(std::string_view line) {
  since_ = HttpClock::now();
  MemoryHold hold(loop_.shared().memory, loop_.shared().gate.comes_first(plan_.request.path)
                                             ? MemoryUse::kFirstRequest
                                             : MemoryUse::kRequest);
  if (!hold.set(line.size() + plan_.request.path.size() + plan_.request.query.size())) {
    return end_lines(no_memory(options_.most_memory_bytes));
  }
  HttpRequest request = plan_.request;
  request.body = line;
  answers_.expect(address_.request + 1);
  call(std::move(request), std::move(hold));
}

void HttpConnection::too_long() {
  end_lines({413, "too_large",
             fmt::format("a line has more than {} bytes; accepted are at most {}",
                         options_.most_line_bytes, options_.most_line_bytes)});
}

std::size_t HttpConnection::take_lines(std::string_view bytes) {
  std::size_t at = 0;
  while (!lines_ended_) {
    call_lines();
    if (lines_ended_ || !has_room()) break;  // all complete lines have been called now
    if (cutter_.rest().size() > static_cast<std::size_t>(options_.most_line_bytes)) {
      too_long();
    } else if (body_done_) {
      if (!cutter_.rest().empty()) call_line(cutter_.rest());
      lines_ended_ = true;
      send_lines();
    } else {
      const RequestParser::Step step = parser_.read_body(bytes.substr(at), cutter_.buffer());
      at += step.consumed;
      body_done_ = step.done;
      if (step.refusal) end_lines(*step.refusal);
      if (step.consumed == 0) break;
    }
  }
  return at;
}

// The last line of the answer says why the answer ends. Lines under way are answered before that
// line.
void HttpConnection::end_lines(const Refusal& refusal) {
  if (lines_ended_) return;
  note_refusal(refusal);
  lines_ended_ = true;
  plan_.keep_alive = false;
  ++address_.request;
  std::string line;
  append_line(line, refusal.status, answer_of(refusal).body);
  answers_.expect(address_.request);
  answers_.fill(address_.request, std::move(line));
  send_lines();
}

void HttpConnection::flush() {
  flushing_ = false;
  if (state_ != State::kLines) return;
  send_lines();
  if (state_ == State::kLines) receive({});  // there is room again
}

void HttpConnection::send_lines() {
  loop_.lines.clear();
  answers_.pop(loop_.lines);
  line_bytes_ -= std::min(line_bytes_, loop_.lines.size());
  const bool last = lines_ended_ && answers_.empty();
  if (loop_.lines.empty() && !last) return;
  since_ = HttpClock::now();
  loop_.out.clear();
  if (!std::exchange(lines_head_sent_, true)) {
    keep_alive_ = plan_.keep_alive && plan_.http11 && !loop_.stopping();
    append_stream_head(loop_.out, "application/x-ndjson", plan_.http11, frame(keep_alive_));
  }
  if (!plan_.http11) {
    loop_.out += loop_.lines;
  } else if (!loop_.lines.empty()) {
    append_chunk(loop_.out, loop_.lines);
  }
  if (last) {
    if (plan_.http11) loop_.out += "0\r\n\r\n";
    keep_alive_ = keep_alive_ && plan_.keep_alive;
    cutter_.clear();
    state_ = State::kReplying;
  }
  put(loop_.out);
}

void HttpConnection::start_events(std::shared_ptr<StreamState> stream) {
  if (loop_.shared().streams.load(std::memory_order_relaxed) >= options_.most_streams) {
    stream->closed = true;
    return refuse({503, "busy",
                   fmt::format("{} streams of events are open; accepted are at most so many",
                               options_.most_streams)});
  }
  stream_ = std::move(stream);
  owed_ = 0;
  count_stream(true);
  keep_alive_ = false;
  since_ = HttpClock::now();
  state_ = State::kEvents;
  loop_.out.clear();
  append_stream_head(loop_.out, "text/event-stream", false, frame(false));
  put(loop_.out);
  if (state_ != State::kEvents) return;
  if (loop_.stopping() || plan_.without_body) return end_events(false);
  want_read();
}

// A reader that is too far behind is closed at once; otherwise what was sent still arrives.
void HttpConnection::end_events(bool at_once) {
  stream_->closed = true;
  if (at_once) return close();
  state_ = State::kReplying;
  put({});
}

void HttpConnection::count_stream(bool counts) {
  if (std::exchange(counted_, counts) == counts) return;
  loop_.shared().streams.fetch_add(counts ? 1 : -1, std::memory_order_relaxed);
}

void HttpConnection::count_waiting() {
  if (stream_ == nullptr) return;
  const std::int64_t left = std::min(owed_, static_cast<std::int64_t>(out_.size()));
  stream_->waiting.fetch_sub(owed_ - left);
  owed_ = left;
}

}  // namespace rein::serve
