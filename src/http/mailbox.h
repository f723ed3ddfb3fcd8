// How replies from other threads reach the thread of their connection. Many letters cost one
// wake-up, because only the first letter into an empty box wakes the thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "http/budget.h"
#include "http/server.h"

namespace rein::serve {

// Names a request of a connection. A connection that has gone is not found, because its place has a
// new generation.
struct ReplyAddress {
  std::uint32_t place = 0;
  std::uint32_t generation = 0;
  std::uint64_t request = 0;
};

// The state of a stream of events, shared by its writer and its connection.
struct StreamState {
  std::atomic<bool> closed{false};
  std::atomic<std::int64_t> waiting{0};  // bytes that the kernel has not taken yet
};

struct Letter {
  enum class Kind { kAnswer, kStream, kEvent, kEnd, kCut };  // kCut: the reader is too slow
  Kind kind = Kind::kAnswer;
  ReplyAddress to;
  HttpResponse response;                     // kAnswer
  std::shared_ptr<const std::string> event;  // kEvent
  std::shared_ptr<StreamState> stream;       // kStream
  MemoryHold hold;                           // kAnswer: of its body
};

class Mailbox {
 public:
  // `ring` makes the thread of the box take the letters; it may be called from any thread.
  explicit Mailbox(std::function<void()> ring) : ring_(std::move(ring)) {}

  // Drops the letter once the box is closed.
  void put(Letter letter);
  void put_all(std::vector<Letter>& letters);
  // Swaps the letters into `out`, which is empty.
  void take(std::vector<Letter>& out);
  // Nobody takes letters any more, and `ring` is not called again.
  void close();

 private:
  std::mutex mutex_;
  std::vector<Letter> letters_;
  std::function<void()> ring_;
  bool closed_ = false;
};

// The memory of one request and its answer. It is held while the request is under way, even if its
// connection has gone, because its body is in memory that long.
struct ReplyMemory {
  MemoryHold request;
  MemoryHold answer;
};

// The reply to one request, as the handler gets it.
std::shared_ptr<HttpReply> make_reply(std::shared_ptr<Mailbox> mailbox, ReplyAddress to,
                                      ReplyMemory memory);

}  // namespace rein::serve
