// One connection of the HTTP server, on one loop: bytes to requests, answers to bytes.
//
// A connection reads its next request after the answer to the last was sent. Bodies in lines are
// the exception: up to `lines_at_once` of their lines are under way. Sockets are read when the
// system says that bytes are there, into a buffer of the loop, so that an idle connection holds no
// buffer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "http/answer.h"
#include "http/lines.h"
#include "http/loop.h"
#include "http/out.h"
#include "http/parser.h"

namespace rein::serve {

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(HttpLoop& loop, HttpSocket socket, ReplyAddress address);

  // Reads the first request; or answers 503, if there are too many connections.
  void start(bool too_many);
  void take(Letter& letter);
  // Closes a connection whose client does not take its answers.
  void drop();
  // After letters to a body in lines: sends the answers that are due.
  void flush();
  // Looks at the deadlines.
  void tick(HttpTime now);
  // The server stops: ends at once if no request is under way, otherwise after its answer.
  void stop();
  void close();
  // Runs a step. An error of ours ends one connection, never the server.
  template <class Step>
  void guarded(Step step) {
    try {
      step();
    } catch (const std::exception&) {
      consuming_ = false;
      close();
    }
  }

 private:
  enum class State {
    kHead,       // before and in the head of a request
    kWaiting,    // the answer about its token waits
    kBody,       // in its body
    kHandling,   // the handler has it
    kLines,      // in a body in lines, whose answers go out already
    kEvents,     // sends events
    kReplying,   // the last bytes of an answer wait to be sent
    kLingering,  // waits until the client closes, so that it can read the answer
    kClosed
  };

  // Input.
  void want_read();
  void read();
  void end_of_input();
  void receive(std::string_view bytes);
  void go_on_reading();
  std::size_t consume(std::string_view bytes);
  std::size_t take_head(std::string_view bytes);
  std::size_t take_body(std::string_view bytes);
  bool wait_for_token(const std::optional<Refusal>& refusal);
  void end_wait();
  void begin_request();
  void dispatch();
  void call(HttpRequest request, MemoryHold hold);
  // Takes memory for what came and is kept. Refuses the request if there is none.
  void count_input();
  bool hold_input();
  void count_wrong_token();

  // Output.
  void put(std::string_view bytes);
  void push();
  void after_sending();
  bool send_some(std::string_view& bytes);
  void want_write();
  void write();
  bool is_too_slow(HttpTime now);
  // Notes that the client took bytes, or all of them.
  void note_progress();
  // Takes memory for the bytes that wait to be sent. If the budget is used up, the connections
  // whose clients have not read for longer are closed.
  void count_output();
  void answer(HttpResponse& response);
  void refuse(const Refusal& refusal);
  void note_refusal(const Refusal& refusal);
  void replied();
  void linger();
  AnswerFrame frame(bool keep_alive) const;

  // Bodies in lines.
  std::size_t take_lines(std::string_view bytes);
  void call_lines();
  void call_line(std::string_view line);
  void too_long();
  bool has_room() const;
  void end_lines(const Refusal& refusal);
  void send_lines();

  // Events.
  void start_events(std::shared_ptr<StreamState> stream);
  void end_events(bool at_once);
  void count_waiting();
  // Counts, or no longer counts, this connection as a stream of events.
  void count_stream(bool counts);

  bool is_idle() const { return state_ == State::kHead && in_.empty(); }

  HttpLoop& loop_;
  const HttpOptions& options_;
  HttpSocket socket_;
  ReplyAddress address_;  // address of the last request
  State state_ = State::kHead;
  bool reading_ = false;      // a wait for bytes is under way
  bool writing_ = false;      // a wait for room is under way
  bool consuming_ = false;    // consume() is at work, so nobody else changes in_
  bool keep_alive_ = false;   // after the answer
  bool skipped_ = false;      // an empty line before the request
  bool flushing_ = false;     // flush() will be called
  std::string in_;            // bytes that came and are not consumed
  bool proved_ = false;       // a request has shown the right token
  bool counted_ = false;      // as a stream of events
  HttpOut out_;               // answers that the system has not taken yet
  std::size_t lingered_ = 0;  // bytes that came after the last request
  std::size_t scanned_ = 0;   // of in_, by find_head()
  RequestParser parser_;
  RequestPlan plan_;
  std::string body_;
  std::optional<Refusal> verdict_;  // in kWaiting, of the head
  HttpTime since_{};                // of what the state waits for
  // The client must take kLeastTaken bytes, or all that waits, within each span of request_seconds.
  HttpTime span_{};
  std::size_t taken_ = 0;  // since span_
  std::optional<HttpLoop::Behind::iterator> behind_;
  MemoryHold input_;
  MemoryHold output_;
  std::size_t line_bytes_ = 0;  // of answers in answers_
  std::string from_;            // the address of the client

  LineCutter cutter_;
  AnswerQueue answers_;
  bool lines_head_sent_ = false;
  bool body_done_ = false;    // all bytes of the lines came
  bool lines_ended_ = false;  // no more calls for this request

  std::shared_ptr<StreamState> stream_;
  std::int64_t owed_ = 0;  // bytes of stream_->waiting that are in out_
};

}  // namespace rein::serve
