// Skipped ids: the next decisions get others than they would have (id_gaps.h).
#include <fmt/format.h>

#include "engine/heart.h"

namespace rein {

Result<> Engine::Heart::fold(const SkipRecord& record) {
  change = Change::kNothing;
  if (auto done = gaps.skip(record.ids, decided_count); !done) return done;
  ids_ahead_from = next_number();
  ids_ahead = cipher.ids_from(ids_ahead_from);
  last_skipped = record;
  change = Change::kSkipped;
  return {};
}

Error Engine::Heart::unknown_id(std::uint64_t id) const {
  const bool lost = gaps.lost(cipher.number_of(id));
  return {fmt::format("decision {:016x}: {}", id,
                      lost ? "it was lost, with the end of a damaged journal or of an old copy"
                           : "no decision ever had this id"),
          Reason::kUnknown, "id"};
}

Error Engine::Heart::not_open(std::uint64_t id) const {
  if (!given(cipher.number_of(id))) return unknown_id(id);
  return {fmt::format("decision {:016x}: it is no longer open", id), Reason::kExpired, "id"};
}

}  // namespace rein
