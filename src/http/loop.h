// One thread of the server: its connections, its letters, its clock. A connection stays on one loop,
// so it needs no lock.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "http/budget.h"
#include "http/checks.h"
#include "http/mailbox.h"
#include "http/tokens.h"

namespace rein::serve {

using HttpSocket =
    boost::asio::basic_stream_socket<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;
using HttpClock = std::chrono::steady_clock;
using HttpTime = HttpClock::time_point;

inline HttpClock::duration as_duration(double seconds) {
  return std::chrono::duration_cast<HttpClock::duration>(std::chrono::duration<double>(seconds));
}

// The state that all loops of a server share.
struct HttpShared {
  HttpShared(const HttpOptions& of, HttpHandler calls)
      : options(of),
        gate(of),
        handler(std::move(calls)),
        memory(std::make_shared<MemoryBudget>(of.most_memory_bytes)) {}
  const HttpOptions options;
  const HttpGate gate;
  const HttpHandler handler;
  const std::shared_ptr<MemoryBudget> memory;
  TokenGuard tokens;
  std::atomic<std::int64_t> connections{0};
  std::atomic<std::int64_t> accepted{0};
  std::atomic<std::int64_t> requests{0};
  std::atomic<std::int64_t> refused{0};
  std::atomic<std::int64_t> wrong_tokens{0};
  std::atomic<std::int64_t> slow_readers{0};
  std::atomic<std::int64_t> streams{0};
  std::atomic<std::int64_t> longest_turn{0};
};

class HttpConnection;

class HttpLoop {
 public:
  explicit HttpLoop(HttpShared& shared);
  ~HttpLoop();
  HttpLoop(const HttpLoop&) = delete;
  HttpLoop& operator=(const HttpLoop&) = delete;

  boost::asio::io_context& io() { return io_; }
  void run();

  // The rest runs on the thread of the loop.
  // Serves the socket, or tells it that there are too many.
  void adopt(HttpSocket socket, bool too_many);
  void begin_stop(HttpTime deadline);
  bool stopping() const { return stopping_; }

  // For connections.
  HttpShared& shared() { return shared_; }
  const std::shared_ptr<Mailbox>& mailbox() const { return mailbox_; }
  const std::string& date() const { return date_; }
  void remove(std::uint32_t place);
  // Calls flush() of the connection once the letters at hand are read.
  void flush_later(std::shared_ptr<HttpConnection> connection);
  // A turn is the work of one connection before other connections have theirs. work() adds to the
  // work of the present turn, in bytes.
  void begin_turn() { turn_ = 0; }
  void work(std::size_t bytes);
  // Bytes that a connection may send in its turn. The number falls with the number of connections
  // that have something to send, so that a round of all of them stays short.
  std::size_t share() const;
  // Connections with bytes that their clients have not taken; the connection that waits longest is
  // in front.
  using Behind = std::list<HttpConnection*>;
  Behind& behind() { return behind_; }
  // Buffers that connections share, each for the length of one call.
  std::vector<char> scratch;
  std::string out;    // a small answer, or the head of a large answer
  std::string lines;  // answers in lines that go out together
  RequestHead head;

 private:
  struct Place {
    std::shared_ptr<HttpConnection> connection;
    std::uint32_t generation = 0;
  };
  void take_letters();
  void deliver(Letter& letter);
  void tick();
  void finish_if_done();

  HttpShared& shared_;
  boost::asio::io_context io_{1};
  boost::asio::steady_timer timer_{io_};
  std::shared_ptr<Mailbox> mailbox_;
  std::vector<Letter> letters_;
  std::size_t next_letter_ = 0;
  std::size_t turn_ = 0;  // what this turn did, in bytes
  std::vector<Place> places_;
  std::vector<std::uint32_t> free_;
  std::vector<std::shared_ptr<HttpConnection>> to_flush_;
  Behind behind_;
  std::size_t open_ = 0;
  std::string date_;
  HttpClock::duration period_;
  bool stopping_ = false;
  HttpTime deadline_{};
};

}  // namespace rein::serve
