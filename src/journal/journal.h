// Journal: the ordered truth of one model. Entries are bytes; src/serve knows their meaning. A
// state is a fold over the entries, so whoever reads them again has the same state.
//
// Entries are numbered from 1, without gaps. One writer: no two objects may have the same journal
// open, in this process or in another. An implementation need not be safe for several threads.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "rein/result.h"

namespace rein {

class Journal {
 public:
  virtual ~Journal() = default;

  // Appends the entries in this order and commits them together. After success they survive a crash
  // of the process and of the machine. kInvalid: an entry is too long; nothing happened. After any
  // other error nothing is known about the entries: the journal is broken, and every later append is
  // refused with kFailed. It must be opened again, which finds all of them or none. A failed write or
  // sync is never tried again.
  virtual Result<> append(std::span<const std::string_view> entries) = 0;

  // last(): the number of the last entry; 0 if there is none. first(): the number of the first
  // entry that is still there.
  virtual std::int64_t last() const = 0;
  virtual std::int64_t first() const = 0;

  // The chain value (chain.h) of the last entry: with last() it says where the journal ends, and it
  // proves every entry up to there. chain_at(): the stored chain value of another entry; the number
  // may be first() - 1. kInvalid: the journal does not have that entry.
  virtual std::uint64_t chain() const = 0;
  virtual Result<std::uint64_t> chain_at(std::int64_t number) const = 0;

  // Calls `each` for every entry from this number on, in order, until it returns false or an error,
  // which is passed on. The bytes are valid during the call, and `each` may not append or drop.
  // Damage is found by checksums: kCorrupt, and the message names the entry. Entries before the
  // damage were passed on unchanged. A number before first() is refused with kInvalid; one after
  // last() reads nothing.
  using Each = std::function<Result<bool>(std::int64_t number, std::string_view bytes)>;
  virtual Result<> read(std::int64_t from, const Each& each) const = 0;

  // Forgets all entries before this number, which a snapshot has made unnecessary. The snapshot must
  // be durable first. The number may be last() + 1: then the journal is empty and counts on from
  // there. Errors as for append().
  virtual Result<> drop_before(std::int64_t number) = 0;

  // For journals whose drop_before() takes long, because it asks a store that is far away. drop_beside()
  // returns what does it in another thread; it is empty where drop_before() takes no longer than a
  // commit. After it has succeeded, dropped_beside() says so to the journal, with the chain value before
  // the number.
  virtual std::function<Result<>(std::int64_t number)> drop_beside() const { return {}; }
  virtual void dropped_beside(std::int64_t /*number*/, std::uint64_t /*before*/) {}
};

}  // namespace rein
