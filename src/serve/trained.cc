#include "serve/trained.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/atomic_file.h"
#include "journal/file_lock.h"
#include "journal/sqlite_journal.h"
#include "serve/model_state.h"
#include "serve/service.h"

namespace rein::serve {
namespace fs = std::filesystem;
namespace {

Result<> make_folder(const std::string& path) {
  std::error_code failed;
  const bool made = fs::create_directories(path, failed);
  if (failed) return Error{fmt::format("{}: {}", path, failed.message()), Reason::kFailed};
  const std::string parent = fs::absolute(path + "/..").lexically_normal();
  if (made && !sync_folder(parent)) {
    return Error{fmt::format("{}: cannot sync {}: {}", path, parent, std::strerror(errno)),
                 Reason::kFailed};
  }
  return {};
}

}  // namespace

Result<TrainedPlace> trained_place(const std::string& path) {
  fs::path given = fs::path(path).lexically_normal();
  if (!given.has_filename()) given = given.parent_path();  // a slash at the end
  TrainedPlace place{given.parent_path().empty() ? "." : given.parent_path().string(),
                     given.filename().string()};
  if (!is_model_name(place.name)) {
    return Error{
        fmt::format("{}: found the name \"{}\"; accepted: DATA/NAME, with 1 to 64 letters, "
                    "digits, _, - and ., and no dot in front",
                    path, place.name)};
  }
  std::error_code ignored;
  if (fs::exists(given / "journal", ignored)) {
    return Error{fmt::format("{}: it has a model; accepted: another name", path)};
  }
  return place;
}

Result<> write_first(const TrainedPlace& place, const Event& first) {
  if (auto made = make_folder(place.data); !made) return made;
  ::chmod(place.data.c_str(), S_IRWXU);  // journals hold the seeds that ids depend on
  const auto lock = FileLock::take(place.data + "/lock");
  if (!lock) return lock.failure();
  if (auto made = make_folder(place.data + "/" + place.name); !made) return made;
  std::string bytes;
  encode(first, bytes);
  auto journal = open_sqlite_journal(place.data + "/" + place.name + "/journal");
  if (!journal) return journal.failure();
  const std::string_view entry = bytes;
  return journal.value()->append({&entry, 1});
}

Result<> write_trained(const TrainedPlace& place, const ModelPlan& plan, Engine& engine,
                       const std::string& document, std::int64_t now) {
  if (auto ticked = engine.tick(now); !ticked) return ticked.failure();
  return write_first(place, ModelState::creation(plan, engine, document, now));
}

}  // namespace rein::serve
