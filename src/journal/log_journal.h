// LogJournal: the Journal of one model in a SharedLog. It knows the epoch of its claim and where its
// journal ends, so that its appends are refused once another node has claimed the model.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "journal/journal.h"
#include "journal/shared_log.h"

namespace rein {

struct LogJournalOptions {
  // How long the same group is sent again while nobody knows what became of it, and what is called
  // between two tries. Empty: it sleeps.
  std::chrono::milliseconds resend_for{10'000};
  std::function<void(std::chrono::milliseconds)> pause;
};

class LogJournal final : public Journal {
 public:
  // Claims the model for this node: earlier owners cannot append any more.
  static Result<std::unique_ptr<LogJournal>> claim(std::shared_ptr<SharedLog> log, std::string model,
                                                   const std::string& node, bool create,
                                                   LogJournalOptions options = {});
  // To read, while another node may append. append() and drop_before() are refused.
  static Result<std::unique_ptr<LogJournal>> follow(std::shared_ptr<SharedLog> log, std::string model);

  // kFenced: another node has claimed the model, and the entries are not there. kFailed: the log did
  // not say in time what became of them. After either, the journal refuses everything but reading. An empty
  // group asks the log only whether no other node has claimed the model.
  Result<> append(std::span<const std::string_view> entries) override;
  std::int64_t last() const override { return head_.last; }
  std::int64_t first() const override { return head_.first; }
  std::uint64_t chain() const override { return head_.chain; }
  Result<std::uint64_t> chain_at(std::int64_t number) const override;
  Result<> read(std::int64_t from, const Each& each) const override;
  Result<> drop_before(std::int64_t number) override;
  std::function<Result<>(std::int64_t number)> drop_beside() const override;
  void dropped_beside(std::int64_t number, std::uint64_t before) override;

  // The entries that came since: at most about `most_bytes`, at least one if there is one. last() then
  // names the last that was passed to `each`. For a journal that follows.
  Result<> read_new(std::size_t most_bytes, const Each& each);
  // read_new() goes on after this entry.
  void stand_at(std::int64_t number, std::uint64_t chain) {
    head_.last = number;
    head_.chain = chain;
  }
  std::int64_t epoch() const { return head_.epoch; }

 private:
  LogJournal(std::shared_ptr<SharedLog> log, std::string model, LogHead head, bool owned,
             LogJournalOptions options)
      : log_(std::move(log)), model_(std::move(model)), head_(std::move(head)), owned_(owned),
        options_(std::move(options)) {}
  Result<> send(const LogGroup& group);
  Result<> still_owned();

  std::shared_ptr<SharedLog> log_;
  std::string model_;
  LogHead head_;
  bool owned_;
  LogJournalOptions options_;
};

// The snapshots of one model in a SharedLog.
class LogSnapshots final : public Snapshots {
 public:
  LogSnapshots(std::shared_ptr<SharedLog> log, std::string model)
      : log_(std::move(log)), model_(std::move(model)) {}
  Result<std::int64_t> write(std::int64_t position, std::string_view bytes,
                             std::optional<std::uint64_t> chain) const override;
  Result<Latest> latest() const override;
  Result<std::vector<std::int64_t>> positions() const override;
  Result<Snapshot> read(std::int64_t position) const override;

 private:
  std::shared_ptr<SharedLog> log_;
  std::string model_;
};

}  // namespace rein
