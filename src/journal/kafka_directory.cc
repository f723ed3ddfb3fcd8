#include "journal/kafka_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "rein/bytes.h"

namespace rein::kafka {
namespace {

// Of the form of all messages: a newer number is refused by name.
constexpr std::int64_t kDirectoryForm = 1;

ByteWriter opened(MessageId id) {
  ByteWriter out;
  out.tag("rein");
  out.i64(kDirectoryForm);
  out.u64(id.sender);
  out.u64(id.number);
  return out;
}

// KIND/MODEL or KIND/MODEL/NUMBER. Names of models and nodes may have no slash in front of a number.
struct Key {
  std::string_view kind;
  std::string name;
  std::int64_t number = 0;
};

Result<Key> read_key(std::string_view text) {
  Key key{.kind = text.substr(0, text.find('/')), .name = {}};
  if (key.kind.size() == text.size()) return key;
  std::string_view rest = text.substr(key.kind.size() + 1);
  if (key.kind == "mark" || key.kind == "snapshot") {
    const auto slash = rest.rfind('/');
    const std::string_view digits = slash == std::string_view::npos ? "" : rest.substr(slash + 1);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), key.number);
    if (digits.empty() || read.ec != std::errc() || read.ptr != digits.data() + digits.size()) {
      return Error{fmt::format("a message of the directory has the key \"{}\"", text),
                   Reason::kCorrupt};
    }
    rest = rest.substr(0, slash);
  }
  key.name = rest;
  return key;
}

void fold_deletion(DirectoryState& directory, const Key& key) {
  if (key.kind == "node") directory.nodes.erase(key.name);
  const auto model = directory.models.find(key.name);
  if (model == directory.models.end()) return;
  if (key.kind == "mark") model->second.marks.erase(key.number);
  if (key.kind == "snapshot") model->second.snapshots.erase(key.number);
}

void fold_beat(DirectoryState& directory, const std::string& name, ByteReader& in, std::int64_t at) {
  Beaten node{.address = in.text(), .at = at, .followed = {}};
  const std::int64_t lease = in.count();
  std::vector<std::string> held;
  for (std::int64_t count = in.count(); count > 0 && in.ok(); --count) held.push_back(in.text());
  for (std::int64_t count = in.count(); count > 0 && in.ok(); --count) {
    NodeBeat::Followed followed;
    followed.model = in.text();
    followed.position = in.count();
    node.followed.push_back(std::move(followed));
  }
  if (!in.ok()) return;
  directory.nodes[name] = std::move(node);
  for (auto& [model, known] : directory.models) {
    Lease& its = known.lease;
    const bool keeps = std::ranges::find(held, model) != held.end();
    // Nobody has it, so whoever says that it does is right.
    if (keeps && (its.holder.empty() || its.until <= at)) its.holder = name;
    if (its.holder != name) continue;
    if (keeps) its.until = std::max(its.until, at + lease);
    if (keeps) its.given = false;
    if (!keeps && !its.given) its.holder.clear();
  }
}

bool fold_lease(Lease& lease, const LeaseMessage& message, std::int64_t at) {
  if (message.version < lease.version) return false;
  // A later version than the next: earlier messages were compacted, and its sender knew them.
  const bool known = message.version == lease.version;
  const bool given = !message.from.empty();
  if (known && given && lease.holder != message.from) return false;
  if (known && !given && !lease.holder.empty() && lease.holder != message.holder &&
      lease.until > at) {
    return false;
  }
  lease = {.version = message.version + 1,
           .holder = message.holder,
           .until = at + message.millis,
           .given = given};
  return true;
}

LeaseMessage read_lease(ByteReader& in) {
  LeaseMessage lease;
  lease.version = in.count();
  lease.from = in.text();
  lease.holder = in.text();
  lease.millis = in.count();
  return lease;
}

Mark read_mark(ByteReader& in) {
  Mark mark{.offset = in.count(), .head = {}};
  auto head = log_head(in.text());
  if (head) mark.head = std::move(head).value();
  if (!head) in.fail(head.error());
  return mark;
}

Manifest read_manifest(ByteReader& in) {
  Manifest manifest;
  const bool chained = in.between("chain", 0, 1) == 1;
  const std::uint64_t chain = in.u64();
  if (chained) manifest.chain = chain;
  manifest.length = in.count();
  manifest.pieces = in.count();
  manifest.checksum = in.u64();
  manifest.upload = in.u64();
  manifest.first = in.count();
  manifest.after = in.count();
  return manifest;
}

}  // namespace

