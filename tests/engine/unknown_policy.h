// Snapshots as a program would have made them whose policies this one does not know: the same bytes with
// a name or a number changed, and hashes that agree.
#pragma once

#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "engine/hash.h"
#include "rein/bytes.h"
#include "rein/engine.h"

namespace rein {

// `change` must not change the size of the bytes.
inline std::string forged_snapshot(const Engine& engine,
                                   const std::function<void(std::string& bytes)>& change) {
  std::string bytes = engine.snapshot();
  const std::uint64_t before = engine.state_hash();
  const std::size_t hash_at = bytes.find(std::string(reinterpret_cast<const char*>(&before), 8));
  change(bytes);
  ByteReader in(bytes);
  in.tag("rein engine");
  in.i64();
  const std::string config = in.text();
  const std::size_t state_at = bytes.size() - in.left();
  Hash all;
  all.add(config);
  all.add(std::string_view(bytes).substr(state_at, hash_at - state_at));
  const std::uint64_t now = all.value();
  std::memcpy(bytes.data() + hash_at, &now, sizeof now);
  const std::uint64_t seal = hash_of(std::string_view(bytes).substr(0, bytes.size() - 8));
  std::memcpy(bytes.data() + bytes.size() - 8, &seal, sizeof seal);
  return bytes;
}

// Every "oracle=FROM" becomes "oracle=TO", and so do the tags of saved state; of the same length.
inline std::string with_unknown_oracle(const Engine& engine, std::string_view from,
                                       std::string_view to) {
  return forged_snapshot(engine, [&](std::string& bytes) {
    for (const std::string_view before : {"oracle=", "\3\0\0\0\0\0\0\0"}) {
      const std::string_view head(before.data(), before[0] == 'o' ? 7 : 8);
      const std::string whole = std::string(head) + std::string(from);
      for (std::size_t at = bytes.find(whole); at != std::string::npos; at = bytes.find(whole, at + 1)) {
        bytes.replace(at + head.size(), from.size(), to);
      }
    }
  });
}

// The number of the meaning stands behind the policy's spec in the config.
inline std::string with_meaning(const Engine& engine, std::int64_t meaning) {
  return forged_snapshot(engine, [&](std::string& bytes) {
    const std::string spec = engine.policy_origin().asked;
    std::string field(8, '\0');
    const std::uint64_t size = spec.size();
    std::memcpy(field.data(), &size, sizeof size);
    const std::size_t at = bytes.find(field + spec);
    if (at == std::string::npos) throw std::runtime_error("no spec in the snapshot");
    std::memcpy(bytes.data() + at + 8 + spec.size(), &meaning, sizeof meaning);
  });
}

}  // namespace rein
