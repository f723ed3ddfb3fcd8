// Writer: the thread of one model. It takes the requests that wait, answers them in memory, commits
// all their journal entries at once, and then sends the answers: group commit. While a commit runs,
// the next group gathers, so the more there is to do, the larger the groups are. Requests that end
// decisions come first (request_queue.h).
//
// A commit that fails, or a bug, stops the model and no other: its memory may be ahead of the
// journal, so nothing is answered from it again. Every request gets 503 with the reason, until the
// journal is opened anew by another writer (reopening.h). Nothing is tried again on the same file.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "serve/model.h"
#include "serve/request_queue.h"

namespace rein::serve {

struct WriterOptions {
  QueueLimits limits;
  // Runs a job in the thread that makes the snapshots of all models, one at a time. Empty: each job
  // has a thread of its own.
  std::function<void(std::function<void()> job)> run_beside;
  // Whether the writer waits for each snapshot, for tests that count system calls.
  bool wait_for_snapshots = false;
  // Several nodes share the journal, and another one may go on with the model. So the end leaves no
  // snapshot, and requests that are cut off are asked to come again (503, code busy).
  bool shared = false;
  // No thread: step() does the work when it is called. For simulations.
  bool stepped = false;
  std::function<std::chrono::steady_clock::time_point()> clock;  // empty: the system's
  // Called once when the model has stopped, in the writer's thread, after all waiting requests were
  // answered.
  std::function<void(const std::string& why)> stopped;
  // Called in the writer's thread after a commit that had notices (oversight.h).
  std::function<void()> noticed;
};

class Writer {
 public:
  Writer(std::unique_ptr<Model> model, WriterOptions options);
  // A writer of a model that could not be opened: it has stopped, for this reason.
  Writer(std::string name, std::string why);
  // Finishes what waits, writes a snapshot, and ends the thread.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  const std::string& name() const { return name_; }
  // Any thread. The reply is sent by the writer's thread, or at once if the request is refused.
  void ask(Ask ask, std::shared_ptr<HttpReply> reply);
  // Runs a function on the model between two groups. For pages and metrics. If the model has
  // stopped, or `run` throws, `stopped` is called with the reason, perhaps before read() returns.
  using Run = std::function<void(Model&)>;
  using Stopped = std::function<void(const std::string& why)>;
  void read(Run run, Stopped stopped = {});

  // Why the model is not served; nothing while it is. Any thread.
  std::optional<std::string> stopped() const;
  // The answer to every request if the model has stopped; no value otherwise.
  std::optional<HttpResponse> refusal() const;
  // REQUIRES that the model has stopped. Ends the thread and closes the journal, so that the
  // journal can be opened anew. Not thread-safe, and not to be called in the writer's thread.
  void close();
  // Finishes what waits, ends the thread, and returns the model; null if it has stopped. Requests that come
  // later are refused. Not to be called in the writer's thread.
  std::unique_ptr<Model> take();
  // REQUIRES `stepped`. Answers one group of the requests that wait.
  void step();
  // The journal could not be opened anew: why, and after how many seconds to ask again.
  void stop_again(const std::string& why, std::int64_t retry_after);

 private:
  using Clock = std::chrono::steady_clock;
  struct Reading {
    Run run;
    Stopped stopped;
  };
  struct Answered {
    std::shared_ptr<HttpReply> reply;
    HttpResponse response;
    Clock::time_point since;
    Latency* latency;
  };

  Clock::time_point time() const { return options_.clock ? options_.clock() : Clock::now(); }
  double seconds_since(Clock::time_point start) const;
  void finish();
  void loop();
  bool wait();  // until there is something to do; false at the end
  void group();
  void answer(std::vector<WaitingRequest>& requests);
  void answer_others(std::size_t count, Clock::time_point start);
  void commit();
  void send();
  void tell_noticed();
  void read_for(const Reading& reading) const;
  void snapshot();
  void last_snapshot();
  void begin_snapshot(const SnapshotTask& task);
  void look_for_snapshot();
  void end_job();
  void snapshot_failed(const std::string& why);
  // Retention (retention.cc).
  void retain();
  void look_for_archive();
  void archive_failed(const std::string& why);
  void note_archive_pause(Clock::time_point since);
  OnModel reader();  // for jobs that run beside
  template <class Job>
  std::future<void> begin_beside(const std::shared_ptr<Job>& job);
  void stop(const std::string& why);
  HttpResponse stopped_answer() const;  // REQUIRES the mutex

  std::unique_ptr<Model> model_;
  WriterOptions options_;
  std::string name_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  RequestQueue queue_;
  std::vector<Reading> readings_;
  bool ending_ = false;
  bool reads_no_more_ = false;  // the thread has ended, or is about to
  std::optional<std::string> stopped_;
  std::int64_t retry_after_ = 1;  // seconds, while stopped
  // Members of the writer's thread:
  std::vector<WaitingRequest> requests_;  // requests that are being answered
  std::vector<Reading> reading_;
  std::vector<Answered> answers_;      // not sent yet
  bool begun_ = false;                 // the clock was moved for a change in this group
  std::int64_t noticed_ = 0;           // notices that were told of
  double commit_seconds_ = 0.0;        // duration of the last commit
  std::shared_ptr<SnapshotJob> job_;   // the snapshot that is being made
  std::future<void> job_thread_;
  std::shared_ptr<ArchiveJob> archive_job_;  // that is being done
  std::future<void> archive_thread_;
  std::int64_t archive_at_ = 0;  // time of the model at which it is looked for old entries
  double archive_pause_ = 0.0;   // seconds: the longest that this thread was held by the present archive job
  Clock::time_point snapshot_not_before_;
  std::thread thread_;
};

template <class Job>
std::future<void> Writer::begin_beside(const std::shared_ptr<Job>& job) {
  if (options_.wait_for_snapshots) {
    job->run();
    return {};
  }
  if (!options_.run_beside) return std::async(std::launch::async, [job] { job->run(); });
  options_.run_beside([job] { job->run(); });
  return {};
}

}  // namespace rein::serve
