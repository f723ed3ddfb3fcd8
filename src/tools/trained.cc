#include "tools/trained.h"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>

#include "base/atomic_file.h"
#include "journal/sqlite_journal.h"
#include "serve/data_folder.h"
#include "serve/first_entries.h"

namespace rein::serve {
namespace fs = std::filesystem;

Result<TrainedPlace> trained_place(const std::string& path) {
  fs::path given = fs::path(path).lexically_normal();
  if (!given.has_filename()) given = given.parent_path();  // a slash at the end
  TrainedPlace place{given.parent_path().empty() ? "." : given.parent_path().string(),
                     given.filename().string()};
  if (!is_model_name(place.name)) {
    return Error{
        fmt::format("{}: found the name \"{}\"; accepted: DATA/NAME, with 1 to 64 letters, "
                    "digits, _, - and ., no dot in front, and not \"lock\"",
                    path, place.name)};
  }
  std::error_code ignored;
  if (fs::exists(given / "journal", ignored)) {
    return Error{fmt::format("{}: it has a model; accepted: another name", path)};
  }
  return place;
}

namespace {

// The journal is made in a folder beside, whose name no model has (it begins with a dot), and gets its
// name when it is whole. After a crash the folder beside may be left; the next try removes it.
Result<> write_model(const TrainedPlace& place, const Event& first) {
  const auto lock = take_data_folder(place.data);
  if (!lock) return lock.failure();
  const fs::path unfinished = fs::path(place.data) / ("." + place.name + ".new");
  const fs::path finished = fs::path(place.data) / place.name;
  const auto failed_to = [&](const char* what, const std::error_code& why) {
    return Error{fmt::format("{}: cannot {}: {}", finished.string(), what, why.message()),
                 Reason::kFailed};
  };
  std::error_code failed, ignored;
  if (fs::exists(finished, ignored)) {
    if (auto found = has_journal(finished); !found) return found.failure();
  }
  fs::remove_all(unfinished, failed);
  if (failed) return failed_to("remove what an earlier try left", failed);
  const auto write = [&]() -> Result<> {
    if (auto made = make_model_folder(place.data, unfinished.filename()); !made) return made;
    auto journal = open_sqlite_journal((unfinished / "journal").string());
    if (!journal) return journal.failure();
    return append_first(*journal.value(), first);
  };
  auto written = write();
  // The name of the journal itself, before the folder gets its own.
  if (written && !sync_folder(unfinished.string())) {
    written = failed_to("sync it", {errno, std::generic_category()});
  }
  if (written) fs::rename(unfinished, finished, failed);  // an empty folder makes way
  if (written && failed) written = failed_to("give it its name", failed);
  if (!written) {
    fs::remove_all(unfinished, ignored);
    return written;
  }
  if (!sync_folder(place.data)) return failed_to("sync", {errno, std::generic_category()});
  return {};
}

}  // namespace

Result<> write_first(const TrainedPlace& place, const Event& first) {
  std::error_code ignored;
  const bool is_new = !fs::exists(place.data, ignored);
  auto written = write_model(place, first);
  if (!written && is_new) fs::remove_all(place.data, ignored);
  return written;
}

Result<std::uint64_t> write_continuation(const TrainedPlace& place, const ModelState& state) {
  const Event first = state.continuation();
  const auto begins = ModelState::created(first);
  if (!begins) return begins.failure();
  if (auto written = write_first(place, first); !written) return written.failure();
  return begins.value().hash();
}

Result<> write_trained(const TrainedPlace& place, const ModelPlan& plan, Engine& engine,
                       const std::string& document, std::int64_t now) {
  if (auto ticked = engine.tick(now); !ticked) return ticked.failure();
  return write_first(place, ModelState::creation(plan, engine, document, now));
}

}  // namespace rein::serve
