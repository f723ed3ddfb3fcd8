// A client that sends bytes as they are, and tables of requests with the answers that they must get.
//
// A table is a text file of blocks:
//
//     # a comment
//     case a folded header
//     > GET / HTTP/1.1          a line, sent with CR LF
//     > X: a
//     + \x20folded\r\n          bytes, sent without an end of line
//     >
//     want 400 invalid folded   status, code of the error, a text that the message contains
//
// Escapes: \r \n \t \0 \xHH \\ and \{N*TEXT}, which repeats. `pause` waits a moment between two
// pieces, `end` closes the sending side. `want 200` is an accepted request; `want closed` gets no
// answer. Several `want` lines are the answers to pipelined requests.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace rein::serve {

struct RawResponse {
  int status = 0;    // 0: the connection was closed, or nothing came in time
  std::string head;  // with the status line
  std::string body;  // without chunks

  std::string header(std::string_view name) const;  // empty if there is none
  std::string error_code() const;                   // of {"error":{"code":...}}
};

// Seconds that a test waits for what must come. Only a test that fails waits so long: a machine that does
// ten other things may stop a thread for seconds.
constexpr double kPatience = 60.0;

class RawClient {
 public:
  explicit RawClient(int port);
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  bool connected() const { return socket_ >= 0; }
  bool send(std::string_view bytes);  // false if the other side has closed
  void end();                         // sends no more
  // The next response. REQUIRES `head_only` for answers to HEAD.
  RawResponse read(double seconds = kPatience, bool head_only = false);
  // Waits for at least one more byte of a body that goes on; empty when closed or late.
  std::string read_some(double seconds = kPatience);
  // True if the server closes within the time.
  bool closes(double seconds = kPatience);
  // One request on this connection.
  RawResponse ask(std::string_view bytes);

 private:
  bool fill(double seconds);
  int socket_ = -1;
  std::string bytes_;
};

struct RawCase {
  struct Want {
    int status = 0;
    std::string code;
    std::string says;
  };
  std::string name;
  std::string place;  // file:line
  std::vector<std::string> pieces;
  bool end = false;
  std::vector<Want> wants;
};

// Waits until `done()` holds. False if it never does.
template <class Done>
bool soon(Done done) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(kPatience);
  while (!done()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// The cases of a file below tests/http/hostile. Throws if it cannot be read.
std::vector<RawCase> read_cases(const std::string& file);

// Sends one case on a connection of its own and compares. Empty if all is as wanted.
std::string difference(const RawCase& one, int port);

}  // namespace rein::serve
