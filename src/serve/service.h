// Service: all models of one data folder, and the paths by which requests reach them.
//
//     DATA/lock            one service per folder
//     DATA/NAME/journal    the journal of a model (SQLite), and its snapshots beside it
//
// Or the models that this node owns of a store that several nodes share (ServiceOptions::shared). Then
// src/cluster says which, by adopt() and release().
//
// handle() is the handler of an HttpServer (http.h). It never blocks: requests to a model go to its
// writer (writer.h), and long work to a thread of its own (control.h).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "http/server.h"
#include "journal/file_lock.h"
#include "serve/backup_door.h"
#include "serve/control.h"
#include "serve/data_folder.h"
#include "serve/service_clock.h"
#include "serve/telemetry.h"
#include "serve/webhooks.h"
#include "serve/writer.h"

namespace rein::serve {

// Models in a store that several nodes share, in place of a data folder.
struct SharedModels {
  // The journal of a model that this node is to own from now on; an empty one if there was none.
  std::function<Result<std::unique_ptr<Journal>>(const std::string& name)> claim;
  // Completes the options of a model with where its snapshots are.
  std::function<ModelOptions(const std::string& name, ModelOptions usual)> options;
  // For the list of models and for /metrics: what there is besides the models that are served here.
  std::function<std::vector<std::string>()> models_elsewhere;  // JSON objects
  std::function<std::vector<std::string>()> live_elsewhere;    // the same for the live page
  std::function<std::string()> metrics;
};

struct ServiceOptions {
  std::string data = "rein-data";
  bool in_memory = false;  // journals are lost at the end; to measure a service without its disk
  bool log_requests = false;
  // A document of `models` that differs from its model's is applied (POST NAME/apply), and not refused.
  bool apply = false;
  bool strict = false;  // a model that cannot be opened is a reason not to start
  std::int64_t snapshot_every = 50'000;
  // Entries older than this move to an archive, for models whose document does not say how long they are
  // kept; seconds, 0: none do. The folder with a folder per model; empty: `archive` in that of each model.
  std::int64_t keep_seconds = 0;
  std::string archive;
  std::size_t most_waiting = 1024;
  int most_models = 1000;
  std::int64_t most_model_bytes = std::int64_t{4} << 30;  // of all models together (model_size.h)
  std::int64_t descriptors = 0;  // of files, that models may have open together; 0: nobody counts
  std::function<std::int64_t()> wall;  // UTC seconds; empty: the system's clock
  std::function<std::int64_t()> steady;  // monotonic; empty: the system's clock
  std::int64_t clock_jump_seconds = TrustedClock::kJumpSeconds;
  // A model stopped: its name, and why. Called in a thread of its writer.
  std::function<void(const std::string& name, const std::string& why)> stopped;
  std::function<HttpCounts()> counts;  // of the HTTP server, for /metrics
  std::vector<Webhook> webhooks;       // who is told what models notice
  std::optional<SharedModels> shared;
  std::shared_ptr<Telemetry> telemetry;  // spans of decisions and outcomes; null: none
};

// Names of models and their documents, in JSON.
using NamedDocuments = std::vector<std::pair<std::string, std::string>>;

class Service {
 public:
  // Takes the data folder, and makes it if it is missing. kFailed if another service has it.
  static Result<std::unique_ptr<Service>> open(ServiceOptions options);
  // Lets every writer finish.
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // Opens the models of the folder, one after the other, and makes the models of `models`. Until
  // then /readyz answers 503. A model that cannot be opened (its journal is damaged or missing, or
  // this program does not know its policy) is stopped, and the others are served. Refused if the
  // folder cannot be read, if a model of `models` cannot be made, and with `strict` if a model
  // cannot be opened.
  Result<> recover(const NamedDocuments& models = {});
  // Makes a model, unless it is there with the same document. kConflict if its document differs.
  // The result is whether it is new.
  Result<bool> create(const std::string& name, const std::string& document);
  // Applies a changed document to a model that is served. kConflict: something cannot change while it runs.
  // `only_check`: says whether it would be applied, and changes nothing.
  Result<> apply(const std::string& name, const std::string& document, bool only_check = false);
  // Ends a model and moves its folder to DATA/.archive. Returns the new place.
  Result<std::string> archive(const std::string& name);
  void handle(HttpRequest request, std::shared_ptr<HttpReply> reply);
  // Opens the journal of a model that stopped, and serves it from there. False: it had not stopped.
  // kFailed: it stays stopped. Calls must not overlap.
  Result<bool> reopen(const std::string& name);
  // For a shared store. adopt() serves a model that this node has claimed; release() serves it no more, and
  // returns it after the last answer, or null if it had stopped or is not here.
  Result<> adopt(std::unique_ptr<Model> model);
  std::unique_ptr<Model> release(const std::string& name);
  bool has(const std::string& name) const { return find(name) != nullptr; }
  bool serves(const std::string& name) const;  // it is here and has not stopped
  ModelOptions model_options(const std::string& name) const;
  std::vector<std::string> names() const;
  std::vector<std::string> stopped_names() const;  // of those that are not served now
  // Runs a function on the model in its writer's thread; false if there is no such model. See
  // Writer::read.
  bool read(const std::string& name, Writer::Run run, Writer::Stopped stopped = {});

