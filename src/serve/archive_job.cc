#include "serve/archive_job.h"

#include <fmt/format.h>

#include <chrono>

#include "serve/event.h"

namespace rein::serve {
namespace {

// Bytes of entries per file, before they are packed. They are in memory meanwhile, packed.
constexpr std::int64_t kArchiveBytes = std::int64_t{32} << 20U;

// The last entry that may leave: a start must find the entries after each of the snapshots.
Result<std::int64_t> last_behind_snapshots(const Snapshots& snapshots) {
  const auto positions = snapshots.positions();
  if (!positions) return positions.failure();
  if (positions.value().size() < 2) return 0;
  const std::int64_t oldest = positions.value().back();
  const auto intact = snapshots.read(oldest);
  if (intact) return oldest;
  // It may have been removed meanwhile, because there is a newer one.
  return intact.reason() == Reason::kFailed ? Result<std::int64_t>(0) : intact.failure();
}

Result<ArchivePacker> pack(const Journal& journal, std::int64_t to, const ArchiveTask& task, bool& more) {
  const auto before = journal.chain_at(task.first - 1);
  if (!before) return before.failure();
  ArchivePacker packer(task.first, before.value());
  auto read = journal.read(task.first, [&](std::int64_t number, std::string_view bytes) -> Result<bool> {
    const auto event = decode_event(bytes);
    if (!event) return event.failure().in(fmt::format("journal entry {}: ", number));
    if (event.value().at >= task.before_time) return false;
    packer.add(bytes);
    more = packer.head().bytes >= kArchiveBytes && number < to;
    return number < to && !more;
  });
  if (!read) return read.failure();
  return packer;
}

}  // namespace

Result<ArchiveMade> make_archive(const ArchiveTask& task, const OnModel& on_model) {
  const auto start = std::chrono::steady_clock::now();
  const auto to = last_behind_snapshots(*task.snapshots);
  if (!to) return to.failure();
  if (to.value() < task.first) return ArchiveMade{};
  std::unique_ptr<Journal> journal = std::make_unique<LentEntries>(on_model, task.last, task.chain);
  if (task.journal_to_read) {
    auto opened = task.journal_to_read();
    if (!opened) return opened.failure();
    journal = std::move(opened).value();
  }
  ArchiveMade made;
  auto packer = pack(*journal, to.value(), task, made.more);
  if (!packer) return packer.failure();
  const ArchiveHead head = packer.value().head();
  if (head.last < head.first) return ArchiveMade{};
  // What was packed must be what the journal has proved.
  const auto chain = journal->chain_at(head.last);
  if (!chain) return chain.failure();
  if (chain.value() != head.chain) {
    return Error{fmt::format("the entries up to {} do not have the chain value of the journal", head.last),
                 Reason::kCorrupt};
  }
  auto span = Archive::write(task.folder, std::move(packer).value());
  if (!span) return span.failure();
  if (task.drop) {
    if (auto dropped = task.drop(head.last + 1); !dropped) return dropped.failure();
  }
  made.span = span.value();
  made.chain = head.chain;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  made.seconds = took.count();
  return made;
}

}  // namespace rein::serve
