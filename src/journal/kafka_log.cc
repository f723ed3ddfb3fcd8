#include "journal/kafka_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "journal/kafka_reader.h"
#include "journal/kafka_snapshots.h"
#include "journal/kafka_tail.h"
#include "journal/kafka_topics.h"

namespace rein::kafka {
namespace {

Error unknown_to_kafka(const std::string& model) {
  return {fmt::format("there is no journal of model {}", model), Reason::kUnknown};
}
Error fenced_by_kafka(std::string why) { return {std::move(why), Reason::kFenced}; }

std::int64_t steady_millis() {
  return std::chrono::floor<milliseconds>(Clock::now().time_since_epoch()).count();
}

class KafkaLog final : public SharedLog {
 public:
  explicit KafkaLog(const KafkaOptions& options) : options_(options) {}

  Result<> open(const Address& address) {
    address_ = address;
    reader_ = std::make_unique<Reader>(address);
    auto client = Client::connect(
        address, options_.deadline,
        [this](std::uint64_t number, const std::string& error, std::int64_t offset) {
          if (tail_) tail_->outcome(number, error, offset);
        });
    if (!client) return client.failure();
    client_ = std::move(client).value();
    if (auto made = make_topics(*client_, address_); !made) return made;
    auto tail = Tail::start(address);
    if (!tail) return tail.failure();
    tail_ = std::move(tail).value();
    snapshots_ = std::make_unique<SnapshotTopic>(*client_, *tail_, *reader_, options_.deadline);
    // The first message shows that we may write, reads the directory, and tells the time of the brokers.
    if (auto noted = say(std::string(kClockKey), plain_bytes); !noted) return noted.failure();
    tail_->follow_models();
    return options_.notice ? say_what_is_durable(*client_, address_, options_.notice) : Result<>();
  }

  Result<LogHead> head(const std::string& model) override {
    if (auto there = find(model); !there) return there.failure();
    return newest_head(model);
  }

  Result<LogHead> claim(const std::string& model, const std::string& node, bool create) override {
    const auto until = deadline();
    auto there = find(model);
    if (!there && there.reason() != Reason::kUnknown) return there.failure();
    if (!there && !create) return there.failure();
    if (!there) there = make_model(model);
    if (!there) return there.failure();
    while (true) {
      auto head = newest_head(model, create);
      if (!head) return head;
      ModelMessage message{.kind = ModelMessage::Kind::kClaim,
                           .id = tail_->announce(),
                           .epoch = head.value().epoch + 1,
                           .node = node,
                           .entries = {}};
      auto verdict = say_to(model, message, until);
      if (!verdict) return verdict.failure();
      if (verdict.value().accepted) {
        note_mark(model, verdict.value());
        return verdict.value().head;
      }
    }
  }

  Result<> append(const std::string& model, const LogGroup& group) override {
    const auto until = deadline();
    if (auto there = find(model); !there) return there;
    auto head = known_head(model);
    if (head && (head.value().epoch < group.epoch || head.value().last < group.last)) {
      head = newest_head(model);
    }
    if (!head) return head.failure();
    const LogHead& now = head.value();
    if (now.epoch != group.epoch || now.last != group.last || now.chain != group.chain) {
      return there_or_fenced(model, group, now);
    }
    if (auto fits = check_group_fits(group); !fits) return fits;
    ModelMessage message{.kind = ModelMessage::Kind::kGroup,
                         .id = tail_->announce(),
                         .epoch = group.epoch,
                         .last = group.last,
                         .chain = group.chain,
                         .chain_after = group.chain,
                         .node = {},
                         .entries = {group.entries.begin(), group.entries.end()}};
    std::int64_t number = group.last;
    for (const std::string_view entry : group.entries) {
      message.chain_after = chained(message.chain_after, ++number, entry);
    }
    auto verdict = say_to(model, message, until);
    if (!verdict) return verdict.failure();
    if (!verdict.value().accepted) return there_or_fenced(model, group, verdict.value().head);
    if (verdict.value().mark_due) note_mark(model, verdict.value());
    return {};
  }

