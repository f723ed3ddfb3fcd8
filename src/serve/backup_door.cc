#include "serve/backup_door.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <future>
#include <string_view>
#include <system_error>

namespace rein::serve {
namespace {

// A caller that neither sends nor reads for so long is cut off: one is served at a time.
constexpr int kCallerSeconds = 10;
constexpr std::size_t kLongestQuestion = 256;  // a name of 64 bytes and a number
constexpr std::size_t kDoorSliceBytes = 64 << 10;  // as for snapshots (snapshot_job.cc)

// The address of the door: not a file, but a name that the system keeps as long as the socket is open. It
// is made from the numbers of the data folder, so that paths of any length and with links lead to it.
struct DoorAddress {
  explicit DoorAddress(const std::string& data) {
    struct stat about {};
    known = ::stat(data.c_str(), &about) == 0;
    owner = about.st_uid;
    const std::string name = fmt::format("rein-backup/{}/{}", about.st_dev, about.st_ino);
    address.sun_family = AF_UNIX;
    name.copy(address.sun_path + 1, sizeof(address.sun_path) - 1);
    size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }

  bool known = false;
  uid_t owner = 0;  // of the data folder
  sockaddr_un address{};
  socklen_t size = 0;
};

// Whether the process at the other end is of one of these users. Anybody may use any name.
bool is_of(int other_end, uid_t one, uid_t another) {
  ucred about{};
  socklen_t size = sizeof(about);
  if (::getsockopt(other_end, SOL_SOCKET, SO_PEERCRED, &about, &size) != 0) return false;
  return about.uid == one || about.uid == another;
}

bool send_to_caller(int caller, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(caller, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

// One line, without its end; empty if none came.
std::string question_of(int caller) {
  std::string line;
  char c = 0;
  while (line.size() < kLongestQuestion && ::recv(caller, &c, 1, 0) == 1) {
    if (c == '\n') return line;
    line += c;
  }
  return "";
}

Result<> on_served(Writer& writer, const std::function<Result<>(Model&)>& run) {
  std::promise<Result<>> promise;
  auto done = promise.get_future();
  writer.read([&](Model& model) { promise.set_value(run(model)); },
              [&](const std::string& why) { promise.set_value(Error{why, Reason::kFailed}); });
  return done.get();
}

void append_entry(std::string& out, std::string_view entry) {
  for (unsigned shift = 0; shift < 32; shift += 8) {
    out += static_cast<char>((entry.size() >> shift) & 0xFFU);
  }
  out += entry;
}

}  // namespace

Result<std::unique_ptr<BackupDoor>> BackupDoor::open(const std::string& data, Find find) {
  const DoorAddress address(data);
  const int listening = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listening < 0 || ::bind(listening, address.get(), address.size) != 0 || ::listen(listening, 4) != 0) {
    const Error why{fmt::format("a socket for backups cannot be made: {}", std::strerror(errno)), Reason::kFailed};
    if (listening >= 0) ::close(listening);
    return why;
  }
  try {
    return std::unique_ptr<BackupDoor>(new BackupDoor(listening, std::move(find)));
  } catch (const std::system_error& no_thread) {
    ::close(listening);
    return Error{fmt::format("cannot start a thread: {}", no_thread.what()), Reason::kFailed};
  }
}

BackupDoor::BackupDoor(int listening, Find find)
    : listening_(listening), find_(std::move(find)), thread_([this] { loop(); }) {}

BackupDoor::~BackupDoor() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    ::shutdown(listening_, SHUT_RDWR);  // accept() returns
    if (caller_ >= 0) ::shutdown(caller_, SHUT_RDWR);
  }
  thread_.join();
  ::close(listening_);
}

void BackupDoor::loop() {
  for (;;) {
    const int caller = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    {
      const std::lock_guard lock(mutex_);
      if (ending_) {
        if (caller >= 0) ::close(caller);
        return;
      }
      caller_ = caller;
    }
    if (caller < 0) {  // no file descriptor is left, for one
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      continue;
    }
    const timeval patience{.tv_sec = kCallerSeconds, .tv_usec = 0};
    ::setsockopt(caller, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    ::setsockopt(caller, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    if (is_of(caller, ::geteuid(), 0)) {
      answer(caller);
    } else {
      send_to_caller(caller, "refused you are another user; accepted: the user of the service, and root\n");
    }
    const std::lock_guard lock(mutex_);
    caller_ = -1;
    ::close(caller);
  }
}

void BackupDoor::answer(int caller) const {
  const std::string question = question_of(caller);
  const std::size_t space = question.find(' ');
  std::int64_t from = 0;
  const char* end = question.data() + question.size();
  const bool number = space != std::string::npos &&
                      std::from_chars(question.data() + space + 1, end, from).ptr == end && from >= 1;
  if (!number) {
    send_to_caller(caller, "refused found another question; accepted: MODEL FROM\n");
    return;
  }
  const auto writer = find_(question.substr(0, space));
  if (writer == nullptr) {
    send_to_caller(caller, "refused there is no such model\n");
    return;
  }
  std::string out;
  std::int64_t last = 0;
  auto done = on_served(*writer, [&](Model& model) -> Result<> {
    last = model.committed();
    if (from < model.first_entry()) {
      out = fmt::format("gone {}\n", model.first_entry());
      return {};
    }
    if (from > last + 1) return Error{fmt::format("the journal ends at entry {}", last)};
    const auto before = model.chain_at(from - 1);
    if (!before) return before.failure();
    const auto chain = model.chain_at(last);
    if (!chain) return chain.failure();
    out = fmt::format("entries {} {:016x} {:016x}\n", last, chain.value(), before.value());
    return {};
  });
  if (!done) out = fmt::format("refused {}\n", done.error());
  if (!send_to_caller(caller, out) || !out.starts_with("entries ")) return;
  while (from <= last) {
    out.clear();
    done = on_served(*writer, [&](Model& model) -> Result<> {
      const auto entries = model.read_entries(from, last, kDoorSliceBytes);
      if (!entries) return entries.failure();
      for (const std::string& entry : entries.value()) append_entry(out, entry);
      from += static_cast<std::int64_t>(entries.value().size());
      return {};
    });
    // The caller finds that entries are missing.
    if (!done || out.empty() || !send_to_caller(caller, out)) return;
  }
}

int connect_to_door(const std::string& data) {
  const DoorAddress address(data);
  const int door = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (door < 0) return -1;
  const bool connected = address.known && ::connect(door, address.get(), address.size) == 0;
  if (connected && is_of(door, address.owner, 0)) return door;
  ::close(door);
  return -1;
}

}  // namespace rein::serve
