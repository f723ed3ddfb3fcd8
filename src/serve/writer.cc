#include "serve/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "http/log.h"
#include "serve/answer.h"

namespace rein::serve {
namespace {

// How long a group takes requests besides outcomes, so that the next outcomes wait no longer than
// this. With a slow disk, as long as keeps commits to a fifth of the time.
constexpr double kGroupSeconds = 0.005;
constexpr double kMostGroupSeconds = 0.1;
// Requests that are taken from the queue at a time.
constexpr std::size_t kPiece = 16;
// Between a snapshot that failed and the next try: doubled with each failure.
constexpr double kFirstSnapshotWait = 2.0, kLongestSnapshotWait = 600.0;

constexpr const char* kEnds = "the service ends";

}  // namespace

Writer::Writer(std::unique_ptr<Model> model, WriterOptions options)
    : model_(std::move(model)),
      options_(std::move(options)),
      name_(model_->name()),
      queue_(options_.limits) {
  noticed_ = model_->state().oversight.count();
  if (!options_.stepped) thread_ = std::thread([this] { loop(); });
}

Writer::Writer(std::string name, std::string why)
    : name_(std::move(name)), queue_(options_.limits), stopped_(std::move(why)) {}

Writer::~Writer() { close(); }

double Writer::seconds_since(Clock::time_point start) const {
  return std::chrono::duration<double>(time() - start).count();
}

void Writer::close() {
  finish();
  model_.reset();
}

std::unique_ptr<Model> Writer::take() {
  finish();
  const std::lock_guard lock(mutex_);
  if (stopped_) return nullptr;
  stopped_ = "it goes on at another node";
  return std::move(model_);
}

void Writer::finish() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
  end_job();
}

void Writer::step() {
  if (stopped()) return;
  try {
    group();
  } catch (const std::exception& bug) {
    stop(fmt::format("a bug: {}", bug.what()));
  }
}

void Writer::ask(Ask ask, std::shared_ptr<HttpReply> reply) {
  WaitingRequest request{std::move(ask), std::move(reply), time()};
  std::optional<HttpResponse> refused;
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) {
      refused = stopped_answer();
    } else {
      first = queue_.empty();
      if (const char* why = ending_ ? kEnds : queue_.add(request)) {
        const bool moves = ending_ && options_.shared;
        Refused rate(moves ? 503 : 429, moves ? "busy" : "rate", why);
        rate.retry_after = 1;
        refused = answer_of(rate);
      }
    }
  }
  if (refused) return request.reply->send(std::move(*refused));
  if (first) wake_.notify_one();  // with more, the writer knows
}

void Writer::read(Run run, Stopped stopped) {
  std::optional<std::string> why;
  {
    const std::lock_guard lock(mutex_);
    why = stopped_;
    if (!why && reads_no_more_) why = kEnds;
    if (!why) readings_.push_back({std::move(run), std::move(stopped)});
  }
  if (!why) return wake_.notify_one();
  if (stopped) stopped(*why);
}

bool Writer::wait() {
  std::unique_lock lock(mutex_);
  const auto busy = [&] { return !queue_.empty() || !readings_.empty(); };
  // Windows and expiry move with time alone, so the clock is looked at every second.
  wake_.wait_for(lock, std::chrono::seconds(1), [&] { return busy() || ending_; });
  return !ending_ || busy();
}

void Writer::loop() {
  try {
    while (wait()) {
      group();
      if (stopped()) return;
    }
    begun_ = false;
    commit();  // what reading and snapshots left
    if (stopped()) return;
    last_snapshot();
  } catch (const std::exception& bug) {
    // Memory may be ahead of the journal now, or half changed: only a fresh start is sound.
    stop(fmt::format("a bug: {}", bug.what()));
  }
}

void Writer::group() {
  const auto start = time();
  std::size_t others = 0;
  {
    const std::lock_guard lock(mutex_);
    queue_.take_first(requests_);
    others = queue_.others();
    reading_.swap(readings_);
  }
  // Reading writes nothing into the journal, unless time itself has changed something.
  begun_ = !requests_.empty();
  model_->begin(begun_);
  answer(requests_);
  answer_others(others, start);
  model_->oversee();
  commit();
  if (stopped()) return;
  send();
  tell_noticed();
  for (const Reading& reading : reading_) read_for(reading);
  reading_.clear();
  snapshot();
  if (!stopped()) retain();
}