  Result<LogSlice> read(const std::string& model, std::int64_t from, std::size_t most_bytes) override {
    if (auto there = find(model); !there) return there.failure();
    auto head = known_head(model);
    if (!head) return head.failure();
    if (from < head.value().first) {
      return Error{fmt::format("entry {} is gone; the first that is kept is {}", from, head.value().first)};
    }
    if (auto recent = tail_->recent(model, from, most_bytes)) return std::move(*recent);
    return reader_->entries(model, mark_before(model, from), tail_->next_of(model), from, most_bytes,
                            options_.deadline);
  }

  Result<> drop_before(const std::string& model, std::int64_t epoch, std::int64_t number) override {
    const auto until = deadline();
    if (auto there = find(model); !there) return there;
    auto head = newest_head(model);
    if (!head) return head.failure();
    if (head.value().epoch != epoch) {
      return fenced_by_kafka(fmt::format("model {}: its epoch is {}", model, head.value().epoch));
    }
    number = std::min(number, head.value().last + 1);
    if (number <= head.value().first) return {};
    std::uint64_t chain = head.value().chain;
    if (number <= head.value().last) {
      auto slice = read(model, number, 1);
      if (!slice) return slice.failure();
      chain = slice.value().before;
    }
    auto place = reader_->place_before(model, mark_before(model, number), tail_->next_of(model), number,
                                       options_.deadline);
    if (!place) return place.failure();
    // Whoever starts later begins at this mark, so it must be there before messages are deleted.
    const std::int64_t last = place.value().head.last;
    auto noted = say(mark_key(model, last), [&](MessageId id) { return mark_bytes(id, place.value()); });
    if (!noted) return noted.failure();
    auto dropped = say_to(model,
                          {.kind = ModelMessage::Kind::kDrop,
                           .id = tail_->announce(),
                           .epoch = epoch,
                           .last = number - 1,
                           .chain = chain,
                           .node = {},
                           .entries = {}},
                          until);
    if (!dropped) return dropped.failure();
    if (!dropped.value().accepted) {
      return fenced_by_kafka(fmt::format("model {}: its epoch is {}", model, dropped.value().head.epoch));
    }
    delete_before(model, place.value());
    return {};
  }

  void wait_for_entries(milliseconds most) override { tail_->wait_for_entries(most); }

  Result<std::int64_t> put_snapshot(const std::string& model, const Snapshot& snapshot) override {
    if (auto there = find(model); !there) return there.failure();
    if (auto read = read_directory(); !read) return read.failure();
    return snapshots_->put(model, snapshot);
  }
  Result<std::vector<std::int64_t>> snapshot_positions(const std::string& model) override {
    if (auto there = find(model); !there) return there.failure();
    if (auto read = read_directory(); !read) return read.failure();
    return tail_->with_directory([&](const DirectoryState& directory) {
      std::vector<std::int64_t> positions;
      for (const auto& [position, manifest] : directory.models.at(model).snapshots) {
        positions.insert(positions.begin(), position);
      }
      return positions;
    });
  }
  Result<Snapshot> snapshot(const std::string& model, std::int64_t position) override {
    if (auto there = find(model); !there) return there.failure();
    if (auto read = read_directory(); !read) return read.failure();
    return snapshots_->read(model, position);
  }

  Result<ClusterView> beat(const NodeBeat& beat) override {
    if (beat.node.empty()) {
      if (auto read = read_directory(); !read) return read.failure();
      return view();
    }
    auto noted = say(node_key(beat.node), [&](MessageId id) { return beat_bytes(id, beat); });
    if (!noted) return noted.failure();
    return view();
  }

  Result<bool> take_lease(const std::string& model, const std::string& node,
                          milliseconds lease) override {
    if (auto read = read_directory(); !read) return read.failure();
    const auto until = deadline();
    while (true) {
      const Lease its = lease_of(model);
      if (!its.holder.empty() && its.holder != node && its.until > now()) return false;
      const LeaseMessage message{
          .version = its.version, .from = {}, .holder = node, .millis = lease.count()};
      auto taken = say(lease_key(model), [&](MessageId id) { return lease_bytes(id, message); });
      if (!taken) return taken.failure();
      if (taken.value().accepted) return true;
      if (Clock::now() > until) return false;
    }
  }

