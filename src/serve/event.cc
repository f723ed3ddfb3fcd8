#include "serve/event.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/hash.h"
#include "rein/bytes.h"

namespace rein::serve {
namespace {

// The version of the form of an entry. Every version stays readable: fields of later versions are
// read by from.version(), as rein/bytes.h shows.
constexpr std::uint64_t kEventVersion = 2;

std::uint64_t version_of(Event::Kind kind) { return kind >= Event::Kind::kMarked ? 2 : 1; }

constexpr std::uint64_t kDecided = 1, kDeferred = 2, kMarked = 4;

}  // namespace

RequestMark mark_of(std::uint64_t key, std::string_view request_id, std::string_view verb,
                    std::string_view body) {
  RequestMark mark;
  const XXH128_hash_t request = XXH3_128bits_withSeed(request_id.data(), request_id.size(), key);
  mark.low = request.low64 | 1U;  // never empty
  mark.high = request.high64;
  mark.body = XXH3_64bits_withSeed(body.data(), body.size(), key ^ hash_of(verb));
  return mark;
}

void encode(const Event& event, std::string& out) {
  ByteWriter to(std::move(out));
  const bool marked = !event.mark.empty();
  to.u64(version_of(event.kind) << 8U | static_cast<std::uint64_t>(event.kind));
  to.u64((event.decided ? kDecided : 0) | (event.deferred ? kDeferred : 0) |
         (marked ? kMarked : 0));
  to.i64(event.at);
  to.u64(event.id);
  if (marked) {
    to.u64(event.mark.low);
    to.u64(event.mark.high);
    to.u64(event.mark.body);
    to.i64(event.status);
  }
  if (event.kind == Event::Kind::kHashAt) to.i64(event.at_entry);
  to.text(event.text);
  to.text(event.note);
  to.text(event.record);
  out = to.take();
}

Result<Event> decode_event(std::string_view bytes) {
  ByteReader from(bytes);
  Event event;
  const std::uint64_t kind = from.u64();
  const std::uint64_t version = kind >> 8U;
  if (from.ok() && (version < 1 || version > kEventVersion)) {
    from.fail(fmt::format("found version {}{}; accepted: versions 1 to {}", version,
                          version > kEventVersion ? " (a newer program wrote it)" : "",
                          kEventVersion));
  }
  from.set_version(static_cast<int>(std::min(version, kEventVersion)));
  if ((kind & 0xFFU) > static_cast<std::uint64_t>(Event::Kind::kNotice)) from.fail("unknown kind");
  event.kind = static_cast<Event::Kind>(kind & 0xFFU);
  if (version != version_of(event.kind)) from.fail("a kind that this version does not have");
  const std::uint64_t flags = from.u64();
  if (flags > (kDecided | kDeferred | kMarked)) from.fail("unknown flags");
  event.decided = (flags & kDecided) != 0;
  event.deferred = (flags & kDeferred) != 0;
  event.at = from.i64();
  event.id = from.u64();
  if ((flags & kMarked) != 0) {
    event.mark.low = from.u64();
    event.mark.high = from.u64();
    event.mark.body = from.u64();
    event.status = from.i64();
    if (event.mark.empty()) from.fail("a mark that is empty");
  }
  if (event.kind == Event::Kind::kHashAt) event.at_entry = from.count();
  event.text = from.text();
  event.note = from.text();
  event.record = from.text();
  if (auto done = from.finish(); !done) {
    return Error{"event: " + done.error(),
                 version > kEventVersion ? Reason::kFailed : Reason::kCorrupt};
  }
  return event;
}

}  // namespace rein::serve
