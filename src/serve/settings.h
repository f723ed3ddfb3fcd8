// The settings of a service: rein.toml, environment variables over it, and the command line over both.
//
//     [service]
//     port = 8080                  # REIN_PORT
//     data = "rein-data"           # REIN_DATA
//     [telemetry]
//     otlp = "http://127.0.0.1:4318"   # REIN_OTLP
//     [models.routing]
//     actions = ["small", "large"]
//     ...                          # the document of PUT /v1/models/routing
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/server.h"
#include "serve/service.h"

namespace rein::serve {

struct ServiceSettings {
  HttpOptions http;
  ServiceOptions service;
  NamedDocuments models;  // that must be there
  // Several nodes (src/cluster). The address of the store of the journals; empty: the folder service.data.
  std::string journal;
  std::string node;       // the name of this node
  TelemetryOptions telemetry;
  std::string advertise;  // where other nodes reach it; empty: at the address and port of `http`
};

// Reads a variable of the environment; empty if it is not set.
using ReadVariable = std::function<std::optional<std::string>(const char* name)>;

// From the text of rein.toml, which may be empty. Errors name the line, or the key or variable. Documents
// of models are checked too: an engine is made of each.
Result<ServiceSettings> read_settings(std::string_view text, const ReadVariable& variable);

}  // namespace rein::serve