  Result<> give_lease(const std::string& model, const std::string& node, const std::string& to,
                      milliseconds lease) override {
    if (auto there = find(model); !there) return there;
    if (auto read = read_directory(); !read) return read;
    while (true) {
      const Lease its = lease_of(model);
      if (its.holder == to && to != node) return {};  // it was given, and the answer was lost
      if (its.holder != node) {
        return fenced_by_kafka(fmt::format("model {}: {} has its lease", model,
                                  its.holder.empty() ? "nobody" : its.holder));
      }
      const LeaseMessage message{
          .version = its.version, .from = node, .holder = to, .millis = lease.count()};
      auto given = say(lease_key(model), [&](MessageId id) { return lease_bytes(id, message); });
      if (!given) return given.failure();
      if (given.value().accepted) return {};
    }
  }

  Result<> pin(const std::string& model, const std::string& node) override {
    if (auto there = find(model); !there) return there;
    auto noted = say(pin_key(model), [&](MessageId id) { return text_bytes(id, node); });
    return noted ? Result<>() : Result<>(noted.failure());
  }

 private:
  Clock::time_point deadline() const { return Clock::now() + options_.deadline; }
  // Milliseconds of the brokers' clock. A message of ours tells it, and our own clock goes on from there.
  std::int64_t now() const { return steady_millis() + clock_offset_; }

  Result<> make_model(const std::string& model) {
    auto made = make_journal_topic(*client_, address_, model);
    if (!made) return made;
    auto noted = say(model_key(model), plain_bytes);
    return noted ? Result<>() : Result<>(noted.failure());
  }

  // Sends a message to the directory, and waits until it was read back.
  template <class Bytes>
  Result<Verdict> say(const std::string& key, const Bytes& bytes_of_message) {
    const MessageId id = tail_->announce();
    const std::int64_t sent_at = steady_millis();
    if (auto sent = client_->send(address_.directory(), key, bytes_of_message(id), id.number); !sent) {
      tail_->outcome(id.number, sent.error(), 0);
    }
    auto verdict = tail_->wait_for(id, deadline());
    if (verdict) clock_offset_ = verdict.value().at - sent_at;
    return verdict;
  }

  // The same for the topic of a model.
  Result<Verdict> say_to(const std::string& model, const ModelMessage& message, Clock::time_point until) {
    const MessageId id = message.id;
    if (auto sent = client_->send(address_.journal(model), {}, bytes_of(message), id.number); !sent) {
      tail_->outcome(id.number, sent.error(), 0);
    }
    auto verdict = tail_->wait_for(id, until);
    if (verdict) return verdict;
    return verdict.failure().in("model " + model + ": ");
  }

  Result<> read_to_end(const std::string& topic) {
    auto end = client_->end_of(topic);
    if (!end) return end.failure();
    return tail_->wait_until(topic, end.value(), deadline());
  }
  Result<> read_directory() { return read_to_end(address_.directory()); }

  // Whether the model is known, perhaps only since a moment ago.
  Result<> find(const std::string& model) {
    const auto has = [&](const DirectoryState& directory) { return directory.has(model); };
    if (tail_->with_directory(has)) return {};
    if (auto read = read_directory(); !read) return read;
    return tail_->with_directory(has) ? Result<>() : Result<>(unknown_to_kafka(model));
  }

  Result<LogHead> known_head(const std::string& model) {
    auto head = tail_->head(model);
    if (!head) return head.failure();
    if (!head.value()) return unknown_to_kafka(model);
    return std::move(*head.value());
  }

  // As of now. A model that was made and that nobody has claimed yet is unknown, unless `unclaimed`.
  Result<LogHead> newest_head(const std::string& model, bool unclaimed = false) {
    if (auto read = read_to_end(address_.journal(model)); !read) return read.failure();
    auto head = known_head(model);
    if (head && head.value().epoch == 0 && !unclaimed) return unknown_to_kafka(model);
    return head;
  }

