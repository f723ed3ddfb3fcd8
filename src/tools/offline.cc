#include "tools/offline.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "journal/archived_journal.h"
#include "journal/sqlite_journal.h"
#include "serve/data_folder.h"

namespace rein::serve {
namespace fs = std::filesystem;
namespace {

// A crash while a model is made leaves an empty file: then there is no model yet.
bool is_model_folder(const fs::path& path) {
  std::error_code ignored;
  const auto has_bytes = [&](const char* name) {
    return fs::is_regular_file(path / name, ignored) && fs::file_size(path / name, ignored) > 0;
  };
  return has_bytes("journal") ||
         (fs::exists(path / "journal", ignored) && has_bytes("journal-wal"));
}

Error nothing_in(const std::string& path, const std::string& found) {
  return Error{
      fmt::format("{}: {}; accepted: a data folder of rein serve, or the folder of a "
                  "model in it (DATA/MODEL)",
                  path, found)};
}

}  // namespace

Result<std::vector<ModelFolder>> model_folders(const std::string& path) {
  std::error_code failed;
  const fs::path given = fs::absolute(path, failed).lexically_normal();
  if (!fs::is_directory(given, failed)) return nothing_in(path, "there is no such folder");
  if (is_model_folder(given)) {
    const fs::path named = given.has_filename() ? given : given.parent_path();
    return std::vector<ModelFolder>{{named.filename().string(), path}};
  }
  std::vector<ModelFolder> found;
  for (const auto& entry : fs::directory_iterator(given, failed)) {
    const std::string name = entry.path().filename().string();
    if (is_model_name(name) && is_model_folder(entry.path())) {
      found.push_back({name, entry.path().string()});
    }
  }
  if (failed) return Error{fmt::format("{}: {}", path, failed.message()), Reason::kFailed};
  if (found.empty()) return nothing_in(path, "it has no model");
  std::ranges::sort(found, {}, &ModelFolder::name);
  return found;
}

Result<ModelFolder> model_folder(const std::string& path) {
  auto found = model_folders(path);
  if (!found) return found.failure();
  if (found.value().size() == 1) return found.value()[0];
  std::string names;
  for (const ModelFolder& each : found.value()) names += (names.empty() ? "" : ", ") + each.name;
  return Error{
      fmt::format("{}: it has {} models; accepted: one of them, {}/MODEL with MODEL one "
                  "of {}",
                  path, found.value().size(), path, names)};
}

ModelFolder folder_of_model(const std::string& path) {
  fs::path given = fs::path(path).lexically_normal();
  if (!given.has_filename()) given = given.parent_path();  // a slash at the end
  return {given.filename().string(), given.string()};
}

Result<std::unique_ptr<Journal>> open_journal_of(const ModelFolder& folder) {
  auto journal = open_for_reading(folder.path + "/journal");
  if (!journal) return journal;
  return with_archive(std::move(journal).value(), folder.path + "/archive");
}

}  // namespace rein::serve
