#include "journal/postgres_schema.h"

#include <fmt/format.h>

namespace rein::postgres {
namespace {

constexpr Query kTablesVersionOf{"version", "SELECT version FROM rein_meta"};

// One transaction, in which the others wait for the first. Numbers are signed: chain values and
// checksums keep their 64 bits. Entries and snapshots are not compressed: it would take longer than
// writing them. Rows of heads, leases and nodes change all the time, and leave room on their pages for
// their next versions.
constexpr const char* kMakeTables = R"sql(
SELECT pg_advisory_xact_lock(8243100823410083169);
CREATE TABLE IF NOT EXISTS rein_meta (version bigint NOT NULL);
CREATE TABLE IF NOT EXISTS rein_heads (
  id bigint GENERATED ALWAYS AS IDENTITY,
  model text PRIMARY KEY,
  first bigint NOT NULL,
  before bigint NOT NULL,
  last bigint NOT NULL,
  chain bigint NOT NULL,
  epoch bigint NOT NULL,
  owner text NOT NULL
) WITH (fillfactor = 20);
CREATE TABLE IF NOT EXISTS rein_entries (
  model bigint NOT NULL,
  position bigint NOT NULL,
  epoch bigint NOT NULL,
  chain bigint NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (model, position)
);
ALTER TABLE rein_entries ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE TABLE IF NOT EXISTS rein_leases (
  model text PRIMARY KEY,
  holder text NOT NULL DEFAULT '',
  until timestamptz NOT NULL DEFAULT 'epoch',
  given boolean NOT NULL DEFAULT false,
  pinned text NOT NULL DEFAULT ''
) WITH (fillfactor = 20);
CREATE TABLE IF NOT EXISTS rein_nodes (
  node text PRIMARY KEY,
  address text NOT NULL,
  at timestamptz NOT NULL,
  models text[] NOT NULL,
  positions bigint[] NOT NULL
) WITH (fillfactor = 20);
CREATE TABLE IF NOT EXISTS rein_snapshots (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  model bigint NOT NULL,
  position bigint NOT NULL,
  chain bigint,
  length bigint NOT NULL,
  complete boolean NOT NULL,
  begun timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS rein_snapshots_of ON rein_snapshots (model, position);
CREATE TABLE IF NOT EXISTS rein_snapshot_pieces (
  snapshot bigint NOT NULL REFERENCES rein_snapshots ON DELETE CASCADE,
  piece bigint NOT NULL,
  checksum bigint NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (snapshot, piece)
);
ALTER TABLE rein_snapshot_pieces ALTER COLUMN bytes SET STORAGE EXTERNAL;
INSERT INTO rein_meta SELECT 1 WHERE NOT EXISTS (SELECT FROM rein_meta);
)sql";

}  // namespace

Result<> make_tables(Connection& connection, Clock::time_point deadline) {
  auto version = connection.run(kTablesVersionOf, {}, deadline);
  if (!version && connection.state() == kStateNoTable) {
    if (auto made = connection.run_text(kMakeTables, deadline); !made) return made;
    version = connection.run(kTablesVersionOf, {}, deadline);
  }
  if (!version) return version.failure();
  if (version.value().count() != 1) {
    return Error{
        fmt::format("PostgreSQL: rein_meta has {} rows instead of 1", version.value().count()),
        Reason::kCorrupt};
  }
  const std::int64_t found = version.value().number(0, 0);
  if (found == kTablesVersion) return {};
  return Error{
      fmt::format("PostgreSQL: the tables of rein have version {}; this program knows version {}",
                  found, kTablesVersion),
      Reason::kFailed};
}

}  // namespace rein::postgres
