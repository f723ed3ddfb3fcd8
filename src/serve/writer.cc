#include "serve/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "serve/answer.h"
#include "serve/log.h"

namespace rein::serve {

Writer::Writer(std::unique_ptr<Model> model, WriterOptions options)
    : model_(std::move(model)), options_(std::move(options)), name_(model_->name()) {
  thread_ = std::thread([this] { loop(); });
}

Writer::~Writer() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Writer::ask(Ask ask, std::shared_ptr<HttpReply> reply) {
  std::size_t waiting = 0;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() < options_.most_waiting && !ending_) {
      waiting_.push_back({std::move(ask), reply, Clock::now(), {}});
      waiting = waiting_.size();
    }
  }
  if (waiting == 1) wake_.notify_one();  // with more, the writer knows
  if (waiting > 0) return;
  Refused why(429, "rate", "too many requests wait; accepted: fewer per second");
  why.retry_after = 1;
  reply->send(answer_of(why));
}

void Writer::read(std::function<void(Model&)> run) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({{}, nullptr, Clock::now(), std::move(run)});
  }
  wake_.notify_one();
}

bool Writer::take(std::vector<Job>& jobs) {
  jobs.clear();
  std::unique_lock lock(mutex_);
  // Windows and expiry move with time alone, so the clock is looked at every second.
  wake_.wait_for(lock, std::chrono::seconds(1), [&] { return !waiting_.empty() || ending_; });
  jobs.swap(waiting_);
  return !ending_ || !jobs.empty();
}

void Writer::loop() {
  std::vector<Job> jobs;
  while (take(jobs)) {
    if (failed_) continue;  // replies are dropped: nothing is answered any more
    // Reading writes nothing into the journal, unless time itself has changed something.
    const bool changes = std::ranges::any_of(
        jobs, [](const Job& job) { return !job.run && job.ask.method != "GET"; });
    model_->begin(changes);
    answer(jobs);
    if (!commit()) continue;
    send();
    for (Job& job : jobs) {
      if (job.run) read_for(job);
    }
    snapshot(false);
  }
  if (!failed_) snapshot(true);
}

// Pages and metrics only read: a failure of theirs harms nobody else.
void Writer::read_for(Job& job) {
  try {
    job.run(*model_);
  } catch (const std::exception& bug) {
    log("error", "reading failed", {{"model", name_}, {"why", bug.what()}});
  }
}

void Writer::answer(std::vector<Job>& jobs) {
  answers_.clear();
  for (Job& job : jobs) {
    if (job.run) continue;
    HttpResponse response;
    try {
      response = model_->call(job.ask);
    } catch (const std::exception& bug) {
      // Memory may be ahead of the journal now, or half changed: only a fresh start is sound.
      fail(fmt::format("a bug: {}", bug.what()));
      answers_.clear();
      return;
    }
    ModelWatch& watch = model_->watch();
    Latency* latency = job.ask.verb == "decide"    ? &watch.decide
                       : job.ask.verb == "outcome" ? &watch.outcome
                                                   : nullptr;
    answers_.push_back({std::move(job.reply), std::move(response), job.since, latency});
  }
}

bool Writer::commit() {
  if (failed_) return false;
  const auto start = Clock::now();
  const std::int64_t before = model_->committed();
  if (auto done = model_->commit(); !done) {
    fail(done.error());
    answers_.clear();
    return false;
  }
  if (model_->committed() != before) {
    const std::chrono::duration<double> took = Clock::now() - start;
    model_->watch().commit.add(took.count(), model_->now());
  }
  return true;
}

void Writer::send() {
  const ReplyBatch together;
  const auto now = Clock::now();
  for (Answered& each : answers_) {
    if (each.latency != nullptr) {
      each.latency->add(std::chrono::duration<double>(now - each.since).count(), model_->now());
    }
    each.reply->send(std::move(each.response));
  }
  answers_.clear();
}

// The file is written beside the work. At the end it is waited for.
void Writer::snapshot(bool last) {
  if (options_.folder.empty() || !snapshot_ended(last)) return;
  const bool due = last ? model_->committed() > model_->snapshot_at() : model_->snapshot_due();
  if (!due || writing_.valid()) return;
  auto made = model_->make_snapshot();
  if (!made) return fail(made.error());
  writing_position_ = made.value().position;
  writing_ = std::async(std::launch::async,
                        [folder = options_.folder, snapshot = std::move(made).value()] {
                          return SnapshotFiles(folder).write(snapshot.position, snapshot.bytes,
                                                             snapshot.chain);
                        });
  snapshot_ended(last || options_.wait_for_snapshots);
}

// Looks whether the snapshot on its way, if there is one, is in its file.
bool Writer::snapshot_ended(bool wait) {
  if (!writing_.valid()) return true;
  if (!wait && writing_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return true;
  const auto done = writing_.get();
  if (!done) {
    fail("snapshot: " + done.error());
    return false;
  }
  model_->snapshot_written(writing_position_);
  return true;
}

void Writer::fail(const std::string& why) {
  failed_ = true;
  if (options_.fatal) options_.fatal(fmt::format("model {}: {}", name_, why));
}

}  // namespace rein::serve
