#include "journal/postgres_entries.h"

#include <fmt/format.h>

#include <algorithm>

#include "journal/entry_size.h"

namespace rein::postgres {
namespace {

// A group is one value of the protocol, which takes 1 GiB.
constexpr std::size_t kMostGroupBytes = std::size_t{512} << 20U;
// Rows that one read looks at. Entries of a service have about 300 bytes.
constexpr std::size_t kMostRowsRead = 4096;
constexpr std::size_t kLeastBytesPerRow = 64;
// Rows that one call of delete_dropped() deletes; it takes a few milliseconds.
constexpr std::int64_t kDeletedAtOnce = 2000;
// A claim waits this long for whoever changes the head, before it ends their connections.
constexpr std::chrono::milliseconds kBlockedAfter{250};

// The head of a model, in this order, in every answer that has one.
#define REIN_HEAD "first, before, last, chain, epoch, owner"

constexpr Query kHead{"head", "SELECT " REIN_HEAD " FROM rein_heads WHERE model = $1"};

constexpr Query kClaim{"claim",
                           "UPDATE rein_heads SET epoch = epoch + 1, owner = $2 WHERE model = $1 "
                           "RETURNING " REIN_HEAD};
constexpr Query kCreate{"create", R"sql(
INSERT INTO rein_heads (model, first, before, last, chain, epoch, owner)
VALUES ($1, 1, $3, 0, $3, 1, $2)
ON CONFLICT (model) DO UPDATE SET epoch = rein_heads.epoch + 1, owner = excluded.owner
RETURNING )sql" REIN_HEAD};

// Ends the sessions of ours for which this one waits: of owners that were paused in the middle of a
// statement. Not those that wait for another session, which has to be ended first, and not those that
// wait for a standby: they would commit without it.
constexpr Query kEndBlockers{"end_blockers", R"sql(
SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a
WHERE a.pid = ANY (pg_blocking_pids($1::bigint::int)) AND a.usename = current_user
  AND a.wait_event_type IS DISTINCT FROM 'Lock' AND a.wait_event IS DISTINCT FROM 'SyncRep'
)sql"};

// The whole append. An UPDATE that had to wait for another one looks at the row again, so of two groups
// for the same place one finds the head elsewhere.
constexpr Query kAppend{"append", R"sql(
WITH head AS (
  UPDATE rein_heads SET last = $3::bigint + cardinality($6::bytea[]), chain = $7
  WHERE model = $1 AND epoch = $2::bigint AND last = $3::bigint AND chain = $4
  RETURNING id)
INSERT INTO rein_entries (model, position, epoch, chain, bytes)
SELECT head.id, $3::bigint + entry.place, $2::bigint, entry.chain, entry.bytes
FROM head, unnest($5::bigint[], $6::bytea[]) WITH ORDINALITY AS entry (chain, bytes, place)
)sql"};

// Reads the head when nobody changes it any more, and writes it as it is. The commit of this write
// reaches the standby after everything that the answer shows. A server that was killed while a commit
// waited for its standby shows that commit after its restart, before the standby has it.
constexpr Query kConfirm{
    "confirm", "UPDATE rein_heads SET last = last WHERE model = $1 RETURNING " REIN_HEAD ", id"};
constexpr Query kEntryAt{
    "entry_at", "SELECT epoch, chain FROM rein_entries WHERE model = $1 AND position = $2"};

// The entry before the first comes too, without its bytes.
constexpr Query kRead{"read", R"sql(
SELECT h.first, h.before, h.last, h.chain, e.position, e.epoch, e.chain, e.bytes
FROM rein_heads h LEFT JOIN LATERAL (
  SELECT position, epoch, chain, CASE WHEN position >= $2::bigint THEN bytes END AS bytes,
         sum(CASE WHEN position >= $2::bigint THEN octet_length(bytes) ELSE 0 END)
           OVER (ORDER BY position ROWS UNBOUNDED PRECEDING) AS total
  FROM (SELECT * FROM rein_entries
        WHERE model = h.id AND position >= greatest(h.first, $2::bigint - 1) AND position <= h.last
        ORDER BY position LIMIT $4) AS kept
) AS e ON e.total <= $3::bigint OR e.position <= $2::bigint
WHERE h.model = $1 ORDER BY e.position
)sql"};

constexpr Query kDrop{"drop", R"sql(
UPDATE rein_heads h SET first = $3::bigint,
  before = CASE WHEN $3::bigint = h.last + 1 THEN h.chain ELSE (
    SELECT e.chain FROM rein_entries e WHERE e.model = h.id AND e.position = $3::bigint - 1) END
WHERE model = $1 AND epoch = $2 AND first < $3::bigint AND last + 1 >= $3::bigint
)sql"};

constexpr Query kDelete{"delete", R"sql(
DELETE FROM rein_entries e USING rein_heads h, LATERAL (
  SELECT position FROM rein_entries WHERE model = h.id AND position < h.first
  ORDER BY position LIMIT $2) AS old
WHERE h.model = $1 AND e.model = h.id AND e.position = old.position
)sql"};

LogHead head_of(const Rows& rows) {
  return {.first = rows.number(0, 0),
          .before = unsigned_of(rows.number(0, 1)),
          .last = rows.number(0, 2),
          .chain = unsigned_of(rows.number(0, 3)),
          .epoch = rows.number(0, 4),
          .owner = rows.text(0, 5)};
}

Error fenced(std::string why) { return {std::move(why), Reason::kFenced}; }

}  // namespace

Result<LogHead> Entries::head(const std::string& model) {
  auto rows = store_.ask(Durable::kYes, kHead, Values().text(model));
  if (!rows) return rows.failure();
  if (rows.value().count() == 0) return unknown_model(model);
  return head_of(rows.value());
}

void Entries::end_blockers(int pid) {
  // If it fails, the claim goes on waiting.
  (void)store_.ask(Durable::kNo, kEndBlockers, Values().number(pid));
}

Result<LogHead> Entries::claim(const std::string& model, const std::string& node, bool create) {
  Values values;
  values.text(model).text(node);
  if (create) values.number(signed_of(kChainStart));
  const auto work = [&](Connection& connection, Clock::time_point until) -> Result<Rows> {
    const auto sent = connection.start(create ? kCreate : kClaim, values, until);
    if (!sent) return sent.failure();
    while (!connection.ready(std::min(until, Clock::now() + kBlockedAfter)) &&
           Clock::now() < until) {
      end_blockers(connection.pid());
    }
    return connection.answer(until);
  };
  auto rows = store_.call(Durable::kYes, work);
  if (!rows) return rows.failure();
  if (rows.value().count() == 0) return unknown_model(model);
  return head_of(rows.value());
}

Result<> Entries::append(const std::string& model, const LogGroup& group) {
  if (group.entries.empty()) return {};
  std::vector<std::int64_t> chains;
  std::uint64_t chain = group.chain;
  std::int64_t number = group.last;
  std::size_t bytes = 0;
  for (const std::string_view entry : group.entries) {
    if (auto accepted = check_entry_bytes(entry.size()); !accepted) return accepted;
    chain = chained(chain, ++number, entry);
    chains.push_back(signed_of(chain));
    bytes += entry.size();
  }
  if (bytes > kMostGroupBytes) {
    return Error{fmt::format("a group of entries has {} bytes; at most {} are accepted", bytes,
                             kMostGroupBytes)};
  }
  Values values;
  values.text(model).number(group.epoch).number(group.last).number(signed_of(group.chain));
  values.numbers(chains).many_bytes(group.entries).number(signed_of(chain));
  std::string state;
  auto rows = store_.ask(Durable::kYes, kAppend, values, &state);
  if (rows && rows.value().touched() == static_cast<std::int64_t>(group.entries.size())) return {};
  if (!rows && state != kStateUniqueViolation) return rows.failure();
  return settle(model, group, chain);
}

// The head was not where the group begins. Either the group was committed when it was sent before, or it
// never can be: epoch and end of a journal only grow.
Result<> Entries::settle(const std::string& model, const LogGroup& group, std::uint64_t chain) {
  auto rows = store_.ask(Durable::kYes, kConfirm, Values().text(model));
  if (!rows) return rows.failure();
  if (rows.value().count() == 0) return unknown_model(model);
  const LogHead head = head_of(rows.value());
  const std::int64_t end = group.last + static_cast<std::int64_t>(group.entries.size());
  if (group.last >= head.first - 1 && end <= head.last) {
    auto entry =
        store_.ask(Durable::kYes, kEntryAt, Values().number(rows.value().number(0, 6)).number(end));
    if (!entry) return entry.failure();
    const Rows& found = entry.value();
    if (found.count() == 1 && found.number(0, 0) == group.epoch &&
        unsigned_of(found.number(0, 1)) == chain) {
      return {};
    }
  }
  if (head.epoch != group.epoch) {
    return fenced(fmt::format("model {}: node {} has claimed it with epoch {}; this is epoch {}",
                              model, head.owner, head.epoch, group.epoch));
  }
  if (head.last == group.last && head.chain == group.chain) {
    return Error{fmt::format("model {}: entry {} is in the way of the journal, which ends at {}",
                             model, head.last + 1, head.last),
                 Reason::kCorrupt};
  }
  return fenced(fmt::format("model {}: its journal ends at entry {}, not at {}", model, head.last,
                            group.last));
}

Result<LogSlice> Entries::read(const std::string& model, std::int64_t from,
                               std::size_t most_bytes) {
  const std::size_t most = std::min<std::size_t>(most_bytes, std::size_t{1} << 40U);
  const std::size_t limit = std::clamp<std::size_t>(most / kLeastBytesPerRow, 1, kMostRowsRead) + 1;
  Values values;
  values.text(model).number(from).number(static_cast<std::int64_t>(most));
  values.number(static_cast<std::int64_t>(limit));
  auto answer = store_.ask(Durable::kYes, kRead, values);
  if (!answer) return answer.failure();
  const Rows& rows = answer.value();
  if (rows.count() == 0) return unknown_model(model);
  const std::int64_t first = rows.number(0, 0), last = rows.number(0, 2);
  if (from < first) {
    return Error{fmt::format("entry {} is gone; the first that is kept is {}", from, first)};
  }
  LogSlice slice{
      .from = from, .before = unsigned_of(rows.number(0, from == first ? 1 : 3)), .entries = {}};
  if (from > last) return slice;
  std::int64_t expected = std::max(first, from - 1);
  for (int row = 0; row < rows.count(); ++row, ++expected) {
    if (rows.is_null(row, 4) || rows.number(row, 4) != expected) {
      return Error{fmt::format("journal entry {} of model {} is missing", expected, model),
                   Reason::kCorrupt};
    }
    const std::uint64_t chain = unsigned_of(rows.number(row, 6));
    if (expected < from) {
      slice.before = chain;
    } else {
      slice.entries.push_back({rows.text(row, 7), chain, rows.number(row, 5)});
    }
  }
  return slice;
}

Result<> Entries::drop_before(const std::string& model, std::int64_t epoch, std::int64_t number) {
  auto rows = store_.ask(Durable::kYes, kDrop, Values().text(model).number(epoch).number(number));
  if (!rows) return rows.failure();
  if (rows.value().touched() == 1) return {};
  auto found = head(model);
  if (!found) return found.failure();
  if (found.value().epoch != epoch) {
    return fenced(fmt::format("model {}: its epoch is {}", model, found.value().epoch));
  }
  if (found.value().first >= number) return {};
  return Error{fmt::format("cannot drop the entries before {}: the last one is {}", number,
                           found.value().last)};
}

Result<bool> Entries::delete_dropped(const std::string& model) {
  auto rows = store_.ask(Durable::kNo, kDelete, Values().text(model).number(kDeletedAtOnce));
  if (!rows) return rows.failure();
  return rows.value().touched() == kDeletedAtOnce;
}

}  // namespace rein::postgres