// Those that waited when the group began, as far as there is time. The rest waits for the next group,
// so that outcomes that arrive meanwhile come before them.
void Writer::answer_others(std::size_t count, Clock::time_point start) {
  const double most = std::clamp(4.0 * commit_seconds_, kGroupSeconds, kMostGroupSeconds);
  while (count > 0) {
    {
      const std::lock_guard lock(mutex_);
      queue_.take_others(requests_, std::min(count, kPiece), kGroupSeconds);
    }
    count -= requests_.size();
    const bool changes = std::ranges::any_of(
        requests_, [](const WaitingRequest& each) { return each.ask.method != "GET"; });
    if (changes && !begun_) model_->begin(begun_ = true);
    answer(requests_);
    if (seconds_since(start) > most) return;
  }
}

void Writer::answer(std::vector<WaitingRequest>& requests) {
  if (requests.empty()) return;
  const auto start = time();
  std::size_t bytes = 0;
  for (WaitingRequest& request : requests) {
    bytes += request.bytes();
    HttpResponse response = model_->call(request.ask);
    ModelWatch& watch = model_->watch();
    Latency* latency = request.ask.verb == "decide"    ? &watch.decide
                       : request.ask.verb == "outcome" ? &watch.outcome
                                                       : nullptr;
    answers_.push_back({std::move(request.reply), std::move(response), request.since, latency});
  }
  requests.clear();
  const double took = seconds_since(start);
  const std::lock_guard lock(mutex_);
  queue_.worked(bytes, took);
  model_->worked(took);
}

void Writer::commit() {
  const auto start = time();
  const std::int64_t before = model_->committed();
  if (auto done = model_->commit(); !done) return stop(done.error());
  if (model_->committed() == before) {
    if (!begun_) return;
    if (auto still = model_->confirm(); !still) stop(still.error());
    return;
  }
  commit_seconds_ = seconds_since(start);
  model_->watch().commit.add(commit_seconds_, model_->now());
}

void Writer::send() {
  const ReplyBatch together;
  const auto now = time();
  for (Answered& each : answers_) {
    if (each.latency != nullptr) {
      each.latency->add(std::chrono::duration<double>(now - each.since).count(), model_->now());
    }
    each.reply->send(std::move(each.response));
  }
  answers_.clear();
}

void Writer::tell_noticed() {
  const std::int64_t count = model_->state().oversight.count();
  if (count == noticed_) return;
  noticed_ = count;
  if (options_.noticed) options_.noticed();
}

// Pages and metrics only read: a failure of theirs harms nobody else. A function that has its result
// must not throw.
void Writer::read_for(const Reading& reading) const {
  try {
    reading.run(*model_);
  } catch (const std::exception& bug) {
    log("error", "reading failed", {{"model", name_}, {"why", bug.what()}});
    if (reading.stopped) reading.stopped(bug.what());
  }
}

void Writer::snapshot() {
  if (model_->snapshots() == nullptr) return;
  look_for_snapshot();
  if (stopped() || job_ != nullptr || time() < snapshot_not_before_ || !model_->snapshot_due()) return;
  auto task = model_->mark_for_snapshot();
  if (!task) return stop(task.error());
  begin_snapshot(task.value());
}

// For a job in another thread: each function runs between two groups.
OnModel Writer::reader() {
  using Read = std::function<Result<>(const Model&)>;
  if (options_.wait_for_snapshots) return [this](const Read& run) { return run(*model_); };
  return [this](const Read& run) {
    std::promise<Result<>> promise;
    auto done = promise.get_future();
    read([&](Model& model) { promise.set_value(run(model)); },
         [&](const std::string& why) { promise.set_value(Error{why, Reason::kFailed}); });
    return done.get();
  };
}

void Writer::begin_snapshot(const SnapshotTask& task) {
  job_ = std::make_shared<SnapshotJob>([task, read = reader()] { return make_snapshot(task, read); });
  job_thread_ = begin_beside(job_);
  if (options_.wait_for_snapshots) look_for_snapshot();
}

