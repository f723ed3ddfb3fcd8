// Writer: the thread of one model. It takes the requests that wait, answers them in memory, commits
// all their journal entries at once, and then sends the answers: group commit. While a commit runs,
// the next group gathers, so the more there is to do, the larger the groups are.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "serve/model.h"

namespace rein::serve {

struct WriterOptions {
  std::size_t most_waiting = 1024;  // requests; more are refused (429, code rate)
  std::string folder;               // of snapshots; empty: none
  // Snapshots are written beside the work. Tests that count calls of the system wait for each one.
  bool wait_for_snapshots = false;
  // A commit or a snapshot failed. It is final: nothing is answered after it, and the process should
  // end. Called once, in the writer's thread.
  std::function<void(const std::string& why)> fatal;
};

class Writer {
 public:
  Writer(std::unique_ptr<Model> model, WriterOptions options);
  // Finishes what waits, writes a snapshot, and ends the thread.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  const std::string& name() const { return name_; }
  // Any thread. The reply is sent by the writer's thread.
  void ask(Ask ask, std::shared_ptr<HttpReply> reply);
  // Runs a function on the model between two groups. For pages and metrics.
  void read(std::function<void(Model&)> run);

 private:
  using Clock = std::chrono::steady_clock;
  struct Job {
    Ask ask;
    std::shared_ptr<HttpReply> reply;
    Clock::time_point since;
    std::function<void(Model&)> run;  // instead of a request
  };
  struct Answered {
    std::shared_ptr<HttpReply> reply;
    HttpResponse response;
    Clock::time_point since;
    Latency* latency;
  };

  void loop();
  bool take(std::vector<Job>& jobs);  // waits; false at the end
  void answer(std::vector<Job>& jobs);
  void read_for(Job& job);
  bool commit();
  void send();
  void snapshot(bool last);
  bool snapshot_ended(bool wait);  // false: it failed
  void fail(const std::string& why);

  std::unique_ptr<Model> model_;
  WriterOptions options_;
  std::string name_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Job> waiting_;
  bool ending_ = false;
  bool failed_ = false;  // of the writer's thread
  std::vector<Answered> answers_;
  std::future<Result<std::int64_t>> writing_;  // a snapshot on its way to its file
  std::int64_t writing_position_ = 0;
  std::thread thread_;
};

}  // namespace rein::serve
