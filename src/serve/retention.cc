// Retention in the writer's thread: when a job begins that archives old entries (archive_job.h), and what
// follows when it has ended. Nothing here takes longer than one commit.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "http/log.h"
#include "serve/json_in.h"
#include "serve/keep.h"
#include "serve/writer.h"

namespace rein::serve {
namespace {

// A journal keeps its entries this much longer at most, as a share of `keep`: between two looks at it.
constexpr std::int64_t kLooksPerKeep = 30;
constexpr std::int64_t kLongestLook = 86'400;  // seconds
// Between a failure and the next try: doubled with each failure.
constexpr std::int64_t kFirstArchiveWait = 2, kLongestArchiveWait = 600;

struct KeepUnit {
  std::string_view name;
  std::int64_t seconds;
};
constexpr KeepUnit kKeepUnits[] = {{" seconds", 1}, {" minutes", 60}, {" hours", 3600}, {" days", 86'400},
                                   {" second", 1},  {" minute", 60},  {" hour", 3600},  {" day", 86'400}};
constexpr std::int64_t kMostKeep = 1'000'000;  // of any unit

}  // namespace

std::optional<std::int64_t> keep_in_seconds(std::string_view text) {
  if (text == "forever") return 0;
  std::int64_t count = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (code != std::errc() || count < 1 || count > kMostKeep) return std::nullopt;
  const std::string_view unit(end, text.data() + text.size());
  for (const KeepUnit& each : kKeepUnits) {
    if (unit == each.name) return count * each.seconds;
  }
  return std::nullopt;
}

std::optional<std::int64_t> keep_of_document(std::string_view document) {
  const Json whole = read_json(document);
  Fields fields(whole);
  const Json* keep = fields.find("keep");
  return keep == nullptr ? std::nullopt : keep_in_seconds(text_of(*keep, "keep"));
}

Result<ModelJournal> ModelJournal::with(std::unique_ptr<Journal> journal, const std::string& archive) {
  std::error_code failed;
  if (archive.empty() || (!std::filesystem::exists(archive, failed) && !failed)) {
    return ModelJournal(std::move(journal));
  }
  auto both = ArchivedJournal::open(std::move(journal), archive);
  if (!both) return both.failure();
  return ModelJournal(std::move(both).value());
}

// Nothing is archived where there is no folder for it, as in a service that keeps all in memory.
void Model::read_keep() {
  keep_ = 0;
  if (options_.archive.empty() || !options_.snapshots || !options_.wall) return;
  keep_ = keep_of_document(state_.document).value_or(options_.keep_seconds);
}

Result<ArchiveTask> Model::task_for_archive() {
  if (journal_.archived == nullptr) {
    auto both = ArchivedJournal::open(std::move(journal_.whole), options_.archive);
    if (!both) return both.failure();
    journal_ = std::move(both).value();
  }
  return ArchiveTask{.folder = options_.archive,
                     .snapshots = options_.snapshots,
                     .journal_to_read = options_.journal_to_read,
                     .drop = journal_.archived->drop_beside(),
                     .first = journal_.archived->first_kept(),
                     .last = journal_->last(),
                     .chain = journal_->chain(),
                     .before_time = now_ - keep_};
}

Result<> Model::archived(const ArchiveMade& made) {
  journal_.archived->archive().note(made.span);
  if (!options_.journal_to_read) return journal_->drop_before(made.span.last + 1);
  journal_.archived->dropped_beside(made.span.last + 1, made.chain);
  return {};
}

void Writer::retain() {
  look_for_archive();
  if (archive_job_ != nullptr || model_->keep_seconds() == 0 || model_->now() < archive_at_ || stopped()) return;
  const auto start = time();
  archive_pause_ = 0.0;
  auto task = model_->task_for_archive();
  if (!task) return archive_failed(task.error());
  const OnModel read = [this, lend = reader()](const std::function<Result<>(const Model&)>& run) {
    return lend([&](const Model& model) {
      const auto since = time();
      auto done = run(model);
      note_archive_pause(since);
      return done;
    });
  };
  archive_job_ = std::make_shared<ArchiveJob>(
      [task = std::move(task).value(), read] { return make_archive(task, read); });
  archive_thread_ = begin_beside(archive_job_);
  note_archive_pause(start);
  if (options_.wait_for_snapshots) look_for_archive();
}

void Writer::look_for_archive() {
  if (archive_job_ == nullptr) return;
  const auto made = archive_job_->result();
  if (!made) return;
  archive_job_ = nullptr;
  if (!*made) {
    if (reads_no_more_) return;  // it was cut off; the next start goes on
    return archive_failed(made->error());
  }
  ArchiveWatch& watch = model_->watch().archive;
  watch.failed_in_row = 0;
  watch.why.clear();
  archive_at_ = model_->now() + std::clamp(model_->keep_seconds() / kLooksPerKeep, std::int64_t{1}, kLongestLook);
  if (made->value().more) archive_at_ = model_->now();
  if (made->value().span.last == 0) return;
  const auto start = time();
  if (auto dropped = model_->archived(made->value()); !dropped) return stop(dropped.error());
  note_archive_pause(start);
  log("info", "archived entries",
      {{"model", name_},
       {"from", made->value().span.first},
       {"to", made->value().span.last},
       {"bytes", made->value().span.file_bytes},
       {"seconds", made->value().seconds},
       {"longest_pause", archive_pause_}});
}

void Writer::note_archive_pause(Clock::time_point since) {
  archive_pause_ = std::max(archive_pause_, seconds_since(since));
}

// The journal has everything, so nothing is lost: only its file grows meanwhile.
void Writer::archive_failed(const std::string& why) {
  ArchiveWatch& watch = model_->watch().archive;
  const std::int64_t wait = std::min(kFirstArchiveWait << std::min(watch.failed_in_row, 20), kLongestArchiveWait);
  ++watch.failures;
  ++watch.failed_in_row;
  watch.why = why;
  archive_at_ = model_->now() + wait;
  log("error", "archive failed",
      {{"model", name_}, {"why", why}, {"failures", watch.failures}, {"next_try_seconds", wait}});
}

}  // namespace rein::serve
