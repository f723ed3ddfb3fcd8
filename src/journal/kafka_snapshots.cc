#include "journal/kafka_snapshots.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <deque>

namespace rein::kafka {
namespace {

// One message has at most this much of a snapshot, and so many are on their way at a time.
constexpr std::size_t kPieceBytes = std::size_t{512} << 10U;
constexpr std::size_t kPiecesUnderway = 16;

std::string piece_prefix(const std::string& model, std::uint64_t upload) {
  return fmt::format("{}/{:016x}/", model, upload);
}

std::string piece_key(const std::string& model, std::uint64_t upload, std::int64_t piece) {
  return piece_prefix(model, upload) + std::to_string(piece);
}

// 0: it is no number.
std::int64_t number_in(std::string_view digits) {
  std::int64_t number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return read.ec == std::errc() && read.ptr == digits.data() + digits.size() ? number : 0;
}

// Of position, length and chain value; then of each piece in turn.
std::uint64_t first_checksum(std::int64_t position, std::int64_t length,
                             std::optional<std::uint64_t> chain) {
  return chained(chain.value_or(kChainStart), position, fmt::format("{} {}", length, chain.has_value()));
}

}  // namespace

Result<Manifest> SnapshotTopic::send_pieces(const std::string& model, const Snapshot& snapshot) {
  const MessageId upload = tail_.named();
  Manifest manifest{.chain = snapshot.chain,
                    .length = static_cast<std::int64_t>(snapshot.bytes.size()),
                    .pieces = 0,
                    .checksum = 0,
                    .upload = chained(upload.sender, static_cast<std::int64_t>(upload.number), model)};
  manifest.checksum = first_checksum(snapshot.position, manifest.length, snapshot.chain);
  std::deque<MessageId> underway;
  std::int64_t first = -1;
  const auto take_one = [&]() -> Result<> {
    auto offset = tail_.wait_acknowledged(underway.front(), Clock::now() + deadline_);
    underway.pop_front();
    if (!offset) return offset.failure();
    if (first < 0) first = offset.value();
    first = std::min(first, offset.value());
    manifest.after = std::max(manifest.after, offset.value() + 1);
    return {};
  };
  Result<> done;
  std::string_view rest = snapshot.bytes;
  while (done.ok() && !rest.empty()) {
    const std::string_view piece = rest.substr(0, kPieceBytes);
    rest.remove_prefix(piece.size());
    manifest.checksum = chained(manifest.checksum, ++manifest.pieces, piece);
    if (underway.size() == kPiecesUnderway) done = take_one();
    underway.push_back(tail_.announce());
    auto sent = client_.send(client_.address().snapshots(),
                             piece_key(model, manifest.upload, manifest.pieces), piece,
                             underway.back().number);
    if (!sent) {
      tail_.outcome(underway.back().number, sent.error(), 0);
      if (done) done = sent;
    }
  }
  while (!underway.empty()) {
    auto taken = take_one();
    if (!taken && done) done = taken;
  }
  if (!done) return done.failure();
  manifest.first = std::max<std::int64_t>(first, 0);
  return manifest;
}

Result<std::int64_t> SnapshotTopic::put(const std::string& model, const Snapshot& snapshot) {
  auto manifest = send_pieces(model, snapshot);
  if (!manifest) return manifest.failure();
  const auto before = tail_.with_directory(
      [&](const DirectoryState& directory) { return directory.models.at(model).snapshots; });
  const MessageId id = tail_.announce();
  const std::string& topic = client_.address().directory();
  if (auto sent = client_.send(topic, snapshot_key(model, snapshot.position),
                               manifest_bytes(id, manifest.value()), id.number);
      !sent) {
    tail_.outcome(id.number, sent.error(), 0);
  }
  if (auto noted = tail_.wait_for(id, Clock::now() + deadline_); !noted) return noted.failure();
  if (const auto old = before.find(snapshot.position); old != before.end()) {
    remove(model, -1, old->second);
  }
  const auto all = tail_.with_directory(
      [&](const DirectoryState& directory) { return directory.models.at(model).snapshots; });
  // The two newest that are intact stay; the older of them is what the caller asks for.
  int intact = 0;
  std::int64_t older = 0;
  for (auto each = all.rbegin(); each != all.rend(); ++each) {
    if (intact == 2) {
      remove(model, each->first, each->second);
    } else if (each->first == snapshot.position || read(model, each->first).ok()) {
      if (++intact == 2) older = each->first;
    }
  }
  return older;
}

// Deletions of pieces that are lost cost room only; nobody waits for them.
void SnapshotTopic::remove(const std::string& model, std::int64_t position, const Manifest& manifest) {
  if (position >= 0) {
    const MessageId id = tail_.announce();
    auto sent = client_.send(client_.address().directory(), snapshot_key(model, position), std::nullopt,
                             id.number);
    if (!sent) tail_.outcome(id.number, sent.error(), 0);
    // Without it the snapshot stays in the list, and the next put removes it.
    if (!tail_.wait_acknowledged(id, Clock::now() + deadline_)) return;
  }
  for (std::int64_t piece = 1; piece <= manifest.pieces; ++piece) {
    static_cast<void>(client_.send(client_.address().snapshots(),
                                   piece_key(model, manifest.upload, piece), std::nullopt, 0));
  }
}

Result<Snapshot> SnapshotTopic::read(const std::string& model, std::int64_t position) {
  const std::string where = fmt::format("the snapshot of model {} at entry {}", model, position);
  const auto found = tail_.with_directory([&](const DirectoryState& directory) -> std::optional<Manifest> {
    const auto& all = directory.models.at(model).snapshots;
    const auto at = all.find(position);
    return at == all.end() ? std::nullopt : std::optional(at->second);
  });
  if (!found) return Error{where + " is not there", Reason::kFailed};
  std::vector<std::string> pieces(static_cast<std::size_t>(found->pieces));
  std::int64_t missing = found->pieces;
  const std::string prefix = piece_prefix(model, found->upload);
  auto scanned = reader_.scan(
      client_.address().snapshots(), found->first, found->after, deadline_,
      [&](const rd_kafka_message_t& message) -> Result<bool> {
        const std::string_view key = key_of(message);
        const auto value = value_of(message);
        if (!value || !key.starts_with(prefix)) return true;
        const std::int64_t piece = number_in(key.substr(prefix.size()));
        if (piece < 1 || piece > found->pieces) return true;
        std::string& its = pieces[static_cast<std::size_t>(piece - 1)];
        if (its.empty()) --missing;
        its = *value;
        return missing > 0;
      });
  if (!scanned) return scanned.failure().in(where + ": ");
  Snapshot snapshot{.position = position, .bytes = {}, .chain = found->chain};
  std::uint64_t checksum = first_checksum(position, found->length, found->chain);
  for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
    checksum = chained(checksum, static_cast<std::int64_t>(piece) + 1, pieces[piece]);
    snapshot.bytes += pieces[piece];
  }
  if (missing == 0 && checksum == found->checksum) return snapshot;
  return Error{missing == 0 ? where + ": its checksum does not match"
                            : fmt::format("{} lacks {} of {} pieces", where, missing, found->pieces),
               Reason::kCorrupt};
}

}  // namespace rein::kafka
