#include "serve/service.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/atomic_file.h"
#include "http/descriptors.h"
#include "http/log.h"
#include "journal/memory_journal.h"
#include "journal/sqlite_journal.h"
#include "serve/difference.h"
#include "serve/model_size.h"
#include "serve/verbs.h"

namespace rein::serve {
namespace fs = std::filesystem;
namespace {

std::int64_t system_seconds() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now())
      .time_since_epoch()
      .count();
}

// The document with sorted keys, so that documents can be compared whatever the order of their
// keys.
Json sorted(Json value) {
  if (auto* list = std::get_if<Json::List>(&value.is)) {
    for (Json& each : *list) each = sorted(std::move(each));
  }
  if (auto* object = std::get_if<Json::Object>(&value.is)) {
    for (auto& member : *object) member.second = sorted(std::move(member.second));
    std::ranges::sort(*object, {}, [](const auto& member) { return member.first; });
  }
  return value;
}

bool same_document(const std::string& a, const std::string& b) {
  return sorted(read_json(a)).str() == sorted(read_json(b)).str();
}

}  // namespace

Service::Service(ServiceOptions options) : options_(std::move(options)) {
  if (!options_.wall) options_.wall = system_seconds;
  clock_ = std::make_unique<ServiceClock>(options_.wall, options_.steady, options_.clock_jump_seconds);
  webhooks_ = std::make_unique<Webhooks>(
      options_.webhooks,
      [this](const std::string& name, Writer::Run run, Writer::Stopped stopped) {
        return read(name, std::move(run), std::move(stopped));
      },
      system_seconds);
}

Result<std::unique_ptr<Service>> Service::open(ServiceOptions options) {
  std::unique_ptr<Service> service(new Service(std::move(options)));
  if (service->has_folder()) {
    auto lock = take_data_folder(service->options_.data);
    if (!lock) return lock.failure();
    service->lock_ = std::move(lock).value();
  }
  service->control_ = std::make_unique<Control>(std::chrono::milliseconds(500),
                                                [raw = service.get()] { raw->beat(); });
  // Snapshots can wait for processor time, requests cannot.
  constexpr int kNiceness = 10;
  service->snapshots_ = std::make_unique<Control>(
      std::chrono::hours(24), [] {}, kNiceness);
  if (service->has_folder()) service->open_door();
  return service;
}

// Without it everything else works, so a folder that has no sockets is served all the same.
void Service::open_door() {
  auto door = BackupDoor::open(options_.data, [this](const std::string& name) { return find(name); });
  if (!door) return log("warning", "no backups", {{"why", door.error()}});
  backups_ = std::move(door).value();
}

Service::~Service() {
  backups_.reset();
  control_.reset();
  webhooks_.reset();
  watchers_.clear();
  models_.clear();
}

ModelOptions Service::model_options(const std::string& name) const {
  ModelOptions options{.folder = has_folder() ? options_.data + "/" + name : "",
                       .snapshot_every = options_.snapshot_every,
                       .wall = options_.wall,
                       .steady = options_.steady,
                       .clock_jump_seconds = options_.clock_jump_seconds,
                       .begins = [clock = clock_.get()] { return clock->now(); },
                       .confirmed = [clock = clock_.get()] { clock->confirm(); }};
  options.keep_seconds = options_.keep_seconds;
  if (!options_.archive.empty()) options.archive = options_.archive + "/" + name;
  return options_.shared ? options_.shared->options(name, std::move(options)) : options;
}

Result<std::unique_ptr<Journal>> Service::open_journal(const std::string& name, bool create) const {
  if (options_.shared) return options_.shared->claim(name);
  if (options_.in_memory) return make_memory_journal();
  const auto notice = [&](const std::string& what) {
    log("warning", "journal", {{"model", name}, {"why", what}});
  };
  return open_sqlite_journal(options_.data + "/" + name + "/journal",
                             {.create = create, .notice = notice});
}