// Looks whether the snapshot that is being made, if there is one, is in its file.
void Writer::look_for_snapshot() {
  if (job_ == nullptr) return;
  const auto made = job_->result();
  if (!made) return;
  job_ = nullptr;
  if (!*made) {
    // Memory and journal disagree: what is answered from memory would be refused by the next start.
    if (made->reason() == Reason::kSequence) return stop("a bug: " + made->error());
    if (reads_no_more_) return;  // it was cut off, and the last snapshot takes its place
    return snapshot_failed(made->error());
  }
  model_->snapshot_written(made->value());
  SnapshotWatch& watch = model_->watch().snapshots;
  watch.failed_in_row = 0;
  watch.why.clear();
  watch.seconds = made->value().seconds;
  watch.at = model_->now();
}

// At the end nobody waits, so the state itself is saved, and not another fold of it.
void Writer::last_snapshot() {
  if (model_->snapshots() == nullptr || options_.shared) return;
  end_job();
  look_for_snapshot();
  if (stopped() || model_->committed() <= model_->snapshot_at()) return;
  const auto made = model_->make_snapshot();
  if (!made) return stop(made.error());
  const Snapshot& snapshot = made.value();
  const auto done =
      model_->snapshots()->write(snapshot.position, snapshot.bytes, snapshot.chain);
  if (!done) return snapshot_failed(done.error());
  model_->snapshot_written(snapshot);
}

// Nobody reads entries for it any more, so it ends soon if it has begun.
void Writer::end_job() {
  std::vector<Reading> left;
  {
    const std::lock_guard lock(mutex_);
    reads_no_more_ = true;
    left.swap(readings_);
  }
  for (const Reading& each : left) {
    if (each.stopped) each.stopped(kEnds);
  }
  // A job that reads the journal by itself goes on without the writer: a model that is given to another
  // node does not wait for it.
  if (job_ != nullptr && !options_.shared) job_->cancel();
  if (archive_job_ != nullptr && !options_.shared) archive_job_->cancel();
}

// The journal has everything, so nothing is lost: only the next start takes longer.
void Writer::snapshot_failed(const std::string& why) {
  SnapshotWatch& watch = model_->watch().snapshots;
  const double wait =
      std::min(kFirstSnapshotWait * static_cast<double>(1ULL << std::min(watch.failed_in_row, 20)),
               kLongestSnapshotWait);
  ++watch.failures;
  ++watch.failed_in_row;
  watch.why = why;
  snapshot_not_before_ = time() + std::chrono::duration_cast<Clock::duration>(
                                            std::chrono::duration<double>(wait));
  log("error", "snapshot failed",
      {{"model", name_}, {"why", why}, {"failures", watch.failures}, {"next_try_seconds", wait}});
}

void Writer::stop(const std::string& why) {
  std::vector<WaitingRequest> waiting = std::move(requests_);
  std::vector<Reading> reading = std::move(reading_);
  HttpResponse answer;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = why;
    answer = stopped_answer();
    queue_.take_all(waiting);
    std::move(readings_.begin(), readings_.end(), std::back_inserter(reading));
    readings_.clear();
  }
  log("error", "stopped", {{"model", name_}, {"why", why}});
  for (Answered& each : answers_) each.reply->send(answer);
  answers_.clear();
  for (WaitingRequest& each : waiting) {
    if (each.reply != nullptr) each.reply->send(answer);  // null: it was among the answers
  }
  for (const Reading& each : reading) {
    if (each.stopped) each.stopped(why);
  }
  if (options_.stopped) options_.stopped(why);
}

std::optional<std::string> Writer::stopped() const {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

std::optional<HttpResponse> Writer::refusal() const {
  const std::lock_guard lock(mutex_);
  if (!stopped_) return std::nullopt;
  return stopped_answer();
}

void Writer::stop_again(const std::string& why, std::int64_t retry_after) {
  const std::lock_guard lock(mutex_);
  stopped_ = why;
  retry_after_ = retry_after;
}

HttpResponse Writer::stopped_answer() const {
  const char* until = options_.shared ? "another node, or this one, goes on with it in a moment"
                                      : "it is not served until it is opened again";
  Refused why(503, options_.shared ? "busy" : "stopped",
              fmt::format("model {}: {}; {}. A request that was under way may have happened: send it again",
                          name_, *stopped_, until));
  why.retry_after = retry_after_;
  return answer_of(why);
}

}  // namespace rein::serve
