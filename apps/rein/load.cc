// rein load: decisions and outcomes at a constant rate, and how long their answers take.
#include "tools/load.h"

#include <fmt/format.h>

#include <cmath>

#include "rein/json.h"
#include "verbs.h"

namespace rein::app {
namespace {

struct LoadWords {
  serve::LoadOptions load;
  bool json = false;
};

// Milliseconds at the upper end of a bucket of the histogram.
double upper_end(std::size_t bucket) { return 1e-3 * std::exp2(static_cast<double>(bucket)); }

Json latencies(const serve::LatencyHistogram& found) {
  Json::List buckets;
  const auto counts = found.doublings();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0)
      buckets.push_back(Json::Object{{"up_to", upper_end(i)}, {"count", counts[i]}});
  }
  return Json::Object{
      {"count", found.count()},      {"p50", found.quantile(0.5)},     {"p90", found.quantile(0.9)},
      {"p99", found.quantile(0.99)}, {"p99.9", found.quantile(0.999)}, {"max", found.max()},
      {"histogram", buckets}};
}

void print_json(const serve::LoadOptions& load, const serve::LoadReport& report) {
  const auto counts = [](const std::map<int, std::int64_t>& found) {
    Json::Object statuses;
    for (const auto& [status, count] : found) {
      statuses.emplace_back(std::to_string(status), count);
    }
    return statuses;
  };
  const Json result = Json::Object{{"rate", load.rate},
                                   {"seconds", report.seconds},
                                   {"due", report.due},
                                   {"good", report.good},
                                   {"broken", report.broken},
                                   {"statuses", counts(report.statuses)},
                                   {"outcome_statuses", counts(report.outcome_statuses)},
                                   {"cpu_share", report.cpu_seconds / report.seconds},
                                   {"decide_ms", latencies(report.decide)},
                                   {"outcome_ms", latencies(report.outcome)}};
  fmt::print("{}\n", result.str());
}

void print_row(const char* name, const serve::LatencyHistogram& found, double seconds) {
  fmt::print("{:<8} {:>10.0f} {:>8.2f} {:>8.2f} {:>8.2f} {:>8.2f} {:>8.1f}\n", name,
             static_cast<double>(found.count()) / seconds, found.quantile(0.5), found.quantile(0.9),
             found.quantile(0.99), found.quantile(0.999), found.max());
}

void print_histogram(const serve::LoadReport& report) {
  const auto decide = report.decide.doublings(), outcome = report.outcome.doublings();
  fmt::print("\n{:<8} {:>10} {:>10}\n", "up to ms", "decide", "outcome");
  for (std::size_t i = 0; i < decide.size(); ++i) {
    if (decide[i] + outcome[i] == 0) continue;
    fmt::print("{:<8.3g} {:>10} {:>10}\n", upper_end(i), decide[i], outcome[i]);
  }
}

void print_table(const serve::LoadOptions& load, const serve::LoadReport& report) {
  fmt::print("{} decisions and {} outcomes per second were due for {} s, over {} connections\n\n",
             load.rate, load.rate, report.seconds, load.connections);
  fmt::print("latency in ms, from the time a request was due to its answer (less is better)\n");
  fmt::print("{:<8} {:>10} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "", "per second", "p50", "p90", "p99",
             "p99.9", "max");
  print_row("decide", report.decide, report.seconds);
  print_row("outcome", report.outcome, report.seconds);
  print_histogram(report);
  fmt::print("\nanswers:");
  for (const auto& [status, count] : report.statuses) fmt::print(" {} x {}", count, status);
  fmt::print("; to outcomes:");
  for (const auto& [status, count] : report.outcome_statuses) fmt::print(" {} x {}", count, status);
  fmt::print("; {} of {} requests due were answered 200\n", report.good, report.due);
  fmt::print("the sender used {:.2f} of a core; {} connections broke\n",
             report.cpu_seconds / report.seconds, report.broken);
}

int run(const LoadWords& typed_in) {
  const auto report = serve::run_load(typed_in.load);
  if (!report) throw Failure(report.failure());
  if (typed_in.json) {
    print_json(typed_in.load, report.value());
  } else {
    print_table(typed_in.load, report.value());
  }
  return kOk;
}

}  // namespace

Verb add_load(CLI::App& program) {
  CLI::App* verb =
      program.add_subcommand("load", "Send decisions and outcomes to a service at a constant rate");
  auto typed_in = std::make_shared<LoadWords>();
  serve::LoadOptions& load = typed_in->load;
  verb->add_option("--port", load.port, "Port of the service")
      ->check(CLI::Range(1, 65'535))
      ->capture_default_str();
  verb->add_option("--address", load.address, "Its IP address or name")->capture_default_str();
  verb->add_option("--token", load.token, "Its token")->envname("REIN_TOKEN");
  verb->add_option("--model", load.model, "The model; it is made if it is not there")
      ->capture_default_str();
  verb->add_option("--rate", load.rate, "Decisions per second, and as many outcomes")
      ->check(CLI::Range(0.1, 1e6))
      ->capture_default_str();
  verb->add_option("--seconds", load.seconds, "How long to measure")
      ->check(CLI::Range(0.1, 1e5))
      ->capture_default_str();
  verb->add_option("--warm-up", load.warm_up, "Seconds before, which are not measured")
      ->check(CLI::Range(0.0, 1e3))
      ->capture_default_str();
  verb->add_option("--connections", load.connections, "Connections that stay open")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  verb->add_option("--actions", load.actions, "Actions of the model")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  verb->add_option("--context", load.context, "Numbers of its context")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  verb->add_option("--ledger", load.ledger, "Write a line per acknowledged answer to this file")
      ->type_name("FILE");
  verb->add_flag("--json", typed_in->json, "Print one JSON object");
  verb->footer(
      "The loop is open: requests are due at fixed times, whether earlier ones were answered or\n"
      "not, and a latency counts from then. Requests are single and go over open connections.\n"
      "  rein serve --port 8080 &\n"
      "  rein load --port 8080 --rate 2000 --seconds 10");
  return [typed_in] { return run(*typed_in); };
}

}  // namespace rein::app
