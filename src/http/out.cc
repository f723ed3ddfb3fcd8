#include "http/out.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace rein::serve {
namespace {

// Shorter texts are copied behind each other, because a piece of its own costs more than the copy.
constexpr std::size_t kCopiedBytes = 4096;
constexpr std::size_t kPiecesAtOnce = 16;

}  // namespace

void HttpOut::add(std::string_view bytes) {
  if (bytes.empty()) return;
  bytes_ += bytes.size();
  if (pieces_.empty() || pieces_.back().shared || pieces_.back().own.size() > kCopiedBytes) {
    pieces_.emplace_back();
  }
  pieces_.back().own.append(bytes);
}

void HttpOut::add(std::string&& bytes) {
  if (bytes.size() <= kCopiedBytes) return add(std::string_view(bytes));
  bytes_ += bytes.size();
  pieces_.push_back({.own = std::move(bytes), .shared = nullptr});
}

void HttpOut::add(std::shared_ptr<const std::string> bytes) {
  if (bytes->size() <= kCopiedBytes) return add(std::string_view(*bytes));
  bytes_ += bytes->size();
  pieces_.push_back({.own = {}, .shared = std::move(bytes)});
}

std::ptrdiff_t HttpOut::send(int socket, std::size_t most) {
  std::size_t sent = 0;
  while (bytes_ > 0 && sent < most) {
    std::array<iovec, kPiecesAtOnce> parts{};
    std::size_t count = 0;
    std::size_t room = most - sent;
    for (std::size_t i = first_; i < pieces_.size() && count < parts.size() && room > 0; ++i) {
      std::string_view text = pieces_[i].text();
      if (i == first_) text.remove_prefix(sent_);
      text = text.substr(0, room);
      room -= text.size();
      parts[count++] = {.iov_base = const_cast<char*>(text.data()), .iov_len = text.size()};
    }
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = count;
    const ssize_t n = ::sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    if (n < 0) return -1;
    drop(static_cast<std::size_t>(n));
    sent += static_cast<std::size_t>(n);
  }
  return static_cast<std::ptrdiff_t>(sent);
}

void HttpOut::drop(std::size_t bytes) {
  bytes_ -= bytes;
  sent_ += bytes;
  while (first_ < pieces_.size() && sent_ >= pieces_[first_].text().size()) {
    sent_ -= pieces_[first_].text().size();
    pieces_[first_++] = {};
  }
  if (first_ < pieces_.size()) return;
  std::vector<Piece>().swap(pieces_);  // idle connections keep no memory
  first_ = sent_ = 0;
}

}  // namespace rein::serve
