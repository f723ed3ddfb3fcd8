#include "serve/data_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/atomic_file.h"
#include "engine/hash.h"
#include "journal/end_mark.h"
#include "journal/snapshot_files.h"

namespace rein::serve {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kLockName = "lock";

Error folder_error(const std::string& path, const std::string& what) {
  return {fmt::format("data folder {}: {}", path, what), Reason::kFailed};
}

// Makes a folder for its owner only. Returns false if the folder was there.
Result<bool> make_private_folder(const std::string& path) {
  if (::mkdir(path.c_str(), S_IRWXU) != 0) {
    if (errno == EEXIST) return false;
    return folder_error(path, std::strerror(errno));
  }
  const std::string parent = fs::absolute(path + "/..").lexically_normal();
  if (sync_folder(parent)) return true;
  return folder_error(path, fmt::format("cannot sync {}: {}", parent, std::strerror(errno)));
}

// The file that shows that a folder without a journal had one; empty if there is no such file.
Result<std::string> trace_of_journal(const std::string& folder) {
  const auto snapshots = SnapshotFiles(folder).positions();
  if (!snapshots) return snapshots.failure();
  if (!snapshots.value().empty()) {
    return fmt::format("a snapshot at entry {}", snapshots.value().front());
  }
  std::error_code ignored;
  const fs::path log = fs::path(folder) / "journal-wal";
  if (fs::exists(log, ignored) && fs::file_size(log, ignored) > 0) return "journal-wal with commits";
  const auto mark = read_end_mark(folder + "/journal-end", nullptr);
  if (!mark && mark.reason() == Reason::kFailed) return mark.failure();
  if (!mark || !mark.value() || mark.value()->number == 0) return "";
  return fmt::format("an end mark at entry {}", mark.value()->number);
}

}  // namespace

Result<FileLock> take_data_folder(const std::string& path) {
  std::error_code failed;
  fs::path whole = fs::absolute(path, failed).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();  // a slash at the end
  fs::create_directories(whole.parent_path(), failed);
  if (failed) return folder_error(path, failed.message());
  if (auto made = make_private_folder(whole); !made) return made.failure();
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) return folder_error(path, std::strerror(errno));
  if (!S_ISDIR(about.st_mode)) return folder_error(path, "it is not a folder");
  if ((about.st_mode & S_IWOTH) != 0) {
    return folder_error(path, fmt::format("everybody may write to it (mode {:04o}); accepted: a folder "
                                          "of its own, such as {}/rein-data, or one without this "
                                          "permission (chmod o-w)",
                                          about.st_mode & 07777, path));
  }
  return FileLock::take(fmt::format("{}/{}", path, kLockName));
}

Result<> make_model_folder(const std::string& data, const std::string& name) {
  const std::string path = data + "/" + name;
  if (auto made = make_private_folder(path); !made) return made.failure();
  if (fs::is_directory(path)) return {};
  return Error{fmt::format("model: found \"{}\", which is a file in the data folder; accepted: "
                           "another name",
                           name),
               Reason::kConflict};
}

Result<bool> has_journal(const std::string& folder) {
  std::error_code ignored;
  if (fs::exists(folder + "/journal", ignored)) return true;
  const auto trace = trace_of_journal(folder);
  if (!trace) return trace.failure();
  if (trace.value().empty()) return false;
  return Error{fmt::format("{0}/journal is missing, and {1} is there: the journal was lost. Put it "
                           "back, or move {0} away",
                           folder, trace.value()),
               Reason::kCorrupt};
}

std::uint64_t stamp_of_files(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code failed;
  fs::directory_iterator entries(folder, failed);
  for (; !failed && entries != fs::directory_iterator(); entries.increment(failed)) {
    const std::string path = entries->path().string();
    struct stat about {};
    if (path.ends_with("-lock") || ::lstat(path.c_str(), &about) != 0) continue;
    found.push_back(fmt::format("{} {} {} {}.{}", path, about.st_ino, about.st_size, about.st_mtim.tv_sec,
                                about.st_mtim.tv_nsec));
  }
  std::ranges::sort(found);
  return hash_of(fmt::format("{} {}", failed.value(), fmt::join(found, "\n")));
}

bool others_can_read(const std::string& data, const std::string& folder) {
  struct stat outer {};
  struct stat inner {};
  if (::stat(data.c_str(), &outer) != 0 || ::stat(folder.c_str(), &inner) != 0) return false;
  return (outer.st_mode & S_IXOTH) != 0 && (inner.st_mode & (S_IROTH | S_IXOTH)) != 0;
}

bool is_model_name(std::string_view name) {
  const auto allowed = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  };
  return !name.empty() && name.size() <= 64 && name[0] != '.' && name != kLockName &&
         std::ranges::all_of(name, allowed);
}

Error wrong_model_name(const std::string& name) {
  if (name == kLockName) {
    return {"model: found \"lock\", which is a file of the data folder; accepted: another name"};
  }
  return {
      fmt::format("model: found \"{}\"; accepted: 1 to 64 letters, digits, _, - and ., "
                  "and no dot in front",
                  name)};
}

}  // namespace rein::serve
