// How the models of a data folder come back at the start. One that cannot be opened stops alone, and
// loudly: it is in the log, /readyz, /metrics and the list of models, and answers 503 with the reason.
// No entry in its folder is removed or replaced, and no other model can take its name.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "http/log.h"
#include "serve/fold.h"
#include "serve/service.h"

namespace rein::serve {
namespace fs = std::filesystem;
namespace {

Result<std::vector<std::string>> folders_in(const std::string& data) {
  std::vector<std::string> found;
  std::error_code failed;
  fs::directory_iterator entries(data, failed);
  for (; !failed && entries != fs::directory_iterator(); entries.increment(failed)) {
    const std::string name = entries->path().filename().string();
    std::error_code ignored;
    if (entries->is_directory(ignored) && is_model_name(name)) found.push_back(name);
  }
  if (failed) {
    return Error{fmt::format("data folder {}: {}", data, failed.message()), Reason::kFailed};
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

// A start that had to read so much that a snapshot is due leaves one before it serves: the state is here
// and nobody changes it. Beside the work it takes as long as this start did, and a service that is killed
// more often than that would start more slowly each time.
Result<> Service::keep_what_was_read(Model& model) const {
  if (!model.snapshot_due()) return {};
  const auto start = std::chrono::steady_clock::now();
  auto made = model.make_snapshot();
  if (!made) return made.failure();
  const Snapshot& snapshot = made.value();
  const auto written = SnapshotFiles(options_.data + "/" + model.name())
                           .write(snapshot.position, snapshot.bytes, snapshot.chain);
  SnapshotWatch& watch = model.watch().snapshots;
  if (!written) {  // the journal has everything, and the writer tries it again
    ++watch.failures;
    ++watch.failed_in_row;
    watch.why = written.error();
    log("error", "snapshot failed",
        {{"model", model.name()}, {"why", watch.why}, {"failures", watch.failures}});
    return {};
  }
  model.snapshot_written(snapshot);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  watch.seconds = took.count();
  watch.at = model.now();
  return {};
}

// Null: the journal is empty, so its model was never acknowledged.
Result<std::unique_ptr<Model>> Service::open_model(const std::string& name, bool was_served) const {
  // A folder without a journal, or with an empty one: its model was not acknowledged.
  const auto there = has_journal(options_.data + "/" + name);
  if (!there) return there.failure();
  if (!there.value() && !was_served) return nullptr;
  // A crash while it was made leaves an empty file. That is a loss only if there is a snapshot.
  const auto snapshots = SnapshotFiles(options_.data + "/" + name).positions();
  if (!snapshots) return snapshots.failure();
  auto journal = open_journal(name, !was_served && snapshots.value().empty());
  if (!journal) return journal.failure();
  if (journal.value()->last() == 0 && snapshots.value().empty()) return nullptr;
  const auto start = std::chrono::steady_clock::now();
  auto model = Model::open(name, std::move(journal).value(), model_options(name));
  if (!model) return model.failure();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  log("info", "recovered",
      {{"model", name},
       {"entries", model.value()->committed()},
       {"from_snapshot", model.value()->snapshot_at()},
       {"seconds", took.count()}});
  for (const std::string& skipped : model.value()->skipped_snapshots()) {
    log("warning", "snapshot skipped", {{"model", name}, {"why", skipped}});
  }
  if (auto kept = keep_what_was_read(*model.value()); !kept) return kept.failure();
  return model;
}

// The same. An error says what a person can do, and a bug that one model meets is an error of its own.
Result<std::unique_ptr<Model>> Service::try_model(const std::string& name, bool was_served) const {
  const std::string folder = options_.data + "/" + name;
  try {
    auto model = open_model(name, was_served);
    if (model) return model;
    const Error& why = model.failure();
    if (why.reason != Reason::kCorrupt && why.reason != Reason::kSequence) {
      return error_in(folder, why);
    }
    return Error{fmt::format("{}: {}; `rein recover {}` says what is left and how to go on", folder,
                             why.message, folder),
                 why.reason};
  } catch (const std::exception& bug) {
    return Error{fmt::format("{}: a bug: {}", folder, bug.what()), Reason::kFailed};
  }
}

Result<> Service::recover_model(const std::string& name) {
  auto model = try_model(name, false);
  if (model && model.value() == nullptr) return {};
  const std::string folder = options_.data + "/" + name;
  Result<> served;
  if (model) {
    if (others_can_read(options_.data, folder)) {
      log("warning", "others can read", {{"model", name}, {"folder", folder}});
    }
    clock_->begin_after(model.value()->now());
    served = add(std::move(model).value());
    if (!served) served = served.failure().in(folder + ": ");
  } else {
    served = model.failure();
  }
  if (served || options_.strict) return served;
  add_stopped(name, served.failure());
  return {};
}

Result<> Service::take_documents(const NamedDocuments& models, bool only_check) {
  for (const auto& [name, document] : models) {
    const auto there = find(name);
    if (there != nullptr && there->stopped()) continue;  // nobody can say which document it has
    if (there == nullptr && only_check) continue;
    auto made = create(name, document);
    if (made) continue;
    const bool differs = made.reason() == Reason::kConflict && find(name) != nullptr;
    if (!differs || !options_.apply) return made.failure();
    if (auto applied = apply(name, document, only_check); !applied) return applied;
  }
  return {};
}

Result<> Service::recover(const NamedDocuments& models) {
  if (has_folder()) {
    const auto found = folders_in(options_.data);
    if (!found) return found.failure();
    for (const std::string& name : found.value()) {
      if (auto done = recover_model(name); !done) return done;
    }
  }
  // All documents are looked at before the first is applied: if one cannot be, none is.
  for (const bool only_check : {true, false}) {
    if (auto done = take_documents(models, only_check); !done) return done;
  }
  ready_ = true;
  return {};
}

}  // namespace rein::serve
