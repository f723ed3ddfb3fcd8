// The tables of rein in a database of PostgreSQL. Used by postgres_*.cc only.
//
//   rein_meta             the version of these tables
//   rein_heads            one row per model: where its journal begins and ends, and its owner (LogHead)
//   rein_entries          (model, position): epoch, chain value and bytes of every entry
//   rein_leases           one row per model: who holds its lease, until when, and the node it is pinned to
//   rein_nodes            one row per node: its address, its last beat, and what it follows
//   rein_snapshots        one row per snapshot; it counts once it is complete
//   rein_snapshot_pieces  the bytes of snapshots, in pieces with checksums
//
// An append reads and changes only rein_heads and rein_entries. Leases have a table of their own, so
// that a beat never waits for an append that waits for a standby.
#pragma once

#include "journal/postgres_connection.h"

namespace rein::postgres {

inline constexpr std::int64_t kTablesVersion = 1;

// Makes the tables if they are missing; several nodes may do so at once. kFailed: they cannot be made or
// read, or are of a newer version than this program knows.
Result<> make_tables(Connection& connection, Clock::time_point deadline);

}  // namespace rein::postgres
