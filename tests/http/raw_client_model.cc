#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "http/raw_client.h"
#include "source_dir.h"

namespace rein::serve {
namespace {

char lower_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

std::string unescaped(std::string_view text, const std::string& place) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    switch (i + 1 < text.size() ? text[++i] : '?') {
      case 'r':
        out += '\r';
        break;
      case 'n':
        out += '\n';
        break;
      case 't':
        out += '\t';
        break;
      case '0':
        out += '\0';
        break;
      case '\\':
        out += '\\';
        break;
      case 'x':
        out += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
        i += 2;
        break;
      case '{': {
        const std::size_t star = text.find('*', i);
        const std::size_t close = text.find('}', i);
        const int times = std::stoi(std::string(text.substr(i + 1, star - i - 1)));
        const std::string one = unescaped(text.substr(star + 1, close - star - 1), place);
        for (int k = 0; k < times; ++k) out += one;
        i = close;
        break;
      }
      default:
        throw std::runtime_error(place + ": unknown escape");
    }
  }
  return out;
}

}  // namespace

std::string RawResponse::header(std::string_view name) const {
  std::size_t at = head.find("\r\n");
  while (at != std::string::npos) {
    const std::size_t begin = at + 2;
    at = head.find("\r\n", begin);
    const std::string_view line = std::string_view(head).substr(begin, at - begin);
    const std::size_t colon = line.find(':');
    if (colon != name.size()) continue;
    const bool same = std::equal(name.begin(), name.end(), line.begin(),
                                 [](char a, char b) { return lower_letter(a) == lower_letter(b); });
    if (same) return std::string(line.substr(std::min(colon + 2, line.size())));
  }
  return "";
}

std::string RawResponse::error_code() const {
  constexpr std::string_view kBefore = "\"code\":\"";
  const std::size_t at = body.find(kBefore);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + kBefore.size();
  return body.substr(begin, body.find('"', begin) - begin);
}

RawClient::RawClient(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (socket_ >= 0 && ::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
    ::close(socket_);
    socket_ = -1;
  }
}

RawClient::~RawClient() {
  if (socket_ >= 0) ::close(socket_);
}

bool RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

void RawClient::end() { ::shutdown(socket_, SHUT_WR); }

bool RawClient::fill(double seconds) {
  pollfd wait{.fd = socket_, .events = POLLIN, .revents = 0};
  if (::poll(&wait, 1, static_cast<int>(seconds * 1000.0)) <= 0) return false;
  char buffer[65536];
  const ssize_t n = ::recv(socket_, buffer, sizeof buffer, 0);
  if (n <= 0) return false;
  bytes_.append(buffer, static_cast<std::size_t>(n));
  return true;
}

RawResponse RawClient::read(double seconds, bool head_only) {
  RawResponse response;
  std::size_t end = 0;
  while ((end = bytes_.find("\r\n\r\n")) == std::string::npos) {
    if (!fill(seconds)) return response;
  }
  response.head = bytes_.substr(0, end + 2);
  bytes_.erase(0, end + 4);
  if (response.head.size() < 12) return response;
  response.status = std::stoi(response.head.substr(9, 3));
  if (head_only || response.status < 200 || response.status == 204) return response;
  if (response.header("Transfer-Encoding") == "chunked") {
    for (;;) {
      std::size_t line = 0;
      while ((line = bytes_.find("\r\n")) == std::string::npos) {
        if (!fill(seconds)) return response;
      }
      const std::size_t size = std::stoul(bytes_.substr(0, line), nullptr, 16);
      while (bytes_.size() < line + 4 + size) {
        if (!fill(seconds)) return response;
      }
      response.body += bytes_.substr(line + 2, size);
      bytes_.erase(0, line + 4 + size);
      if (size == 0) return response;
    }
  }
  const std::string length = response.header("Content-Length");
  if (length.empty()) {
    while (fill(seconds)) {
    }
    response.body.swap(bytes_);
    return response;
  }
  const std::size_t size = std::stoul(length);
  while (bytes_.size() < size && fill(seconds)) {
  }
  response.body = bytes_.substr(0, size);
  bytes_.erase(0, size);
  return response;
}

std::string RawClient::read_some(double seconds) {
  if (bytes_.empty()) fill(seconds);
  return std::exchange(bytes_, {});
}

bool RawClient::closes(double seconds) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (;;) {
    const double left =
        std::chrono::duration<double>(until - std::chrono::steady_clock::now()).count();
    if (left <= 0.0) return false;
    pollfd wait{.fd = socket_, .events = POLLIN, .revents = 0};
    if (::poll(&wait, 1, static_cast<int>(left * 1000.0) + 1) <= 0) return false;
    char buffer[65536];
    if (::recv(socket_, buffer, sizeof buffer, 0) <= 0) return true;
  }
}

RawResponse RawClient::ask(std::string_view bytes) {
  if (!send(bytes)) return {};
  return read();
}

std::vector<RawCase> read_cases(const std::string& file) {
  std::ifstream in(std::string(source_dir()) + "/tests/http/hostile/" + file);
  if (!in) throw std::runtime_error("cannot read " + file);
  std::vector<RawCase> cases;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    const std::string place = file + ":" + std::to_string(number);
    if (line.empty() || line[0] == '#') continue;
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string word = line.substr(0, space);
    const std::string rest = space < line.size() ? line.substr(space + 1) : "";
    if (word == "case") {
      cases.push_back({.name = rest, .place = place, .pieces = {""}});
      continue;
    }
    if (cases.empty()) throw std::runtime_error(place + ": no case yet");
    RawCase& last = cases.back();
    if (word == ">") {
      last.pieces.back() += unescaped(rest, place) + "\r\n";
    } else if (word == "+") {
      last.pieces.back() += unescaped(rest, place);
    } else if (word == "pause") {
      last.pieces.emplace_back();
    } else if (word == "end") {
      last.end = true;
    } else if (word == "want") {
      RawCase::Want want;
      if (rest != "closed") {
        want.status = std::stoi(rest);
        if (rest.size() > 4) {
          const std::size_t after = std::min(rest.find(' ', 4), rest.size());
          want.code = rest.substr(4, after - 4);
          if (after < rest.size()) want.says = rest.substr(after + 1);
        }
      }
      last.wants.push_back(std::move(want));
    } else {
      throw std::runtime_error(place + ": unknown word " + word);
    }
  }
  return cases;
}

std::string difference(const RawCase& one, int port) {
  RawClient client(port);
  if (!client.connected()) return one.place + ": cannot connect";
  for (std::size_t i = 0; i < one.pieces.size(); ++i) {
    if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    client.send(one.pieces[i]);  // refused requests may be closed before their end
  }
  if (one.end) client.end();
  bool head_only = one.pieces[0].starts_with("HEAD ");
  for (const RawCase::Want& want : one.wants) {
    const RawResponse got = client.read(kPatience, head_only);
    if (got.status != want.status || (!head_only && got.error_code() != want.code)) {
      return one.place + " (" + one.name + "): wanted " + std::to_string(want.status) + " " +
             want.code + ", got " + std::to_string(got.status) + " " + got.error_code() + "\n" +
             got.body;
    }
    if (got.body.find(want.says) == std::string::npos) {
      return one.place + " (" + one.name + "): \"" + want.says + "\" is not in " + got.body;
    }
  }
  return "";
}

}  // namespace rein::serve
