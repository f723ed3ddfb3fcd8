#include "journal/postgres_background.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace rein::postgres {
namespace {

constexpr Query kNotify{"notify", "SELECT pg_notify('rein', $1)"};
// The least time between two notifications.
constexpr std::chrono::milliseconds kNotifyPause{1};
// Between two parts of a deletion. A part takes a few milliseconds, so most of the time is free.
constexpr std::chrono::milliseconds kDeletePause{20};
// Between two tries to reach the database, where one has failed.
constexpr std::chrono::milliseconds kTryPause{500};
// Without notifications, followers look this often.
constexpr std::chrono::milliseconds kPolling{2};

std::string random_name() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

}  // namespace

Background::Background(Store& store, Entries& entries)
    : store_(store), entries_(entries), name_(random_name()), thread_([this] { run(); }) {}

Background::~Background() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wanted_.notify_all();
  thread_.join();
}

void Background::entries_came() {
  if (alone_) return;
  {
    const std::lock_guard lock(mutex_);
    if (came_) return;
    came_ = true;
  }
  wanted_.notify_one();
}

void Background::entries_dropped(const std::string& model) {
  {
    const std::lock_guard lock(mutex_);
    dropped_.insert(model);
  }
  wanted_.notify_one();
}

void Background::run() {
  std::unique_lock lock(mutex_);
  Clock::time_point next_delete;
  while (!ending_) {
    const auto has_work = [&] {
      return ending_ || came_ || (!dropped_.empty() && Clock::now() >= next_delete);
    };
    if (dropped_.empty()) {
      wanted_.wait(lock, [&] { return has_work() || !dropped_.empty(); });
    } else {
      wanted_.wait_until(lock, next_delete, has_work);
    }
    if (ending_) return;
    if (came_) {
      came_ = false;
      lock.unlock();
      const bool told = store_.ask(Durable::kNo, kNotify, Values().text(name_)).ok();
      lock.lock();
      // Appends go on meanwhile; those that come now are told next time.
      wanted_.wait_for(lock, told ? kNotifyPause : kTryPause, [&] { return ending_; });
    }
    if (!ending_ && !dropped_.empty() && Clock::now() >= next_delete) {
      const std::string model = *dropped_.begin();
      lock.unlock();
      const auto more = entries_.delete_dropped(model);
      lock.lock();
      if (more && !more.value()) dropped_.erase(model);
      next_delete = Clock::now() + (more ? kDeletePause : kTryPause);
    }
  }
}

void Background::listen(Clock::time_point until) {
  const auto now = Clock::now();
  if (now < next_try_) return;
  next_try_ = now + kTryPause;
  auto opened = store_.servers().open({.durable = Durable::kNo, .lock_timeout = kTryPause},
                                      std::min(until, now + kTryPause));
  if (!opened) return;
  if (opened.value()->run_text("LISTEN rein", now + 2 * kTryPause))
    listener_ = std::move(opened).value();
}

void Background::wait_for_entries(std::chrono::milliseconds most) {
  const auto until = Clock::now() + most;
  const std::unique_lock lock(listening_, std::try_to_lock);
  if (lock && !listener_) listen(until);
  if (!lock || !listener_) {
    std::this_thread::sleep_until(std::min(until, Clock::now() + kPolling));
    return;
  }
  auto found = listener_->notified(until, name_);
  if (!found) listener_.reset();
}

}  // namespace rein::postgres
