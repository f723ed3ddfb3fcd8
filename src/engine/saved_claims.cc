#include "engine/saved_claims.h"

#include "base/size.h"

namespace rein {

// A claim without what its decision says: its windows, and which bills are missing.
void write_windows(ByteWriter& out, const Claim& claim) {
  for (std::int64_t period : claim.periods) out.i64(period);
  out.u64(claim.waiting);
  out.u64(claim.provisional);
}

void read_windows(ByteReader& in, Claim& claim) {
  constexpr std::int64_t kBits = (std::int64_t{1} << kMaxCosts) - 1;
  for (std::int64_t& period : claim.periods) period = in.count();
  claim.waiting = static_cast<std::uint32_t>(in.between("bills that are missing", 0, kBits));
  claim.provisional = static_cast<std::uint32_t>(in.between("bills that are late", 0, kBits));
}

void write_claim(ByteWriter& out, const Claim& claim, bool learned) {
  for (const KeyDigest& key : claim.keys) {
    out.u64(key.low);
    out.u64(key.high);
  }
  for (const Micros& holds : {claim.holds.largest, claim.holds.expected}) {
    for (Micro hold : holds) out.i64(hold);
  }
  for (int i = 0; learned && i < kMaxCosts; ++i) out.i64(claim.holds.learned[as_size(i)]);
  write_windows(out, claim);
}

Claim read_claim(ByteReader& in, bool learned) {
  Claim claim;
  for (KeyDigest& key : claim.keys) {
    key.low = in.u64();
    key.high = in.u64();
  }
  for (Micros* holds : {&claim.holds.largest, &claim.holds.expected}) {
    for (Micro& hold : *holds) hold = in.between("hold", 0, kMaxMicro);
  }
  for (std::size_t i = 0; learned && i < as_size(kMaxCosts); ++i) {
    claim.holds.learned[i] = in.between("learned hold", 0, claim.holds.largest[i]);
  }
  read_windows(in, claim);
  return claim;
}

}  // namespace rein