// kFailed: the system gives no thread for its writer.
Result<> Service::add(std::unique_ptr<Model> model) {
  const std::string name = model->name();
  const Policy& policy = model->engine().policy();
  const auto bytes = static_cast<std::int64_t>(model_bytes(policy.spec(), policy.shape()));
  const WriterOptions options{
      .limits = {.most_waiting = options_.most_waiting},
      .run_beside = [this](std::function<void()> job) { snapshots_->run(std::move(job)); },
      .shared = options_.shared.has_value(),
      .stopped =
          [this, name](const std::string& why) {
            if (!options_.shared) plan_reopening(name);  // else the cluster sees to it
            if (webhooks_) webhooks_->stopped(name, why);
            if (options_.stopped) options_.stopped(name, why);
          },
      .noticed = [this, name] { if (webhooks_) webhooks_->noticed(name); }};
  std::shared_ptr<Writer> writer;
  try {
    writer = std::make_shared<Writer>(std::move(model), options);
  } catch (const std::system_error& no_thread) {
    return Error{fmt::format("cannot start a thread: {}", no_thread.what()), Reason::kFailed};
  }
  const std::lock_guard lock(mutex_);
  models_[name] = std::move(writer);
  bytes_[name] = bytes;
  webhooks_->noticed(name);  // perhaps the last start ended before all was told
  return {};
}

Result<> Service::adopt(std::unique_ptr<Model> model) {
  clock_->begin_after(model->now());
  return add(std::move(model));
}

bool Service::serves(const std::string& name) const {
  const auto writer = find(name);
  return writer != nullptr && !writer->stopped();
}

std::unique_ptr<Model> Service::release(const std::string& name) {
  std::shared_ptr<Writer> writer;
  {
    const std::lock_guard lock(mutex_);
    const auto found = models_.find(name);
    if (found == models_.end()) return nullptr;
    writer = std::move(found->second);
    models_.erase(found);
    bytes_.erase(name);
  }
  return writer->take();
}

Result<bool> Service::create(const std::string& name, const std::string& document) {
  if (!is_model_name(name)) return wrong_model_name(name);
  if (const auto writer = find(name)) {
    std::promise<std::string> promise;
    std::optional<std::string> stopped;
    writer->read([&](Model& model) { promise.set_value(model.state().document); },
                 [&](const std::string& why) {
                   stopped = why;
                   promise.set_value("");
                 });
    const std::string existing = promise.get_future().get();
    if (stopped) {
      return Error{fmt::format("model {}: it has stopped: {}", name, *stopped), Reason::kFailed};
    }
    if (same_document(existing, document)) return false;
    const auto found = differences(read_json(existing), read_json(document));
    return Error{fmt::format("model {}: it exists with another document: {}; {}", name, in_words(found),
                             what_to_do(found)),
                 Reason::kConflict, "document"};
  }
  if (names().size() >= static_cast<std::size_t>(options_.most_models)) {
    return Error{
        fmt::format("models: there are {}; accepted: at most that many", options_.most_models),
        Reason::kFull};
  }
  if (options_.descriptors > 0 &&
      std::cmp_greater_equal(names().size(),
                             std::max<std::int64_t>(1, models_within(options_.descriptors)))) {
    return Error{fmt::format("models: there are {}, and {} file descriptors are kept for them; "
                             "accepted: at most that many, or a higher limit (ulimit -n)",
                             names().size(), options_.descriptors),
                 Reason::kFull};
  }
  // The document is checked before anything is written.
  const ModelPlan plan = read_document(read_json(document));
  check_model_size(plan);
  check_key_bytes(plan.options);
  const auto bytes = static_cast<std::int64_t>(model_bytes(plan));
  if (auto room = check_room(name, bytes); !room) return room.failure();
  static_cast<void>(taken(make_engine(plan)));
  if (has_folder()) {
    if (auto made = make_model_folder(options_.data, name); !made) return made.failure();
    // A journal that was lost is not replaced by a new one.
    if (auto journal = has_journal(options_.data + "/" + name); !journal) {
      return Error{fmt::format("model {}: {}", name, journal.error()), Reason::kConflict};
    }
  }
  auto journal = open_journal(name, true);
  if (!journal) return journal.failure().in(fmt::format("model {}: ", name));
  // An earlier try may have failed after its first entry was durable. Then the model is there.
  if (journal.value()->last() > 0) {
    auto found = Model::open(name, std::move(journal).value(), model_options(name));
    if (!found) return found.failure().in(fmt::format("model {}: ", name));
    if (auto added = add(std::move(found).value()); !added) {
      return added.failure().in(fmt::format("model {}: ", name));
    }
    return create(name, document);
  }
  auto model = Model::create(name, document, std::move(journal).value(), model_options(name));
  if (!model) return model.failure().in(fmt::format("model {}: ", name));
  if (auto added = add(std::move(model).value()); !added) {
    return added.failure().in(fmt::format("model {}: ", name));
  }
  log("info", "created", {{"model", name}});
  return true;
}

