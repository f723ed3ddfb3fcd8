// rein serve: the decision service.
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

#include "cluster/node.h"
#include "http/descriptors.h"
#include "http/log.h"
#include "http/refused_lines.h"
#include "journal/open_log.h"
#include "serve/keep.h"
#include "serve/permission.h"
#include "serve/settings.h"
#include "tools/demo.h"
#include "verbs.h"

namespace rein::app {
namespace {

struct ServeWords {
  std::string data, config, journal, node, listen, advertise, keep, archive, otlp;
  int port = -1;
  bool check = false, demo = false, strict = false, apply = false;
};

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) throw UsageError(fmt::format("--config: {} cannot be read", path));
  return text.str();
}

// HOST:PORT, with brackets around an IPv6 address.
void read_listen(const std::string& listen, serve::HttpOptions& http) {
  const std::size_t colon = listen.rfind(':');
  const std::string port = colon == std::string::npos ? "" : listen.substr(colon + 1);
  int number = -1;
  const auto [end, code] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (code != std::errc() || end != port.data() + port.size() || number < 0 || number > 65'535) {
    throw UsageError(fmt::format("--listen: found \"{}\"; accepted: HOST:PORT, as 127.0.0.1:8080", listen));
  }
  http.address = listen.substr(0, colon);
  if (http.address.starts_with('[') && http.address.ends_with(']')) {
    http.address = http.address.substr(1, http.address.size() - 2);
  }
  http.port = number;
}

void check_cluster(const ServeWords& typed_in, const serve::ServiceSettings& settings) {
  if (settings.journal.empty()) {
    if (!settings.service.archive.empty()) {
      throw UsageError("archive: it is for several nodes; without them it is DATA/MODEL/archive, which may be a link");
    }
    if (settings.node.empty() && settings.advertise.empty()) return;
    throw UsageError("node and advertise are for several nodes; they need journal, as in --journal postgres://...");
  }
  if (settings.node.empty()) {
    throw UsageError("--journal: each node needs a name that no other node has; add --node a");
  }
  if (!settings.http.tokens.empty() && settings.http.token.empty()) {
    throw UsageError("tokens: nodes ask each other with the token of the service; set REIN_TOKEN to the same on all");
  }
  if (settings.service.keep_seconds > 0 && settings.service.archive.empty()) {
    throw UsageError("keep: old entries go to a folder that all nodes reach; add --archive DIR");
  }
  if (typed_in.demo) throw UsageError("--demo: it keeps everything in memory, and cannot have --journal");
}

