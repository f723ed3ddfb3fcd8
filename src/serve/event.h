// Event: one entry of a model's journal. Most hold a record of the engine (rein/record.h), with what
// the service adds: the mark of the caller's request and the answer that it got.
//
// So after a crash it is still known whether a request made a record, and with which answer: the
// same request gets the same answer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rein/result.h"

namespace rein::serve {

// Digests of a caller's request id, and of the body that came with it. Empty without a request id.
struct RequestMark {
  std::uint64_t low = 0, high = 0;
  std::uint64_t body = 0;
  bool empty() const { return low == 0 && high == 0; }
  bool same_request(const RequestMark& other) const {
    return low == other.low && high == other.high;
  }
};
// The digests depend on the key, so that a stranger cannot make two requests with the same digests.
RequestMark mark_of(std::uint64_t key, std::string_view request_id, std::string_view verb,
                    std::string_view body);

struct Event {
  enum class Kind {
    // The first entry: `record` is a snapshot of the engine, `text` the document. A long snapshot
    // goes on in `id` entries of kind kPart (first_entries.h).
    kCreated,
    kRecord,     // the engine changed: `record`
    kConduct,    // mode, baseline or fallback changed: `record` has all three as JSON
    kActivated,  // a decision that had been deferred was activated: `id`
    kHash,       // the state had the hash `id`. A replay with another hash stops
    // A snapshot of the state after this entry is made in another thread. `id` is the fingerprint
    // of the state (ModelState::fingerprint), which takes microseconds. A replay with another
    // fingerprint stops.
    kMarked,
    // The state after the last kMarked entry had the hash `id`; `at_entry` is the number of that entry.
    kHashAt,
    kPart,       // more of the snapshot of the first entry: `record`
    kDocument,   // the document became `record`; the changes that it says are entries of their own before it
    kNotice,     // people are told something, or stopped something: `record` has it as JSON (oversight.h)
  };

  Kind kind = Kind::kRecord;
  std::int64_t at = 0;    // the clock of the service, in UTC seconds
  std::uint64_t id = 0;   // of the decision that it is about, or the hash
  bool decided = false;   // the record is a decision
  bool deferred = false;  // ... that is given up if nobody activates it
  RequestMark mark;
  std::int64_t status = 0;  // of the answer; only with a mark
  std::int64_t at_entry = 0;  // of kHashAt only
  std::string text;         // the answer; only with a mark
  // What explains a decision later: actions that were dropped, and why. Of an outcome: who reported it, where
  // callers are compared (callers.h).
  std::string note;
  std::string record;
};

void encode(const Event& event, std::string& out);
// kCorrupt for bytes that encode() cannot have written.
Result<Event> decode_event(std::string_view bytes);

}  // namespace rein::serve
