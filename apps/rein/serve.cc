// rein serve: the decision service.
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

#include "http/descriptors.h"
#include "http/log.h"
#include "http/refused_lines.h"
#include "serve/settings.h"
#include "tools/demo.h"
#include "verbs.h"

namespace rein::app {
namespace {

struct ServeWords {
  std::string data, config;
  int port = -1;
  bool check = false, demo = false, strict = false;
};

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) throw UsageError(fmt::format("--config: {} cannot be read", path));
  return text.str();
}

serve::ServiceSettings settings_of(const ServeWords& typed_in) {
  const auto variable = [](const char* name) -> std::optional<std::string> {
    const char* found = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no other thread yet
    return found == nullptr ? std::nullopt : std::optional<std::string>(found);
  };
  const std::string toml = typed_in.config.empty() ? "" : text_of_file(typed_in.config);
  serve::ServiceSettings settings = typed(serve::read_settings(toml, variable));
  if (!typed_in.data.empty()) settings.service.data = typed_in.data;
  if (typed_in.port >= 0) settings.http.port = typed_in.port;
  if (typed_in.demo) settings.service.in_memory = true;
  if (typed_in.strict) settings.service.strict = true;
  settings.http.open_paths = {"/healthz", "/readyz", "/", "/models/*", "/assets/*"};
  // They settle what is open, and so give back money and memory.
  settings.http.first_paths = {"/outcome", "/cancel", "/activate", "/reward"};
  settings.http.kept_descriptors = static_cast<int>(
      serve::descriptors_for(settings.service.most_models, serve::raise_descriptor_limit()));
  settings.service.descriptors = settings.http.kept_descriptors;
  if (settings.service.log_requests) settings.http.refused = serve::RefusedLines();
  return settings;
}

// A start that fails is for a person to look at: a folder that is in use or cannot be read, or a model of
// the settings that cannot be made. Nothing was answered yet. This is the only failure that ends the
// process. One of a model stops that model (serve/opening.cc, serve/writer.h), unless `strict` is set.
[[noreturn]] void end_at_once(const std::string& why) {
  serve::log("error", "not started", {{"why", why}});
  _exit(kFailed);
}

// Stops the server at SIGINT or SIGTERM. All other threads have these signals blocked. A log whose reader
// has ended (SIGPIPE) stops nothing.
class Signals {
 public:
  Signals() {
    std::signal(SIGPIPE, SIG_IGN);
    sigemptyset(&set_);
    sigaddset(&set_, SIGINT);
    sigaddset(&set_, SIGTERM);
    sigaddset(&set_, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  }
  void stop_at_signal(serve::HttpServer& server) {
    thread_ = std::thread([this, &server] {
      int signal = 0;
      sigwait(&set_, &signal);
      server.stop(10.0);
    });
  }
  ~Signals() {
    if (!thread_.joinable()) return;
    pthread_kill(thread_.native_handle(), SIGUSR1);  // the server ended by itself
    thread_.join();
  }

 private:
  sigset_t set_{};
  std::thread thread_;
};

int run(const ServeWords& typed_in) {
  serve::ServiceSettings settings = settings_of(typed_in);
  if (typed_in.check) {
    if (auto ok = serve::HttpServer::check(settings.http); !ok) throw UsageError(ok.error());
    fmt::print("The settings are valid: {} models.\n", settings.models.size());
    return kOk;
  }
  Signals signals;
  std::unique_ptr<serve::HttpServer> server;
  settings.service.counts = [&] { return server ? server->counts() : serve::HttpCounts{}; };
  auto service = typed(serve::Service::open(settings.service));
  server = typed(serve::HttpServer::make(
      settings.http, [&](serve::HttpRequest request, std::shared_ptr<serve::HttpReply> reply) {
        service->handle(std::move(request), std::move(reply));
      }));
  const std::string base = fmt::format("http://{}:{}", settings.http.address, server->port());
  fmt::print("rein serves at {}\n  live page  {}/\n  data       {}\n", base, base,
             settings.service.in_memory ? "in memory, lost at the end" : settings.service.data);
  std::fflush(stdout);
  // Models come back while /healthz already answers.
  std::optional<serve::Demo> demo;
  std::thread recovery([&] {
    const auto done = service->recover(settings.models);
    if (done && typed_in.demo) {
      service->create("demo", serve::Demo::document()).check();
      demo.emplace(*service, 40.0);
    }
    if (!done) end_at_once(done.error());
    serve::log("info", "ready",
               {{"address", base},
                {"models", static_cast<std::int64_t>(service->names().size())},
                {"stopped", static_cast<std::int64_t>(service->stopped_names().size())}});
  });
  signals.stop_at_signal(*server);
  server->run();
  recovery.join();
  demo.reset();
  service.reset();  // writes snapshots
  serve::log("info", "ended", {});
  return kOk;
}

}  // namespace

Verb add_serve(CLI::App& program) {
  CLI::App* verb = program.add_subcommand(
      "serve", "A decision service over HTTP, with a journal and a live page");
  auto typed_in = std::make_shared<ServeWords>();
  verb->add_option("--data", typed_in->data, "Folder of the journals (default: rein-data)")
      ->type_name("DIR");
  verb->add_option("--port", typed_in->port, "Port (default: 8080; 0: any free one)")
      ->check(CLI::Range(0, 65'535))
      ->type_name("N");
  verb->add_option("--config", typed_in->config, "Settings and models: rein.toml")
      ->type_name("FILE");
  verb->add_flag("--check", typed_in->check, "Only check the settings");
  verb->add_flag("--strict", typed_in->strict,
                 "Do not start if a model cannot be opened, instead of serving the others");
  verb->add_flag("--demo", typed_in->demo,
                 "Serve a model with simulated traffic, to see the live page");
  verb->footer(
      "With no settings it serves on 127.0.0.1:8080 and keeps its journals in ./rein-data. Make a\n"
      "model, then ask it:\n"
      "  curl -X PUT localhost:8080/v1/models/routing -H 'Content-Type: application/json' -d \\\n"
      "    '{\"actions\":[\"small\",\"large\"],\"context\":2,\"costs\":[\"dollars\"],\"budgets\":\n"
      "      [{\"name\":\"day\",\"cost\":\"dollars\",\"amount\":5,\"per\":\"day\"}]}'\n"
      "  curl localhost:8080/v1/models/routing/decide -H 'Content-Type: application/json' -d \\\n"
      "    '{\"context\":[0.2,1]}'\n"
      "Environment variables override the file: REIN_PORT, REIN_DATA, REIN_TOKEN, REIN_ADDRESS, "
      "...\n"
      "docs/service.md has the rest.");
  return [typed_in] { return run(*typed_in); };
}

}  // namespace rein::app
