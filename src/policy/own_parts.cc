#include "policy/own_parts.h"

#include "rein/bytes.h"

namespace rein {
namespace {

bool holds_own(const SpecValue& value, bool pricer, bool wants_pricer) {
  if (const auto* list = std::get_if<SpecValue::List>(&value.is)) {
    for (const SpecValue& item : *list) {
      if (holds_own(item, pricer, wants_pricer)) return true;
    }
  }
  const auto* spec = std::get_if<Spec>(&value.is);
  if (spec == nullptr) return false;
  if (spec->name == "own") return pricer == wants_pricer;
  for (const auto& [key, inner] : spec->options) {
    if (holds_own(inner, key == "pricer", wants_pricer)) return true;
  }
  return false;
}

}  // namespace

bool uses_potential(const Spec& policy) { return holds_own({.is = policy}, false, true); }
bool uses_own_oracle(const Spec& policy) { return holds_own({.is = policy}, false, false); }

Undo::Undo(Oracle& oracle, bool needed, std::string& room)
    : oracle_(oracle), needed_(needed), room_(room) {
  if (!needed_) return;
  ByteWriter out(std::move(room_));
  oracle_.save(out);
  room_ = out.take();
}

Undo::~Undo() {
  if (!needed_) return;
  ByteReader in(room_);
  static_cast<void>(oracle_.load(in));  // its own bytes
}

}  // namespace rein
