#include "serve/trained.h"

#include <fmt/format.h>

#include <filesystem>

#include "journal/sqlite_journal.h"
#include "serve/data_folder.h"
#include "serve/model_state.h"

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

Result<> write_first(const TrainedPlace& place, const Event& first) {
  const auto lock = take_data_folder(place.data);
  if (!lock) return lock.failure();
  if (auto made = make_model_folder(place.data, place.name); !made) return made;
  if (auto found = has_journal(place.data + "/" + place.name); !found) return found.failure();
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
