#include "journal/log_journal.h"

#include <fmt/format.h>

#include <thread>

namespace rein {
namespace {

// Entries that are fetched at a time.
constexpr std::size_t kSliceBytes = std::size_t{1} << 20U;
// Between two tries to send the same group.
constexpr std::chrono::milliseconds kResendPause{50};

// Passes entries on, after their chain was checked. `end` is where the chain goes on, and moves along.
struct LogPlace {
  std::int64_t last = 0;
  std::uint64_t chain = kChainStart;
};

Result<bool> pass_on(const LogSlice& slice, LogPlace& end, const Journal::Each& each) {
  if (slice.entries.empty()) return true;
  if (slice.from != end.last + 1 || slice.before != end.chain) {
    return Error{fmt::format("journal entry {}: it does not continue entry {}", slice.from, end.last),
                 Reason::kCorrupt};
  }
  for (const LogEntry& entry : slice.entries) {
    const std::int64_t number = end.last + 1;
    if (chained(end.chain, number, entry.bytes) != entry.chain) {
      return Error{fmt::format("journal entry {}: its checksum does not match", number),
                   Reason::kCorrupt};
    }
    end = {.last = number, .chain = entry.chain};
    auto goes_on = each(number, entry.bytes);
    if (!goes_on || !goes_on.value()) return goes_on;
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<LogJournal>> LogJournal::claim(std::shared_ptr<SharedLog> log,
                                                      std::string model, const std::string& node,
                                                      bool create, LogJournalOptions options) {
  auto head = log->claim(model, node, create);
  if (!head) return head.failure();
  return std::unique_ptr<LogJournal>(new LogJournal(std::move(log), std::move(model),
                                                    std::move(head).value(), true,
                                                    std::move(options)));
}

Result<std::unique_ptr<LogJournal>> LogJournal::follow(std::shared_ptr<SharedLog> log,
                                                       std::string model) {
  auto head = log->head(model);
  if (!head) return head.failure();
  return std::unique_ptr<LogJournal>(
      new LogJournal(std::move(log), std::move(model), std::move(head).value(), false, {}));
}

Result<> LogJournal::append(std::span<const std::string_view> entries) {
  if (!owned_) return Error{"the journal has another owner", Reason::kFenced};
  if (entries.empty()) return still_owned();
  auto done = send({.epoch = head_.epoch, .last = head_.last, .chain = head_.chain, .entries = entries});
  if (!done) {
    if (done.reason() != Reason::kInvalid) owned_ = false;
    return done;
  }
  for (const std::string_view entry : entries) {
    head_.chain = chained(head_.chain, ++head_.last, entry);
  }
  return {};
}

Result<> LogJournal::still_owned() {
  auto head = log_->head(model_);
  if (!head) return head.failure();
  if (head.value().epoch == head_.epoch) return {};
  owned_ = false;
  return Error{fmt::format("model {}: node {} has claimed it with epoch {}; this is epoch {}", model_,
                           head.value().owner, head.value().epoch, head_.epoch),
               Reason::kFenced};
}

Result<> LogJournal::send(const LogGroup& group) {
  std::chrono::milliseconds waited{0};
  const auto start = std::chrono::steady_clock::now();
  while (true) {
    auto done = log_->append(model_, group);
    if (done || done.reason() != Reason::kFailed) return done;
    if (options_.pause) {
      waited += kResendPause;
      if (waited > options_.resend_for) return done;
      options_.pause(kResendPause);
      continue;
    }
    if (std::chrono::steady_clock::now() - start > options_.resend_for) return done;
    std::this_thread::sleep_for(kResendPause);
  }
}

Result<std::uint64_t> LogJournal::chain_at(std::int64_t number) const {
  if (number == head_.first - 1) return head_.before;
  if (number == head_.last) return head_.chain;
  if (number < head_.first || number > head_.last) {
    return Error{fmt::format("there is no entry {}; the journal has {} to {}", number, head_.first,
                             head_.last)};
  }
  auto slice = log_->read(model_, number, 1);
  if (!slice) return slice.failure();
  if (slice.value().entries.empty()) {
    return Error{fmt::format("journal entry {}: it is gone", number), Reason::kCorrupt};
  }
  return slice.value().entries.front().chain;
}

Result<> LogJournal::read(std::int64_t from, const Each& each) const {
  if (from < head_.first) {
    return Error{fmt::format("entry {} is gone; the first that is kept is {}", from, head_.first)};
  }
  std::optional<LogPlace> end;
  while (from <= head_.last) {
    auto slice = log_->read(model_, from, kSliceBytes);
    if (!slice) return slice.failure();
    if (slice.value().entries.empty()) {
      return Error{fmt::format("journal entry {}: it is gone", from), Reason::kCorrupt};
    }
    const auto left = static_cast<std::size_t>(head_.last - from + 1);
    if (slice.value().entries.size() > left) slice.value().entries.resize(left);
    if (!end) end = LogPlace{.last = from - 1, .chain = slice.value().before};
    const auto goes_on = pass_on(slice.value(), *end, each);
    if (!goes_on) return goes_on.failure();
    if (!goes_on.value()) return {};
    from = end->last + 1;
  }
  if (end && end->last == head_.last && end->chain != head_.chain) {
    return Error{fmt::format("journal entry {}: its checksum is not that of the end of the journal",
                             end->last),
                 Reason::kCorrupt};
  }
  return {};
}

Result<> LogJournal::read_new(std::size_t most_bytes, const Each& each) {
  auto slice = log_->read(model_, head_.last + 1, most_bytes);
  if (!slice) return slice.failure();
  LogPlace end{.last = head_.last, .chain = head_.chain};
  const auto goes_on = pass_on(slice.value(), end, each);
  head_.last = end.last;
  head_.chain = end.chain;
  return goes_on ? Result<>() : Result<>(goes_on.failure());
}

Result<> LogJournal::drop_before(std::int64_t number) {
  if (!owned_) return Error{"the journal has another owner", Reason::kFenced};
  if (number > head_.last + 1) {
    return Error{
        fmt::format("cannot drop the entries before {}: the last one is {}", number, head_.last)};
  }
  if (number <= head_.first) return {};
  const auto before = chain_at(number - 1);
  if (!before) return before.failure();
  if (auto done = log_->drop_before(model_, head_.epoch, number); !done) return done;
  head_.first = number;
  head_.before = before.value();
  return {};
}

std::function<Result<>(std::int64_t number)> LogJournal::drop_beside() const {
  return [log = log_, model = model_, epoch = head_.epoch](std::int64_t number) {
    return log->drop_before(model, epoch, number);
  };
}

void LogJournal::dropped_beside(std::int64_t number, std::uint64_t before) {
  if (number <= head_.first) return;
  head_.first = number;
  head_.before = before;
}

Result<std::int64_t> LogSnapshots::write(std::int64_t position, std::string_view bytes,
                                         std::optional<std::uint64_t> chain) const {
  return log_->put_snapshot(
      model_, {.position = position, .bytes = std::string(bytes), .chain = chain});
}

Result<Snapshots::Latest> LogSnapshots::latest() const {
  const auto found = positions();
  if (!found) return found.failure();
  Latest latest;
  for (const std::int64_t position : found.value()) {
    auto snapshot = read(position);
    if (snapshot) {
      latest.snapshot = std::move(snapshot).value();
      return latest;
    }
    if (snapshot.reason() != Reason::kCorrupt) return snapshot.failure();
    latest.skipped.push_back(snapshot.error());
  }
  return latest;
}

Result<std::vector<std::int64_t>> LogSnapshots::positions() const {
  return log_->snapshot_positions(model_);
}

Result<Snapshot> LogSnapshots::read(std::int64_t position) const {
  return log_->snapshot(model_, position);
}

}  // namespace rein
