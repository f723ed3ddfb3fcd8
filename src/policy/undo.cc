#include "policy/undo.h"

namespace rein {

Undo::Undo(Oracle& oracle, bool needed, std::string& room)
    : oracle_(oracle), needed_(needed), room_(room) {
  if (!needed_) return;
  ByteWriter out(std::move(room_));
  oracle_.save(out);
  room_ = out.take();
}

Undo::~Undo() {
  if (!needed_) return;
  try {
    ByteReader in(room_);
    static_cast<void>(oracle_.load(in));  // its own bytes
  } catch (...) {  // NOLINT: a load() of the caller's that throws; the first exception matters more
  }
}

}  // namespace rein
