#include "streams.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>

#include "verbs.h"

namespace rein::app {

void open_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    // open() returns the lowest free number, which is this one. The access mode is wrong on
    // purpose, so that using the stream fails as with a closed one.
    if (::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
  std::signal(SIGXFSZ, SIG_IGN);
}

void check_stdout() {
  const int flags = ::fcntl(STDOUT_FILENO, F_GETFL);
  if (flags != -1 && (flags & O_ACCMODE) != O_RDONLY) return;
  throw Failure(
      "standard output is closed; accepted: a terminal, a file, a pipe, or >/dev/null where only "
      "files are wanted");
}

void complain(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  const std::string line = fmt::format("rein: {}\n", text);
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

int flushed(int code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  // The error of an earlier write is no longer known.
  complain(errno == 0 ? "cannot write to standard output"
                      : fmt::format("cannot write to standard output: {}", std::strerror(errno)));
  return code == kOk ? kFailed : code;
}

}  // namespace rein::app
