#include "journal/kafka_fold.h"

#include <fmt/format.h>

#include "rein/bytes.h"

namespace rein::kafka {
namespace {

// Of the form of all messages: a newer number is refused by name.
constexpr std::int64_t kMessageForm = 1;

// A length, then bytes, as ByteWriter::text() writes them.
std::size_t text_size(std::string_view text) { return 8 + text.size(); }

Error foreign(const std::string& why) {
  return {"a message in the topic of a model is not rein's: " + why, Reason::kCorrupt};
}

}  // namespace

std::string bytes_of(const ModelMessage& message) {
  std::string room;
  std::size_t size = 128 + message.node.size();
  for (const std::string_view entry : message.entries) size += text_size(entry);
  room.reserve(size);
  ByteWriter out(std::move(room));
  out.tag("rein");
  out.i64(kMessageForm);
  out.i64(static_cast<std::int64_t>(message.kind));
  out.u64(message.id.sender);
  out.u64(message.id.number);
  out.i64(message.epoch);
  out.i64(message.last);
  out.u64(message.chain);
  out.u64(message.chain_after);
  out.text(message.node);
  out.i64(static_cast<std::int64_t>(message.entries.size()));
  for (const std::string_view entry : message.entries) out.text(entry);
  return out.take();
}

Result<ModelMessage> model_message(std::string_view bytes) {
  ByteReader in(bytes);
  ModelMessage message;
  in.tag("rein");
  in.between("form of a message", 1, kMessageForm);
  message.kind = static_cast<ModelMessage::Kind>(in.between("kind of a message", 1, 3));
  message.id.sender = in.u64();
  message.id.number = in.u64();
  message.epoch = in.count();
  message.last = in.count();
  message.chain = in.u64();
  message.chain_after = in.u64();
  message.node = in.text();
  const std::int64_t count = in.count();
  if (!in.ok()) return foreign(in.status().error());
  if (static_cast<std::size_t>(count) > in.left() / 8) return foreign("too many entries");
  std::string_view rest = bytes.substr(bytes.size() - in.left());
  for (std::int64_t entry = 0; entry < count; ++entry) {
    ByteReader length(rest);
    const std::int64_t size = length.count();
    if (!length.ok() || static_cast<std::size_t>(size) > length.left()) {
      return foreign(fmt::format("entry {} of {} is cut off", entry + 1, count));
    }
    message.entries.push_back(rest.substr(8, static_cast<std::size_t>(size)));
    rest.remove_prefix(text_size(message.entries.back()));
  }
  if (!rest.empty()) return foreign("bytes are left over");
  return message;
}

Result<bool> fold(LogHead& head, const ModelMessage& message) {
  if (message.kind == ModelMessage::Kind::kClaim) {
    if (message.epoch != head.epoch + 1) return false;
    head.epoch = message.epoch;
    head.owner = message.node;
    return true;
  }
  if (head.epoch == 0 || message.epoch != head.epoch) return false;
  if (message.kind == ModelMessage::Kind::kDrop) {
    if (message.last < head.first || message.last > head.last) return false;
    head.first = message.last + 1;
    head.before = message.chain;
    return true;
  }
  if (message.last != head.last || message.chain != head.chain) return false;
  std::int64_t number = head.last;
  std::uint64_t chain = head.chain;
  for (const std::string_view entry : message.entries) chain = chained(chain, ++number, entry);
  if (chain != message.chain_after) {
    return Error{fmt::format("journal entries {} to {}: their checksum does not match",
                             message.last + 1, number),
                 Reason::kCorrupt};
  }
  head.last = number;
  head.chain = chain;
  return true;
}

std::string bytes_of(const LogHead& head) {
  ByteWriter out;
  out.i64(head.first);
  out.u64(head.before);
  out.i64(head.last);
  out.u64(head.chain);
  out.i64(head.epoch);
  out.text(head.owner);
  return out.take();
}

Result<LogHead> log_head(std::string_view bytes) {
  ByteReader in(bytes);
  LogHead head;
  head.first = in.count();
  head.before = in.u64();
  head.last = in.count();
  head.chain = in.u64();
  head.epoch = in.count();
  head.owner = in.text();
  if (auto whole = in.finish(); !whole) return Error{whole.error(), Reason::kCorrupt};
  return head;
}

}  // namespace rein::kafka