  // What a group is whose place in the journal is taken: committed before, or refused for ever.
  Result<> there_or_fenced(const std::string& model, const LogGroup& group, const LogHead& head) {
    const auto end = group.last + static_cast<std::int64_t>(group.entries.size());
    if (group.last >= head.first - 1 && end <= head.last) {
      auto slice = read(model, end, 1);
      if (!slice) return Error{slice.error(), Reason::kFailed};
      std::uint64_t chain = group.chain;
      std::int64_t number = group.last;
      for (const std::string_view bytes : group.entries) chain = chained(chain, ++number, bytes);
      const LogEntry& entry = slice.value().entries.front();
      if (entry.chain == chain && entry.epoch == group.epoch) return {};
    }
    if (head.epoch != group.epoch) {
      return fenced_by_kafka(fmt::format("model {}: node {} has claimed it with epoch {}; this is epoch {}", model,
                                head.owner, head.epoch, group.epoch));
    }
    return fenced_by_kafka(
        fmt::format("model {}: its journal ends at entry {}, not at {}", model, head.last, group.last));
  }

  Mark mark_before(const std::string& model, std::int64_t number) {
    return tail_->with_directory([&](const DirectoryState& directory) {
      const auto& marks = directory.models.at(model).marks;
      const auto after = marks.lower_bound(number);
      return after == marks.begin() ? Mark() : std::prev(after)->second;
    });
  }

  // Nobody waits for it: without it a start reads more.
  void note_mark(const std::string& model, const Verdict& verdict) {
    const Mark mark{.offset = verdict.offset + 1, .head = verdict.head};
    static_cast<void>(client_->send(address_.directory(), mark_key(model, mark.head.last),
                                    mark_bytes(tail_->unannounced(), mark), 0));
  }

  // The entries are dropped by now; what fails here costs room until the next time.
  void delete_before(const std::string& model, const Mark& place) {
    auto deleted = client_->delete_before(address_.journal(model), place.offset);
    if (!deleted) {
      if (options_.notice) options_.notice("dropped entries still take room: " + deleted.error());
      return;
    }
    const auto marks = tail_->with_directory(
        [&](const DirectoryState& directory) { return directory.models.at(model).marks; });
    for (const auto& [last, mark] : marks) {
      if (last >= place.head.last) break;
      static_cast<void>(client_->send(address_.directory(), mark_key(model, last), std::nullopt, 0));
    }
  }

  Lease lease_of(const std::string& model) {
    return tail_->with_directory([&](const DirectoryState& directory) {
      const auto found = directory.models.find(model);
      return found == directory.models.end() ? Lease() : found->second.lease;
    });
  }

  ClusterView view() {
    const std::int64_t at = now();
    ClusterView view;
    std::vector<std::string> silent;
    const auto heads = tail_->heads();
    tail_->with_directory([&](const DirectoryState& directory) {
      view = view_of(directory, heads, at, silent);
    });
    for (const std::string& name : silent) {
      static_cast<void>(client_->send(address_.directory(), node_key(name), std::nullopt, 0));
    }
    return view;
  }

  const KafkaOptions options_;
  Address address_;
  std::atomic<std::int64_t> clock_offset_{0};
  std::unique_ptr<Tail> tail_;
  std::unique_ptr<Reader> reader_;
  std::unique_ptr<SnapshotTopic> snapshots_;
  std::unique_ptr<Client> client_;  // last, so first to go: its thread tells the tail
};

}  // namespace
}  // namespace rein::kafka

namespace rein {

Result<std::shared_ptr<SharedLog>> open_kafka_log(const std::string& address,
                                                  const KafkaOptions& options) {
  auto parsed = kafka::parse_address(address);
  if (!parsed) return parsed.failure();
  auto log = std::make_shared<kafka::KafkaLog>(options);
  if (auto opened = log->open(parsed.value()); !opened) return opened.failure();
  return std::shared_ptr<SharedLog>(std::move(log));
}

}  // namespace rein
