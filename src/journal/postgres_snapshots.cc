#include "journal/postgres_snapshots.h"

#include <fmt/format.h>

#include <algorithm>

namespace rein::postgres {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20U;

constexpr Query kBegin{"snapshot_begin", R"sql(
INSERT INTO rein_snapshots (model, position, chain, length, complete, begun)
SELECT id, $2, $3, $4, false, clock_timestamp() FROM rein_heads WHERE model = $1 RETURNING id
)sql"};
constexpr Query kPut{"snapshot_put",
                         "INSERT INTO rein_snapshot_pieces (snapshot, piece, checksum, bytes) "
                         "VALUES ($1, $2, $3, $4) ON CONFLICT (snapshot, piece) DO NOTHING"};
// Counts the pieces: a failover may have lost some of them, which were not waited for.
constexpr Query kComplete{"snapshot_complete", R"sql(
UPDATE rein_snapshots SET complete = true
WHERE id = $1 AND (SELECT count(*) FROM rein_snapshot_pieces WHERE snapshot = $1) = $2
)sql"};
constexpr Query kPositions{"snapshot_positions", R"sql(
SELECT s.position FROM rein_heads h LEFT JOIN rein_snapshots s ON s.model = h.id AND s.complete
WHERE h.model = $1 GROUP BY s.position ORDER BY s.position DESC
)sql"};
constexpr Query kFind{"snapshot_find", R"sql(
SELECT s.id, s.chain, s.length FROM rein_heads h LEFT JOIN rein_snapshots s
  ON s.model = h.id AND s.complete AND s.position = $2
WHERE h.model = $1 ORDER BY s.id DESC LIMIT 1
)sql"};
constexpr Query kPiece{
    "snapshot_piece",
    "SELECT checksum, bytes FROM rein_snapshot_pieces WHERE snapshot = $1 AND piece = $2"};
// Snapshots before a position; of each position all but the newest; and those that were given up.
constexpr Query kClean{"snapshot_clean", R"sql(
DELETE FROM rein_snapshots s USING rein_heads h
WHERE h.model = $1 AND s.model = h.id AND (
  s.position < $2 OR
  (NOT s.complete AND s.begun < clock_timestamp() - interval '1 hour') OR
  (s.complete AND EXISTS (SELECT FROM rein_snapshots n WHERE n.model = s.model
                          AND n.position = s.position AND n.complete AND n.id > s.id)))
)sql"};

std::uint64_t first_checksum(std::int64_t position, std::size_t length,
                             std::optional<std::uint64_t> chain) {
  const std::string about =
      fmt::format("{} {} {}", position, length, chain ? fmt::format("{}", *chain) : "none");
  return chained(kChainStart, 0, about);
}

std::int64_t pieces_of(std::size_t length) {
  return static_cast<std::int64_t>((length + kPieceBytes - 1) / kPieceBytes);
}

}  // namespace

Result<std::int64_t> SnapshotTable::begin(const std::string& model, const Snapshot& snapshot) {
  Values values;
  values.text(model).number(snapshot.position);
  values.number_or_null(snapshot.chain ? std::optional(signed_of(*snapshot.chain)) : std::nullopt);
  values.number(static_cast<std::int64_t>(snapshot.bytes.size()));
  auto rows = store_.ask(Durable::kYes, kBegin, values);
  if (!rows) return rows.failure();
  if (rows.value().count() == 0) return unknown_model(model);
  return rows.value().number(0, 0);
}

