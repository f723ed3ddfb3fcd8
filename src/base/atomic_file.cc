#include "base/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

namespace rein {
namespace {

constexpr int kNameTries = 1000;

Error failed(const std::string& path, int code) {
  return Error{fmt::format("cannot write {}: {}", path, std::strerror(code)), Reason::kFailed};
}

// The destination, and the file that is there now.
struct Target {
  std::string path;    // with links resolved
  std::string folder;  // "." if the path has none
  bool exists = false;
  struct stat about {};
};

Result<Target> target_of(const std::string& path) {
  Target target{.path = path};
  target.exists = ::stat(path.c_str(), &target.about) == 0;
  if (!target.exists && errno != ENOENT) return failed(path, errno);
  if (path.empty() || (!target.exists && path.back() == '/')) return failed(path, EISDIR);
  if (target.exists) {
    char real[PATH_MAX];
    if (::realpath(path.c_str(), real) == nullptr) return failed(path, errno);
    target.path = real;
    if (S_ISDIR(target.about.st_mode)) return failed(path, EISDIR);
    // A rename needs no permission on the file itself, so write protection is checked here.
    if (::access(real, W_OK) != 0) return failed(path, errno);
  }
  const std::size_t slash = target.path.rfind('/');
  target.folder = slash == std::string::npos ? "." : target.path.substr(0, slash + 1);
  struct stat folder {};
  if (::stat(target.folder.c_str(), &folder) != 0 && errno == ENOENT) {
    return Error{fmt::format("cannot write {}: there is no folder {}", path, target.folder),
                 Reason::kFailed};
  }
  return target;
}

bool is_special(const Target& target) { return target.exists && !S_ISREG(target.about.st_mode); }

class Temporary {
 public:
  Temporary() = default;
  ~Temporary() {
    if (file_ >= 0) ::close(file_);
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  // The functions below return false and set errno. open() uses the mode of a new file.
  bool open(const std::string& folder) {
    static std::atomic<unsigned> count{0};
    for (int i = 0; i < kNameTries; ++i) {
      path_ = fmt::format("{}/.rein-{}-{}", folder, ::getpid(), count++);
      file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (file_ >= 0) return true;
      if (errno != EEXIST) break;
    }
    path_.clear();
    return false;
  }
  bool fill(std::string_view data, const Target& target) {
    return begin(target) && write(data) && sync();
  }
  bool begin(const Target& target) {
    return !target.exists || ::fchmod(file_, target.about.st_mode & 07777) == 0;
  }
  bool write(std::string_view data) { return write_all(file_, data); }
  bool sync() { return ::fsync(file_) == 0; }
  bool rename(const std::string& path) {
    const int closed = ::close(file_);
    file_ = -1;
    if (closed != 0 || ::rename(path_.c_str(), path.c_str()) != 0) return false;
    path_.clear();
    return true;
  }

 private:
  std::string path_;
  int file_ = -1;
};

Result<> write_special(const std::string& path, std::string_view data) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return failed(path, errno);
  const bool written = write_all(file, data);
  const int code = errno;
  if (::close(file) != 0 && written) return failed(path, errno);
  return written ? Result<>() : failed(path, code);
}

Result<> synced_folder(const std::string& path, const Target& target) {
  if (sync_folder(target.folder)) return {};
  return Error{
      fmt::format("{} is written, but its folder cannot be synced: {}", path, std::strerror(errno)),
      Reason::kFailed};
}

}  // namespace

// Some file systems cannot sync a folder and return EINVAL, which is ignored.
bool sync_folder(const std::string& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return errno == EACCES;  // a folder that can be written but not read
  const bool synced = ::fsync(file) == 0 || errno == EINVAL;
  const int code = errno;
  ::close(file);
  errno = code;
  return synced;
}

bool write_all(int file, std::string_view data) {
  while (!data.empty()) {
    const ssize_t n = ::write(file, data.data(), data.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    data.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

Result<> write_whole(const std::string& path, std::string_view data) {
  auto found = target_of(path);
  if (!found) return found.failure();
  const Target& target = found.value();
  if (is_special(target)) return write_special(path, data);
  Temporary temporary;
  if (!temporary.open(target.folder) || !temporary.fill(data, target) ||
      !temporary.rename(target.path)) {
    return failed(path, errno);
  }
  return synced_folder(path, target);
}

struct PieceFile::Open {
  std::string path;
  Target target;
  Temporary temporary;
  int special = -1;  // a device or a pipe, written directly
};

PieceFile::PieceFile(std::unique_ptr<Open> open) : open_(std::move(open)) {}
PieceFile::PieceFile(PieceFile&&) noexcept = default;
PieceFile& PieceFile::operator=(PieceFile&&) noexcept = default;
PieceFile::~PieceFile() {
  if (open_ != nullptr && open_->special >= 0) ::close(open_->special);
}

Result<PieceFile> PieceFile::open(const std::string& path) {
  auto found = target_of(path);
  if (!found) return found.failure();
  auto open = std::make_unique<Open>();
  open->path = path;
  open->target = std::move(found).value();
  if (is_special(open->target)) {
    open->special = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (open->special < 0) return failed(path, errno);
  } else if (!open->temporary.open(open->target.folder) || !open->temporary.begin(open->target)) {
    return failed(path, errno);
  }
  return PieceFile(std::move(open));
}

Result<> PieceFile::write(std::string_view data) {
  const bool written =
      open_->special >= 0 ? write_all(open_->special, data) : open_->temporary.write(data);
  return written ? Result<>() : failed(open_->path, errno);
}

Result<> PieceFile::sync() {
  const bool synced = open_->special >= 0 || open_->temporary.sync();
  return synced ? Result<>() : failed(open_->path, errno);
}

Result<> PieceFile::finish() {
  if (open_->special >= 0) return {};
  if (!open_->temporary.sync() || !open_->temporary.rename(open_->target.path)) {
    return failed(open_->path, errno);
  }
  return synced_folder(open_->path, open_->target);
}

Result<> check_writable(const std::string& path) {
  auto found = target_of(path);
  if (!found) return found.failure();
  if (is_special(found.value())) return {};
  Temporary temporary;
  if (!temporary.open(found.value().folder)) return failed(path, errno);
  return {};
}

}  // namespace rein
