// Requests: which journal entry answered a caller's request id. A request is recognised for at
// least kRequestSeconds, and while it is among the last `remember` requests. Then its id is free
// again.
//
// A request takes 16 bytes in a hash table that is at most two thirds full, and 24 in a queue. The
// entry itself has the full digests and the answer.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "rein/bytes.h"
#include "serve/event.h"

namespace rein::serve {

inline constexpr std::int64_t kRequestSeconds = 86'400;

class Requests {
 public:
  // `most`: when this many would have to be remembered, full() says so.
  explicit Requests(std::int64_t remember = 65'536, std::int64_t most = std::int64_t{1} << 24)
      : remember_(remember), most_(most) {}

  // The number of the entry that this request made; 0: none is known. Another request may have the
  // same short digest, so the caller compares the marks.
  std::int64_t find(const RequestMark& mark) const;
  // Forgets what is old enough, then adds. A request of the same short digest is replaced.
  void add(const RequestMark& mark, std::int64_t entry, std::int64_t at);
  void forget(std::int64_t now);
  void set_back(std::int64_t now);  // the clock was: none came later than this
  bool full() const { return size() >= most_; }
  std::int64_t most() const { return most_; }
  std::int64_t size() const { return static_cast<std::int64_t>(order_.size()); }

  void save(ByteWriter& out) const;
  Result<> load(ByteReader& in);

 private:
  struct Place {
    std::uint64_t digest = 0;
    std::int64_t entry = 0;  // 0: free
  };
  struct Known {
    std::uint64_t digest = 0;
    std::int64_t entry = 0;
    std::int64_t at = 0;
  };
  std::size_t slot(std::uint64_t digest) const;  // where it is, or a free place
  void put(std::uint64_t digest, std::int64_t entry);
  void take_out(std::uint64_t digest, std::int64_t entry);
  void grow();

  std::int64_t remember_, most_;
  std::vector<Place> table_;  // a power of two
  std::size_t used_ = 0;
  std::deque<Known> order_;  // oldest first
};

}  // namespace rein::serve