Result<std::int64_t> SnapshotTable::put(const std::string& model, const Snapshot& snapshot) {
  auto id = begin(model, snapshot);
  if (!id) return id;
  const std::int64_t pieces = pieces_of(snapshot.bytes.size());
  std::uint64_t checksum = first_checksum(snapshot.position, snapshot.bytes.size(), snapshot.chain);
  for (std::int64_t piece = 1; piece <= pieces; ++piece) {
    const auto at = static_cast<std::size_t>(piece - 1) * kPieceBytes;
    const std::string_view bytes = std::string_view(snapshot.bytes).substr(at, kPieceBytes);
    checksum = chained(checksum, piece, bytes);
    Values values;
    values.number(id.value()).number(piece).number(signed_of(checksum)).bytes(bytes);
    if (auto done = store_.ask(Durable::kNo, kPut, values); !done) return done.failure();
  }
  auto done = store_.ask(Durable::kYes, kComplete, Values().number(id.value()).number(pieces));
  if (!done) return done.failure();
  if (done.value().touched() != 1) {
    return Error{
        fmt::format("the snapshot of model {} at entry {} lost pieces while it was written", model,
                    snapshot.position),
        Reason::kFailed};
  }
  // The two newest that are intact are kept, and what lies between them.
  auto found = positions(model);
  if (!found) return found.failure();
  int intact = 0;
  for (const std::int64_t position : found.value()) {
    if (position == snapshot.position || read(model, position).ok()) ++intact;
    if (intact < 2) continue;
    auto cleaned = store_.ask(Durable::kNo, kClean, Values().text(model).number(position));
    if (!cleaned) return cleaned.failure();
    return position;
  }
  return 0;
}

Result<std::vector<std::int64_t>> SnapshotTable::positions(const std::string& model) {
  auto rows = store_.ask(Durable::kYes, kPositions, Values().text(model));
  if (!rows) return rows.failure();
  if (rows.value().count() == 0) return unknown_model(model);
  std::vector<std::int64_t> found;
  for (int row = 0; row < rows.value().count(); ++row) {
    if (!rows.value().is_null(row, 0)) found.push_back(rows.value().number(row, 0));
  }
  return found;
}

Result<Snapshot> SnapshotTable::read(const std::string& model, std::int64_t position) {
  const std::string where = fmt::format("the snapshot of model {} at entry {}", model, position);
  auto rows = store_.ask(Durable::kYes, kFind, Values().text(model).number(position));
  if (!rows) return rows.failure();
  if (rows.value().count() == 0) return unknown_model(model);
  if (rows.value().is_null(0, 0)) return Error{where + " is not there", Reason::kFailed};
  const std::int64_t id = rows.value().number(0, 0);
  Snapshot snapshot{.position = position, .bytes = {}, .chain = {}};
  if (!rows.value().is_null(0, 1)) snapshot.chain = unsigned_of(rows.value().number(0, 1));
  const auto length = static_cast<std::size_t>(rows.value().number(0, 2));
  std::uint64_t checksum = first_checksum(position, length, snapshot.chain);
  for (std::int64_t piece = 1; piece <= pieces_of(length); ++piece) {
    auto found = store_.ask(Durable::kYes, kPiece, Values().number(id).number(piece));
    if (!found) return found.failure();
    if (found.value().count() == 0) {
      // Somebody may have put two newer snapshots meanwhile.
      auto again = store_.ask(Durable::kYes, kFind, Values().text(model).number(position));
      const bool gone = again && (again.value().count() == 0 || again.value().is_null(0, 0) ||
                                  again.value().number(0, 0) != id);
      if (!again || gone) return Error{where + " was removed while it was read", Reason::kFailed};
      return Error{fmt::format("{} lacks piece {}", where, piece), Reason::kCorrupt};
    }
    const std::string_view bytes = found.value().bytes(0, 1);
    checksum = chained(checksum, piece, bytes);
    if (unsigned_of(found.value().number(0, 0)) != checksum) {
      return Error{fmt::format("{}: the checksum of piece {} does not match", where, piece),
                   Reason::kCorrupt};
    }
    snapshot.bytes += bytes;
  }
  if (snapshot.bytes.size() == length) return snapshot;
  return Error{fmt::format("{} has {} bytes instead of {}", where, snapshot.bytes.size(), length),
               Reason::kCorrupt};
}

}  // namespace rein::postgres
