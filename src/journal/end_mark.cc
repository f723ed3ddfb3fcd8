#include "journal/end_mark.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <semaphore>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "journal/regular_file.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr std::string_view kEndMarkMagic = "reinmark";
constexpr std::size_t kSlotBytes = 48;  // magic, count of writes, three numbers, checksum
// Distance of the two slots: a block of most file systems, so that a write touches one slot only.
constexpr std::int64_t kSlotDistance = 4096;
constexpr std::size_t kEndMarkBytes = static_cast<std::size_t>(kSlotDistance) + kSlotBytes;

struct Slot {
  std::uint64_t writes = 0;
  EndMark mark;
};

std::uint64_t slot_checksum(std::string_view bytes) {
  return chained(kChainStart, static_cast<std::int64_t>(kSlotBytes), bytes);
}

std::string slot_bytes(const Slot& slot) {
  ByteWriter numbers;
  numbers.u64(slot.writes);
  numbers.i64(slot.mark.number);
  numbers.u64(slot.mark.chain);
  numbers.i64(slot.mark.begun);
  std::string bytes(kEndMarkMagic);
  bytes += numbers.bytes();
  ByteWriter checksum;
  checksum.u64(slot_checksum(bytes));
  return bytes + checksum.bytes();
}

std::optional<Slot> slot_in(std::string_view bytes) {
  if (bytes.size() < kSlotBytes || !bytes.starts_with(kEndMarkMagic)) return {};
  ByteReader numbers(bytes.substr(kEndMarkMagic.size()));
  Slot slot;
  slot.writes = numbers.u64();
  slot.mark.number = numbers.i64();
  slot.mark.chain = numbers.u64();
  slot.mark.begun = numbers.i64();
  if (numbers.u64() != slot_checksum(bytes.substr(0, kSlotBytes - 8))) return {};
  if (slot.mark.number < 0 || slot.mark.begun < slot.mark.number) return {};
  return slot;
}

// A file of a virtual file system of SQLite.
class VfsFile {
 public:
  VfsFile(std::string path, const char* vfs)
      : path_(std::move(path)),
        vfs_(sqlite3_vfs_find(vfs)),
        room_(static_cast<std::size_t>(vfs_->szOsFile) / sizeof(std::max_align_t) + 1) {}
  ~VfsFile() {
    if (file()->pMethods != nullptr) file()->pMethods->xClose(file());
  }
  VfsFile(const VfsFile&) = delete;
  VfsFile& operator=(const VfsFile&) = delete;

  // As a file that stands for itself (a "super-journal" of SQLite): without locks, and the first sync
  // of a new file syncs its folder too.
  bool open(int flags) {
    return vfs_->xOpen(vfs_, path_.c_str(), file(), flags | SQLITE_OPEN_SUPER_JOURNAL, nullptr) ==
           SQLITE_OK;
  }
  bool exists() {
    int there = 0;
    return vfs_->xAccess(vfs_, path_.c_str(), SQLITE_ACCESS_EXISTS, &there) == SQLITE_OK &&
           there != 0;
  }
  bool read(std::string& bytes) {
    sqlite3_int64 size = 0;
    if (file()->pMethods->xFileSize(file(), &size) != SQLITE_OK) return false;
    bytes.resize(std::min(static_cast<std::size_t>(size), kEndMarkBytes));
    const int length = static_cast<int>(bytes.size());
    return length == 0 ||
           file()->pMethods->xRead(file(), bytes.data(), length, 0) == SQLITE_OK;
  }
  bool write(std::string_view bytes, std::int64_t at) {
    const int length = static_cast<int>(bytes.size());
    return file()->pMethods->xWrite(file(), bytes.data(), length, at) == SQLITE_OK;
  }
  bool sync() {
    return file()->pMethods->xSync(file(), SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY) == SQLITE_OK;
  }
  Error failed(const char* what) const {
    return {fmt::format("the end mark {} cannot be {}: {}", path_, what, std::strerror(errno)),
            Reason::kFailed};
  }

 private:
  sqlite3_file* file() { return reinterpret_cast<sqlite3_file*>(room_.data()); }

  std::string path_;  // SQLite keeps a pointer to it
  sqlite3_vfs* vfs_;
  std::vector<std::max_align_t> room_;
};