// All models together have a bound too: the sizes that were computed from their documents.
Result<> Service::check_room(const std::string& name, std::int64_t bytes) const {
  std::int64_t taken = 0;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& each : bytes_) taken += each.second;
  }
  if (taken + bytes <= options_.most_model_bytes) return {};
  return Error{fmt::format("model {}: it takes up to {} MiB, and the models there take up to {}; "
                           "accepted: {} MiB together (most_model_bytes)",
                           name, bytes >> 20, taken >> 20, options_.most_model_bytes >> 20),
               Reason::kFull};
}

std::shared_ptr<Writer> Service::find(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = models_.find(name);
  return found == models_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<Writer>> Service::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Writer>> writers;
  for (const auto& each : models_) writers.push_back(each.second);
  return writers;
}

std::vector<std::string> Service::names() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& each : models_) names.push_back(each.first);
  return names;
}

bool Service::read(const std::string& name, Writer::Run run, Writer::Stopped stopped) {
  const auto writer = find(name);
  if (writer == nullptr) return false;
  writer->read(std::move(run), std::move(stopped));
  return true;
}

void Service::gather(const WriteModel& write, const WriteStopped& write_stopped,
                     std::function<void(std::vector<std::string> parts)> done) const {
  struct Parts {
    std::mutex mutex;
    std::vector<std::string> texts;
    std::size_t left = 0;
    std::function<void(std::vector<std::string>)> done;
  };
  const auto writers = all();
  if (writers.empty()) return done({});
  auto parts = std::make_shared<Parts>();
  parts->texts.resize(writers.size());
  parts->left = writers.size();
  parts->done = std::move(done);
  for (std::size_t i = 0; i < writers.size(); ++i) {
    const auto put = [parts, i](std::string text) {
      bool last = false;
      {
        const std::lock_guard lock(parts->mutex);
        parts->texts[i] = std::move(text);
        last = --parts->left == 0;
      }
      if (last) parts->done(std::move(parts->texts));
    };
    writers[i]->read([put, write](Model& model) { put(write(model)); },
                     [put, write_stopped, name = writers[i]->name()](const std::string& why) {
                       put(write_stopped(name, why));
                     });
  }
}

void Service::watch(const std::string& name, std::shared_ptr<EventStream> stream) {
  const std::lock_guard lock(mutex_);
  watchers_.push_back({name, std::move(stream)});
}

// Sends the state of models to those who watch. A writer is asked only if somebody does.
void Service::beat() {
  if (ready_) clock_->now();  // so that a jump is seen to last
  reopen_those_due();
  std::map<std::string, std::vector<std::shared_ptr<EventStream>>> wanted;
  {
    const std::lock_guard lock(mutex_);
    for (const Watcher& watcher : watchers_) wanted[watcher.name].push_back(watcher.stream);
  }
  const auto send = [this](const std::string& text,
                           const std::vector<std::shared_ptr<EventStream>>& streams) {
    const auto event = std::make_shared<const std::string>("event: live\ndata: " + text + "\n\n");
    for (const auto& stream : streams) {
      if (stream->send(event)) continue;
      const std::lock_guard lock(mutex_);
      std::erase_if(watchers_, [&](const Watcher& each) { return each.stream == stream; });
    }
  };
  for (const auto& [name, streams] : wanted) {
    if (!name.empty()) {
      read(
          name,
          [send, streams = streams](Model& model) { send(live_object(model, true), streams); },
          [send, name = name, streams = streams](const std::string& why) {
            send(stopped_live_object(name, why), streams);
          });
      continue;
    }
    gather([](Model& model) { return live_object(model, false); }, stopped_live_object,
           [this, send, streams = streams](std::vector<std::string> parts) {
             if (options_.shared) {
               for (std::string& each : options_.shared->live_elsewhere()) parts.push_back(std::move(each));
             }
             send(fmt::format("{{\"models\":[{}]}}", fmt::join(parts, ",")), streams);
           });
  }
}

}  // namespace rein::serve
