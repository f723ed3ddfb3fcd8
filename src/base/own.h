// Which pieces of the caller's own (rein/own.h) a spec uses, itself or in the specs inside it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rein/own.h"
#include "rein/spec.h"

namespace rein {

enum class OwnKind { kOracle, kPotential, kPolicy, kWorld };

struct OwnUse {
  OwnKind kind;
  std::string name;
};

// All uses in a spec of this kind: kPolicy for the spec of a policy, kWorld for the spec of a
// world.
std::vector<OwnUse> own_uses(const Spec& spec, OwnKind kind);
// All uses in a run: in its world and in all of its policies.
std::vector<OwnUse> own_uses(const Spec& world, std::span<const Spec> policies);
bool uses_own(const Spec& policy, OwnKind kind);

// The pieces that these uses name.
Own own_of(const Own& own, std::span<const OwnUse> uses);
// Refuses a piece that none of these uses names. `who` goes into the message: "ccb does not use".
Result<> check_used(const Own& own, std::span<const OwnUse> uses, std::string_view who);

// NAME in own(name=NAME). `what` starts the messages: "oracle spec".
Result<std::string> name_of_own(const Spec& spec, std::string_view what);
// The error for a name that was not brought.
Error not_brought(std::string_view what, std::string_view name);

// The piece that own(name=NAME) names.
template <class Piece>
Result<Piece> find_own(const std::map<std::string, Piece>& pieces, const Spec& spec,
                       std::string_view what) {
  auto name = name_of_own(spec, what);
  if (!name) return name.failure();
  const auto found = pieces.find(name.value());
  if (found != pieces.end() && found->second) return found->second;
  return not_brought(what, name.value());
}

// The bytes of a piece, as one text. If the load() of the piece reads fewer or more bytes than its
// save() wrote, the piece is wrong, and the state is refused.
template <class Piece>
void save_own(const Piece& piece, ByteWriter& out) {
  ByteWriter inside;
  piece.save(inside);
  out.text(inside.bytes());
}
template <class Piece>
Result<> load_own(Piece& piece, ByteReader& in) {
  const std::string bytes = in.text();
  if (auto read = in.status(); !read) return read;
  ByteReader inside(bytes);
  if (auto loaded = piece.load(inside); !loaded) return loaded;
  return inside.finish();
}

}  // namespace rein
