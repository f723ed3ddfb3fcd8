// What tests need that start servers of their own: free ports, and the output of scripts.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>

namespace rein {

// Whether nobody listens on this port of 127.0.0.1; 0: on one that the system chooses. The port, or 0.
inline int free_port(int wanted = 0) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(wanted));
  socklen_t size = sizeof address;
  const bool free = ::bind(socket, reinterpret_cast<sockaddr*>(&address), size) == 0;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(socket);
  return free ? ntohs(address.sin_port) : 0;
}

// Waits until the condition holds. What waits for another process or a server waits here: a test that does
// not end says nothing about what went wrong, so this throws after `patience`.
template <class Condition>
void wait_until(const std::string& what, const Condition& holds,
                std::chrono::milliseconds patience = std::chrono::milliseconds(60'000)) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > until) throw std::runtime_error("never happened: " + what);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

// Throws, with the output, if the command fails.
inline std::string output_of(const std::string& command) {
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  std::string text;
  std::array<char, 256> buffer{};
  while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), size);
  if (::pclose(pipe) != 0) throw std::runtime_error(command + ": " + text);
  return text;
}

}  // namespace rein