std::string node_key(const std::string& node) { return "node/" + node; }
std::string model_key(const std::string& model) { return "model/" + model; }
std::string lease_key(const std::string& model) { return "lease/" + model; }
std::string pin_key(const std::string& model) { return "pin/" + model; }
std::string mark_key(const std::string& model, std::int64_t last) {
  return fmt::format("mark/{}/{}", model, last);
}
std::string snapshot_key(const std::string& model, std::int64_t position) {
  return fmt::format("snapshot/{}/{}", model, position);
}

std::string plain_bytes(MessageId id) { return opened(id).take(); }

std::string text_bytes(MessageId id, std::string_view text) {
  ByteWriter out = opened(id);
  out.text(text);
  return out.take();
}

std::string beat_bytes(MessageId id, const NodeBeat& beat) {
  ByteWriter out = opened(id);
  out.text(beat.address);
  out.i64(beat.lease.count());
  out.i64(static_cast<std::int64_t>(beat.held.size()));
  for (const std::string& model : beat.held) out.text(model);
  out.i64(static_cast<std::int64_t>(beat.followed.size()));
  for (const NodeBeat::Followed& followed : beat.followed) {
    out.text(followed.model);
    out.i64(followed.position);
  }
  return out.take();
}

std::string lease_bytes(MessageId id, const LeaseMessage& lease) {
  ByteWriter out = opened(id);
  out.i64(lease.version);
  out.text(lease.from);
  out.text(lease.holder);
  out.i64(lease.millis);
  return out.take();
}

std::string mark_bytes(MessageId id, const Mark& mark) {
  ByteWriter out = opened(id);
  out.i64(mark.offset);
  out.text(bytes_of(mark.head));
  return out.take();
}

std::string manifest_bytes(MessageId id, const Manifest& manifest) {
  ByteWriter out = opened(id);
  out.i64(manifest.chain ? 1 : 0);
  out.u64(manifest.chain.value_or(0));
  out.i64(manifest.length);
  out.i64(manifest.pieces);
  out.u64(manifest.checksum);
  out.u64(manifest.upload);
  out.i64(manifest.first);
  out.i64(manifest.after);
  return out.take();
}

Result<DirectoryState::Folded> DirectoryState::fold(std::string_view key_text,
                                          std::optional<std::string_view> value, std::int64_t at) {
  auto key = read_key(key_text);
  if (!key) return key.failure();
  const auto& [kind, name, number] = key.value();
  if (!value) {
    fold_deletion(*this, key.value());
    return Folded();
  }
  ByteReader in(*value);
  Folded folded;
  in.tag("rein");
  in.between("form of a message", 1, kDirectoryForm);
  folded.id = {.sender = in.u64(), .number = in.u64()};
  if (kind == "node") {
    fold_beat(*this, name, in, at);
  } else if (kind == "model") {
    if (!has(name)) folded.model = name;
    models[name].made = true;
  } else if (kind == "lease") {
    const LeaseMessage lease = read_lease(in);
    if (in.ok()) folded.accepted = fold_lease(models[name].lease, lease, at);
  } else if (kind == "pin") {
    models[name].pinned = in.text();
  } else if (kind == "mark") {
    models[name].marks[number] = read_mark(in);
  } else if (kind == "snapshot") {
    models[name].snapshots[number] = read_manifest(in);
  } else if (kind != kClockKey) {
    in.fail("there is no such kind of message");
  }
  if (auto whole = in.finish(); !whole) {
    return Error{fmt::format("the directory's message \"{}\": {}", key_text, whole.error()),
                 Reason::kCorrupt};
  }
  return folded;
}

ClusterView view_of(const DirectoryState& directory, const std::map<std::string, LogHead>& heads, std::int64_t at,
                    std::vector<std::string>& silent) {
  constexpr std::int64_t kForgetMillis = 86'400'000;
  ClusterView view{.nodes = {}, .models = {}, .now = at / 1000};
  for (const auto& [name, node] : directory.nodes) {
    const std::int64_t age = std::max<std::int64_t>(at - node.at, 0);
    if (age > kForgetMillis) {
      silent.push_back(name);
    } else {
      view.nodes.push_back({name, node.address, age, node.followed});
    }
  }
  for (const auto& [name, model] : directory.models) {
    if (!model.made && model.lease.holder.empty()) continue;
    const std::int64_t left = model.lease.holder.empty() ? 0 : model.lease.until - at;
    const auto head = heads.find(name);
    view.models.push_back(
        {name, model.lease.holder, left, model.pinned, head == heads.end() ? LogHead() : head->second});
  }
  return view;
}

}  // namespace rein::kafka
