#include "journal/disk_model.h"

#include <algorithm>
#include <cstring>
#include <fstream>

namespace rein {

struct Disk::Handle {
  sqlite3_file base;
  Disk* disk;
  File* file;
};

Disk::Disk() {
  vfs_ = *sqlite3_vfs_find(nullptr);
  vfs_.iVersion = 1;
  vfs_.zName = vfs();
  vfs_.szOsFile = sizeof(Handle);
  vfs_.pAppData = this;
  vfs_.xOpen = open_file;
  vfs_.xDelete = delete_file;
  vfs_.xAccess = access_file;
  vfs_.xFullPathname = full_path;
  vfs_.xRandomness = randomness;
  sqlite3_vfs_register(&vfs_, 0);
}

Disk::~Disk() { sqlite3_vfs_unregister(&vfs_); }

void Disk::fail(std::int64_t nth, Fault fault, bool for_good) {
  fail_at_ = nth;
  fault_ = fault;
  for_good_ = for_good;
  has_failed_ = false;
}

bool Disk::fails() {
  ++operations_;
  const bool now =
      fault_ != Fault::kNone && (operations_ == fail_at_ || (for_good_ && operations_ > fail_at_));
  has_failed_ = has_failed_ || now;
  return now;
}

void Disk::apply(const Change& change, std::string& content) {
  if (change.truncate) {
    content.resize(change.at);
    return;
  }
  if (content.size() < change.at + change.bytes.size()) {
    content.resize(change.at + change.bytes.size());
  }
  content.replace(change.at, change.bytes.size(), change.bytes);
}

// Of a change that was not synced: all of it, nothing, or some of its sectors of 512 bytes.
void Disk::apply_part(const Change& change, std::string& content, Rng& rng) {
  constexpr std::size_t kSector = 512;
  const std::uint64_t chance = rng.below(4);
  if (chance == 0) return;
  if (change.truncate || chance < 3) return apply(change, content);
  for (std::size_t done = 0; done < change.bytes.size();) {
    const std::size_t end = ((change.at + done) / kSector + 1) * kSector - change.at;
    const std::size_t size = std::min(end, change.bytes.size()) - done;
    if (rng.below(2) == 0) apply({change.at + done, change.bytes.substr(done, size)}, content);
    done += size;
  }
}

int Disk::write(File& file, std::size_t at, std::string_view bytes) {
  ++changes_;
  int code = SQLITE_OK;
  if (fails()) {
    code = fault_ == Fault::kFull ? SQLITE_FULL : SQLITE_IOERR_WRITE;
    if (fault_ == Fault::kError) return code;
    bytes = bytes.substr(0, bytes.size() / 2);
  }
  file.pending.push_back({at, std::string(bytes)});
  apply(file.pending.back(), file.now);
  return code;
}

int Disk::sync(File& file) {
  ++changes_;
  if (fails()) {
    for (Change& change : file.pending) change.lost = true;
    return SQLITE_IOERR_FSYNC;
  }
  for (const Change& change : file.pending) {
    if (!change.lost) apply(change, file.durable);
  }
  file.pending.clear();
  file.created = true;
  return SQLITE_OK;
}

void Disk::restart() {
  std::erase_if(files_, [](const auto& file) { return file.second.deleted; });
  fault_ = Fault::kNone;
}

void Disk::restart_without_power(Rng& rng) {
  for (auto at = files_.begin(); at != files_.end();) {
    File& file = at->second;
    const bool gone =
        file.deleted ? !file.created || rng.below(2) == 0 : !file.created && rng.below(2) == 0;
    if (gone) {
      at = files_.erase(at);
      continue;
    }
    for (const Change& change : file.pending) apply_part(change, file.durable, rng);
    file = File{.now = file.durable, .durable = file.durable, .created = true};
    ++at;
  }
  fault_ = Fault::kNone;
}

void Disk::write_to_folder() const {
  for (const auto& [name, file] : files_) {
    if (file.deleted) continue;
    std::ofstream out(name, std::ios::binary);
    out.write(file.now.data(), static_cast<std::streamsize>(file.now.size()));
  }
}

int Disk::open_file(sqlite3_vfs* vfs, const char* name, sqlite3_file* base, int flags, int* out) {
  auto& handle = *reinterpret_cast<Handle*>(base);
  Disk& disk = *static_cast<Disk*>(vfs->pAppData);
  handle.base.pMethods = nullptr;
  if (disk.fails()) return SQLITE_CANTOPEN;
  auto found = disk.files_.find(name);
  const bool there = found != disk.files_.end() && !found->second.deleted;
  if (!there && (flags & SQLITE_OPEN_CREATE) == 0) return SQLITE_CANTOPEN;
  if (!there) {
    // A file of the same name that was deleted before may still come back in place of this one, so
    // its durable content stays until the first sync.
    File& file = disk.files_[name];
    file.deleted = false;
    file.now.clear();
    file.pending.clear();
    file.pending.push_back({.truncate = true});
    found = disk.files_.find(name);
  }
  handle.disk = &disk;
  handle.file = &found->second;
  handle.base.pMethods = &methods();
  if (out != nullptr) *out = flags;
  return SQLITE_OK;
}

int Disk::delete_file(sqlite3_vfs* vfs, const char* name, int sync_folder) {
  Disk& disk = *static_cast<Disk*>(vfs->pAppData);
  ++disk.changes_;
  if (disk.fails()) return SQLITE_IOERR_DELETE;
  const auto found = disk.files_.find(name);
  if (found == disk.files_.end() || found->second.deleted) return SQLITE_IOERR_DELETE_NOENT;
  if (sync_folder != 0) {
    disk.files_.erase(found);
  } else {
    found->second.deleted = true;
  }
  return SQLITE_OK;
}

int Disk::access_file(sqlite3_vfs* vfs, const char* name, int, int* out) {
  const Disk& disk = *static_cast<Disk*>(vfs->pAppData);
  const auto found = disk.files_.find(name);
  *out = found != disk.files_.end() && !found->second.deleted &&
         (!found->second.now.empty() || !std::string_view(name).ends_with("-journal"));
  return SQLITE_OK;
}

int Disk::full_path(sqlite3_vfs*, const char* name, int size, char* out) {
  return sqlite3_snprintf(size, out, "%s", name), SQLITE_OK;
}

int Disk::randomness(sqlite3_vfs* vfs, int size, char* out) {
  Disk& disk = *static_cast<Disk*>(vfs->pAppData);
  for (int i = 0; i < size; ++i) out[i] = static_cast<char>(disk.random_.below(256));
  return size;
}

const sqlite3_io_methods& Disk::methods() {
  static const sqlite3_io_methods kMethods = {
      .iVersion = 1,  // no shared memory: the journal must not need it
      .xClose = [](sqlite3_file*) { return SQLITE_OK; },
      .xRead =
          [](sqlite3_file* base, void* to, int size, sqlite3_int64 at) {
            auto& handle = *reinterpret_cast<Handle*>(base);
            if (handle.disk->fails()) return SQLITE_IOERR_READ;
            std::string_view content = handle.file->now;
            content.remove_prefix(std::min(content.size(), static_cast<std::size_t>(at)));
            content = content.substr(0, static_cast<std::size_t>(size));
            std::memset(to, 0, static_cast<std::size_t>(size));
            std::memcpy(to, content.data(), content.size());
            return content.size() < static_cast<std::size_t>(size) ? SQLITE_IOERR_SHORT_READ
                                                                   : SQLITE_OK;
          },
      .xWrite =
          [](sqlite3_file* base, const void* from, int size, sqlite3_int64 at) {
            auto& handle = *reinterpret_cast<Handle*>(base);
            return handle.disk->write(
                *handle.file, static_cast<std::size_t>(at),
                {static_cast<const char*>(from), static_cast<std::size_t>(size)});
          },
      .xTruncate =
          [](sqlite3_file* base, sqlite3_int64 size) {
            auto& handle = *reinterpret_cast<Handle*>(base);
            ++handle.disk->changes_;
            if (handle.disk->fails()) return SQLITE_IOERR_TRUNCATE;
            handle.file->pending.push_back(
                {.at = static_cast<std::size_t>(size), .truncate = true});
            apply(handle.file->pending.back(), handle.file->now);
            return SQLITE_OK;
          },
      .xSync =
          [](sqlite3_file* base, int) {
            auto& handle = *reinterpret_cast<Handle*>(base);
            return handle.disk->sync(*handle.file);
          },
      .xFileSize =
          [](sqlite3_file* base, sqlite3_int64* size) {
            *size = static_cast<sqlite3_int64>(reinterpret_cast<Handle*>(base)->file->now.size());
            return SQLITE_OK;
          },
      .xLock = [](sqlite3_file*, int) { return SQLITE_OK; },
      .xUnlock = [](sqlite3_file*, int) { return SQLITE_OK; },
      .xCheckReservedLock = [](sqlite3_file*, int* out) { return *out = 0, SQLITE_OK; },
      .xFileControl = [](sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; },
      .xSectorSize = [](sqlite3_file*) { return 4096; },
      .xDeviceCharacteristics = [](sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; },
  };
  return kMethods;
}

}  // namespace rein
