#include "cluster/follower.h"

#include <fmt/format.h>
#include <time.h>

namespace rein::cluster {
namespace {

// Processor time: in a simulation, and on a busy machine, other work does not count.
double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

Result<Follower> Follower::open(const std::shared_ptr<SharedLog>& log, const std::string& model) {
  auto journal = LogJournal::follow(log, model);
  if (!journal) return journal.failure();
  const LogSnapshots snapshots(log, model);
  auto folded = serve::first_fold(*journal.value(), &snapshots);
  if (!folded) return folded.failure().in(fmt::format("model {}: ", model));
  const auto chain = journal.value()->chain_at(folded.value().position);
  if (!chain) return chain.failure();
  journal.value()->stand_at(folded.value().position, chain.value());
  return Follower(std::move(journal).value(), std::move(folded).value());
}

Result<Follower> Follower::from(const std::shared_ptr<SharedLog>& log, const std::string& model,
                                serve::FoldedModel folded, std::uint64_t chain) {
  auto journal = LogJournal::follow(log, model);
  if (!journal) return journal.failure();
  journal.value()->stand_at(folded.position, chain);
  return Follower(std::move(journal).value(), std::move(folded));
}

Result<bool> Follower::step(std::size_t most_bytes) {
  const std::int64_t before = folded_.position;
  const double start = thread_seconds();
  auto read = journal_->read_new(
      most_bytes, [&](std::int64_t number, std::string_view bytes) -> Result<bool> {
        const auto event = serve::decode_event(bytes);
        if (!event) return event.failure().in(fmt::format("journal entry {}: ", number));
        if (auto done = folded_.state.fold(number, event.value()); !done) return done.failure();
        folded_.position = number;
        folded_.bytes_since += static_cast<std::int64_t>(bytes.size());
        return true;
      });
  folded_.work_since += thread_seconds() - start;
  if (!read) return read.failure();
  return folded_.position > before;
}

}  // namespace rein::cluster