 private:
  explicit Service(ServiceOptions options);
  bool has_folder() const { return !options_.in_memory && !options_.shared; }
  Result<std::unique_ptr<Journal>> open_journal(const std::string& name, bool create) const;
  Result<std::unique_ptr<Model>> open_model(const std::string& name, bool was_served) const;
  Result<> keep_what_was_read(Model& model) const;
  Result<std::unique_ptr<Model>> try_model(const std::string& name, bool was_served) const;
  Result<> recover_model(const std::string& name);
  Result<> add(std::unique_ptr<Model> model);
  void add_stopped(const std::string& name, const Error& why);
  // Makes the models of the settings, and applies changed documents if that is wanted.
  Result<> take_documents(const NamedDocuments& models, bool only_check);
  Result<> check_room(const std::string& name, std::int64_t bytes) const;
  void plan_reopening(const std::string& name, std::optional<std::uint64_t> files = {});
  std::optional<std::uint64_t> files_if_to_blame(const std::string& name, const Error& why) const;
  void reopen_those_due();
  std::shared_ptr<Writer> find(const std::string& name) const;
  std::vector<std::shared_ptr<Writer>> all() const;

  void route(HttpRequest& request, const std::shared_ptr<HttpReply>& reply);
  bool route_page(const HttpRequest& request, HttpReply& reply) const;
  void route_models(HttpRequest& request, const std::shared_ptr<HttpReply>& reply);
  void route_model(const std::string& name, Ask ask, const std::shared_ptr<HttpReply>& reply);
  void route_reopen(const std::string& name, const std::string& method,
                    const std::shared_ptr<HttpReply>& reply);
  HttpResponse readiness() const;
  void put(const std::string& name, std::string document, std::string by, std::shared_ptr<HttpReply> reply);
  void note_maker(const std::string& name, const std::string& by);
  void remove(const std::string& name, std::shared_ptr<HttpReply> reply);
  // Asks every model, then answers with all that they wrote, in the order of their names. For models
  // that have stopped, the other function writes.
  using WriteModel = std::function<std::string(Model&)>;
  using WriteStopped = std::function<std::string(const std::string& name, const std::string& why)>;
  void gather(const WriteModel& write, const WriteStopped& write_stopped,
              std::function<void(std::vector<std::string> parts)> done) const;
  void watch(const std::string& name, std::shared_ptr<EventStream> stream);
  void beat();
  void open_door();

  ServiceOptions options_;
  FileLock lock_;
  std::unique_ptr<ServiceClock> clock_;
  std::atomic<bool> ready_ = false;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Writer>> models_;
  std::map<std::string, std::int64_t> bytes_;  // of each model, as model_size.h computes them
  struct Watcher {
    std::string name;  // empty: all models
    std::shared_ptr<EventStream> stream;
  };
  std::vector<Watcher> watchers_;
  // When a model that stopped is to be opened again.
  struct Reopening {
    bool due = false;
    int tries = 0;  // since it was last served for long
    std::chrono::steady_clock::time_point next, opened;
    // Its files are what keeps it from being opened: they are those that were tried. Until they
    // change, another try would find the same.
    std::optional<std::uint64_t> files;
  };
  std::map<std::string, Reopening> reopening_;
  std::unique_ptr<Webhooks> webhooks_;
  std::unique_ptr<Control> control_;
  std::unique_ptr<BackupDoor> backups_;
  std::unique_ptr<Control> snapshots_;  // makes the snapshots of all models, one at a time
};

}  // namespace rein::serve