Result<Slot> newest_slot(VfsFile& file, const std::string& path) {
  std::string bytes;
  if (!file.read(bytes)) return file.failed("read");
  Slot newest;
  bool found = bytes.find_first_not_of('\0') == std::string::npos;
  for (const std::int64_t at : {std::int64_t{0}, kSlotDistance}) {
    const auto place = std::min(bytes.size(), static_cast<std::size_t>(at));
    const auto slot = slot_in(std::string_view(bytes).substr(place));
    if (slot && (!found || slot->writes > newest.writes)) newest = *slot;
    found = found || slot;
  }
  if (found) return newest;
  return Error{fmt::format("{} is damaged: neither of its two marks is intact", path),
               Reason::kCorrupt};
}

}  // namespace

Result<std::optional<EndMark>> read_end_mark(const std::string& path, const char* vfs) {
  VfsFile file(path, vfs);
  if (!file.exists()) return std::optional<EndMark>();
  if (auto regular = check_regular_file(path); !regular) return regular.failure();
  if (!file.open(SQLITE_OPEN_READONLY)) return file.failed("opened");
  const auto slot = newest_slot(file, path);
  if (!slot) return slot.failure();
  if (slot.value().writes == 0) return std::optional<EndMark>();
  return std::optional<EndMark>(slot.value().mark);
}

struct EndMarkFile::Open {
  Open(const std::string& path, const char* vfs) : file(path, vfs), beside(vfs == nullptr) {}
  ~Open() {
    if (!thread.joinable()) return;
    ending = true;
    wanted.release();
    thread.join();
  }
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;

  bool write(const EndMark& mark) {
    const std::string bytes = slot_bytes({++writes, mark});
    return file.write(bytes, writes % 2 == 0 ? 0 : kSlotDistance);
  }
  // Without one, commits take longer: the mark is synced before the commit.
  void start_thread() {
    try {
      thread = std::thread([this] { sync_when_wanted(); });
    } catch (const std::system_error&) {  // the system has no thread left
      beside = false;
    }
  }
  void sync_when_wanted() {
    for (;;) {
      wanted.acquire();
      if (ending) return;
      synced = file.sync();
      code = errno;
      done.release();
    }
  }

  VfsFile file;
  bool beside;  // syncs run in the thread
  std::uint64_t writes = 0;
  bool synced = true;
  int code = 0;
  bool ending = false;
  std::binary_semaphore wanted{0}, done{0};
  std::thread thread;  // from the first commit on
};

EndMarkFile::EndMarkFile() = default;
EndMarkFile::EndMarkFile(EndMarkFile&&) noexcept = default;
EndMarkFile& EndMarkFile::operator=(EndMarkFile&&) noexcept = default;
EndMarkFile::~EndMarkFile() = default;

Result<EndMarkFile> EndMarkFile::open(const std::string& path, const char* vfs) {
  EndMarkFile mark;
  mark.open_ = std::make_unique<Open>(path, vfs);
  Open& open = *mark.open_;
  if (auto regular = check_regular_file(path); !regular) return regular.failure();
  if (!open.file.open(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) return open.file.failed("opened");
  // Damage was refused or accepted before. Here a damaged slot is written over.
  const auto slot = newest_slot(open.file, path);
  if (!slot && slot.reason() == Reason::kFailed) return slot.failure();
  open.writes = slot ? slot.value().writes : 0;
  return mark;
}

Result<> EndMarkFile::set(const EndMark& mark) {
  for (int slot = 0; slot < 2; ++slot) {
    if (!open_->write(mark)) return open_->file.failed("written");
    // The slots are written one after the other: an intact slot stays until the new slot is
    // durable.
    if (!open_->file.sync()) return open_->file.failed("synced");
  }
  return {};
}

Result<> EndMarkFile::begin(const EndMark& mark) {
  if (!open_->write(mark)) return open_->file.failed("written");
  if (open_->beside && !open_->thread.joinable()) open_->start_thread();
  if (!open_->beside) {
    open_->synced = open_->file.sync();
    return {};
  }
  open_->wanted.release();
  return {};
}

Result<> EndMarkFile::end() {
  if (open_->beside) {
    open_->done.acquire();
    errno = open_->code;
  }
  return open_->synced ? Result<>() : open_->file.failed("synced");
}

Result<> EndMarkFile::committed(const EndMark& mark) {
  return open_->write(mark) ? Result<>() : open_->file.failed("written");
}

}  // namespace rein
