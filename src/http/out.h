// The bytes that a connection still has to send. Large texts are kept as they came and not copied,
// and one text may wait in many connections.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rein::serve {

class HttpOut {
 public:
  bool empty() const { return bytes_ == 0; }
  std::size_t size() const { return bytes_; }

  void add(std::string_view bytes);
  void add(std::string&& bytes);
  void add(std::shared_ptr<const std::string> bytes);
  // Sends at most so many bytes, as far as the system takes them without waiting. The number of bytes
  // that went out, or -1 if the client has gone.
  std::ptrdiff_t send(int socket, std::size_t most);

 private:
  struct Piece {
    std::string own;
    std::shared_ptr<const std::string> shared;  // or a text that other connections share
    std::string_view text() const { return shared ? *shared : own; }
  };
  void drop(std::size_t bytes);

  std::vector<Piece> pieces_;
  std::size_t first_ = 0;  // pieces before it are sent
  std::size_t sent_ = 0;   // bytes of the first piece
  std::size_t bytes_ = 0;
};

}  // namespace rein::serve
