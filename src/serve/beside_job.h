// BesideJob: work for a model that runs in another thread than its writer. Shared by both.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>

#include "rein/result.h"

namespace rein::serve {

template <class Made>
class BesideJob {
 public:
  explicit BesideJob(std::function<Result<Made>()> work) : work_(std::move(work)) {}

  void run() {
    {
      const std::lock_guard lock(mutex_);
      if (cancelled_) return;
      running_ = true;
    }
    Result<Made> made = Error{"it was cut off", Reason::kFailed};
    const auto end = [&] {  // cancel() waits for it, whatever ends the job
      const std::lock_guard lock(mutex_);
      running_ = false;
      result_ = std::move(made);
      ended_.notify_all();
    };
    try {
      made = work_();
    } catch (const std::exception& wrong) {  // too little memory, for one
      made = Error{wrong.what(), Reason::kFailed};
    } catch (...) {
      end();
      throw;
    }
    end();
  }

  // The result, if the job has ended. For the writer.
  std::optional<Result<Made>> result() {
    const std::lock_guard lock(mutex_);
    return result_;
  }

  // Keeps the job from beginning; if it has begun, waits for its end. What it asks the writer for must
  // already fail.
  void cancel() {
    std::unique_lock lock(mutex_);
    cancelled_ = true;
    ended_.wait(lock, [&] { return !running_; });
  }

 private:
  std::function<Result<Made>()> work_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool cancelled_ = false, running_ = false;
  std::optional<Result<Made>> result_;
};

}  // namespace rein::serve