serve::ServiceSettings settings_of(const ServeWords& typed_in) {
  const auto variable = [](const char* name) -> std::optional<std::string> {
    const char* found = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no other thread yet
    return found == nullptr ? std::nullopt : std::optional<std::string>(found);
  };
  const std::string toml = typed_in.config.empty() ? "" : text_of_file(typed_in.config);
  serve::ServiceSettings settings = typed(serve::read_settings(toml, variable));
  if (!typed_in.data.empty()) settings.service.data = typed_in.data;
  if (!typed_in.listen.empty()) read_listen(typed_in.listen, settings.http);
  if (typed_in.port >= 0) settings.http.port = typed_in.port;
  if (!typed_in.journal.empty()) settings.journal = typed_in.journal;
  if (!typed_in.node.empty()) settings.node = typed_in.node;
  if (!typed_in.advertise.empty()) settings.advertise = typed_in.advertise;
  if (!typed_in.otlp.empty()) {
    if (auto place = serve::otlp_place(typed_in.otlp); !place) throw UsageError("--otlp: " + place.error());
    settings.telemetry.otlp = typed_in.otlp;
  }
  settings.telemetry.node = settings.node;
  if (!typed_in.archive.empty()) settings.service.archive = typed_in.archive;
  if (!typed_in.keep.empty()) {
    const auto seconds = serve::keep_in_seconds(typed_in.keep);
    if (!seconds) throw UsageError(fmt::format("--keep: found \"{}\"; {}", typed_in.keep, serve::kKeepAccepted));
    settings.service.keep_seconds = *seconds;
  }
  check_cluster(typed_in, settings);
  if (typed_in.demo) settings.service.in_memory = true;
  if (typed_in.strict) settings.service.strict = true;
  if (typed_in.apply) settings.service.apply = true;
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

// REQUIRES that signals are blocked: it starts threads.
void begin_telemetry(serve::ServiceSettings& settings) {
  if (settings.telemetry.otlp.empty()) return;
  settings.service.telemetry = typed(serve::Telemetry::make(settings.telemetry));
}

// A node of several: the models are in a store that all of them reach.
int run_node(serve::ServiceSettings& settings) {
  Signals signals;
  begin_telemetry(settings);
  auto log = typed(open_shared_log(
      settings.journal,
      {.notice = [](const std::string& what) { serve::log("warning", "store", {{"why", what}}); }}));
  std::unique_ptr<serve::HttpServer> server;
  std::unique_ptr<cluster::Node> node;
  settings.service.counts = [&] { return server ? server->counts() : serve::HttpCounts{}; };
  // The port is known once the server is made, and other nodes are told it: so the server is made first.
  server = typed(serve::HttpServer::make(
      settings.http,
      serve::with_permissions([&](serve::HttpRequest request, std::shared_ptr<serve::HttpReply> reply) {
        node->handle(std::move(request), std::move(reply));
      })));
  const bool six = settings.http.address.find(':') != std::string::npos;
  const std::string own =
      fmt::format(fmt::runtime(six ? "[{}]:{}" : "{}:{}"), settings.http.address, server->port());
  const std::string address = settings.advertise.empty() ? own : settings.advertise;
  node = typed(cluster::Node::open(log, {.node = settings.node,
                                         .address = address,
                                         .token = settings.http.token,
                                         .service = settings.service}));
  fmt::print("rein serves at http://{}\n  live page  http://{}/\n  node       {}, reached at {}\n", own, own,
             settings.node, address);
  std::fflush(stdout);
  std::thread recovery([&] {
    if (auto done = node->recover(settings.models); !done) end_at_once(done.error());
    serve::log("info", "ready", {{"address", own}, {"node", settings.node}});
  });
  signals.stop_at_signal(*server);
  server->run();
  recovery.join();
  node.reset();  // gives its models to other nodes
  serve::log("info", "ended", {});
  return kOk;
}

int run(const ServeWords& typed_in) {
  serve::ServiceSettings settings = settings_of(typed_in);
  if (typed_in.check) {
    if (auto ok = serve::HttpServer::check(settings.http); !ok) throw UsageError(ok.error());
    fmt::print("The settings are valid: {} models.\n", settings.models.size());
    return kOk;
  }
  if (!settings.journal.empty()) return run_node(settings);
  Signals signals;
  begin_telemetry(settings);
  std::unique_ptr<serve::HttpServer> server;
  settings.service.counts = [&] { return server ? server->counts() : serve::HttpCounts{}; };
  auto service = typed(serve::Service::open(settings.service));
  server = typed(serve::HttpServer::make(
      settings.http,
      serve::with_permissions([&](serve::HttpRequest request, std::shared_ptr<serve::HttpReply> reply) {
        service->handle(std::move(request), std::move(reply));
      })));
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
  verb->add_option("--listen", typed_in->listen, "Address and port, as 127.0.0.1:8080")
      ->type_name("HOST:PORT");
  verb->add_option("--journal", typed_in->journal,
                   "A store that several nodes share, in place of a folder: postgres://..., kafka://...")
      ->type_name("URL");
  verb->add_option("--node", typed_in->node, "Name of this node among those of the store")
      ->type_name("NAME");
  verb->add_option("--advertise", typed_in->advertise,
                   "Where other nodes reach this one (default: --listen)")
      ->type_name("HOST:PORT");
  verb->add_option("--otlp", typed_in->otlp,
                   "Send a span per decision and outcome to this collector of OpenTelemetry")
      ->type_name("URL");
  verb->add_option("--keep", typed_in->keep,
                   "How long journals keep entries before they move to an archive (default: forever)")
      ->type_name("\"30 days\"");
  verb->add_option("--archive", typed_in->archive,
                   "Folder of the archives with --journal; all nodes must reach it")
      ->type_name("DIR");
  verb->add_option("--config", typed_in->config, "Settings and models: rein.toml")
      ->type_name("FILE");
  verb->add_flag("--check", typed_in->check, "Only check the settings");
  verb->add_flag("--apply", typed_in->apply,
                 "Change models whose settings changed in --config, where that can be done while they run");
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
      "Several nodes with one truth keep their journals in PostgreSQL (docs/cluster.md):\n"
      "  rein serve --journal 'postgres://h1,h2/rein?target_session_attrs=read-write' --node a \\\n"
      "    --listen 10.0.0.1:8080\n"
      "or in Kafka: --journal kafka://h1:9092,h2:9092/shop (docs/kafka.md).\n"
      "Environment variables override the file: REIN_PORT, REIN_DATA, REIN_TOKEN, REIN_ADDRESS, "
      "...\n"
      "docs/service.md has the rest.");
  return [typed_in] { return run(*typed_in); };
}

}  // namespace rein::app
