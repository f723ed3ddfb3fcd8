#include "serve/offline.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "journal/sqlite_journal.h"
#include "serve/first_entries.h"
#include "serve/service.h"

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

Result<ModelState> first_state(const Journal& journal, const FoldRange& range,
                               std::int64_t& position) {
  if (range.from != nullptr) {
    if (auto continues = check_continues(journal, *range.from); !continues) {
      return continues.failure();
    }
    position = range.from->position;
    return ModelState::restore(range.from->bytes, range.blind);
  }
  const auto first = read_first(journal);
  if (!first) return first.failure();
  position = first.value().last;
  return ModelState::created(first.value().created, range.blind);
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
  return open_for_reading(folder.path + "/journal");
}

Result<> check_begins(const Journal& journal) {
  if (journal.first() == 1) return {};
  return Error{fmt::format("the journal begins with entry {}; accepted: one that has all entries from 1 on",
                           journal.first())};
}

Error error_of(const ModelFolder& folder, const Error& why) {
  const Error placed = why.in(folder.path + ": ");
  if (why.reason != Reason::kMeaning) return placed;
  return {fmt::format("{}. Nothing is damaged: `rein migrate {} --to DATA/NAME --policy ccb` goes on with "
                      "another policy; inspect and export read it as it is",
                      placed.message, folder.path),
          why.reason};
}

Result<ModelState> fold_journal(const Journal& journal, const FoldRange& range,
                                const AfterEntry& after) {
  std::int64_t position = 0;
  auto state = first_state(journal, range, position);
  if (!state) return state;
  if (position >= range.to) return state;
  auto read =
      journal.read(position + 1, [&](std::int64_t number, std::string_view bytes) -> Result<bool> {
        const auto event = decode_event(bytes);
        if (!event) return event.failure().in(fmt::format("journal entry {}: ", number));
        if (auto folded = state.value().fold(number, event.value()); !folded) {
          return folded.failure();
        }
        if (after) {
          if (auto done = after(number, event.value(), state.value()); !done) return done.failure();
        }
        return number < range.to;
      });
  if (!read) return read.failure();
  return state;
}

}  // namespace rein::serve
