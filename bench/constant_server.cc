// The door of the service with a constant behind it: what `rein load` measures of HTTP alone, on the
// same sockets and threads. constant_server PORT; it ends with its parent or at SIGTERM.
#include <fmt/format.h>
#include <sys/prctl.h>

#include <csignal>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "http/server.h"

int main(int argc, char** argv) {
  using namespace rein::serve;
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  std::mutex mutex;
  std::condition_variable wake;
  std::vector<std::shared_ptr<HttpReply>> waiting;
  // Answers come from another thread, all that wait at once, as a writer's do.
  std::thread answerer([&] {
    std::vector<std::shared_ptr<HttpReply>> replies;
    for (;;) {
      {
        std::unique_lock lock(mutex);
        wake.wait(lock, [&] { return !waiting.empty(); });
        replies.swap(waiting);
      }
      const ReplyBatch together;
      for (auto& reply : replies) {
        reply->send({.body = R"({"id":"0000000000000001","action":1,"result":"applied"})",
                     .headers = {}});
      }
      replies.clear();
    }
  });
  answerer.detach();
  auto server = HttpServer::make({.port = argc > 1 ? std::atoi(argv[1]) : 0},
                                 [&](const HttpRequest&, std::shared_ptr<HttpReply> reply) {
                                   const std::lock_guard lock(mutex);
                                   waiting.push_back(std::move(reply));
                                   if (waiting.size() == 1) wake.notify_one();
                                 });
  if (!server) return fmt::print(stderr, "{}\n", server.error()), 1;
  fmt::print("serves at http://127.0.0.1:{}\n", server.value()->port());
  std::fflush(stdout);
  server.value()->run();
}
