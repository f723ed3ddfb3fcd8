// The three forms of a row.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cmath>
#include <ctime>

#include "base/json.h"
#include "base/size.h"
#include "serve/names.h"
#include "tools/export.h"

namespace rein::serve {
namespace {

std::string hex_of(std::uint64_t id) { return fmt::format("{:016x}", id); }

std::span<const CostShape> costs_of(const ExportNames& names) {
  return names.engine->policy().shape().costs;
}

std::string name_text(const ExportNames& names, std::int32_t id) {
  const auto removed = names.removed.find(id);
  return removed == names.removed.end() ? action_text(*names.engine, id) : removed->second;
}

void write_name(JsonWriter& json, const ExportNames& names, std::int32_t id) {
  const auto removed = names.removed.find(id);
  if (removed == names.removed.end()) return write_action(json, *names.engine, id);
  if (!names.engine->options().numbered) {
    json.value(removed->second);
    return;
  }
  json.value(static_cast<std::int64_t>(std::stoll(removed->second)));
}

void write_actions(JsonWriter& json, const ExportRow& row, const ExportNames& names) {
  const Round round = row.decided.round.view();
  json.begin_array();
  for (int a = 0; a < round.actions; ++a) write_name(json, names, round.id(a));
  json.end_array();
}

void write_numbers(JsonWriter& json, std::span<const double> numbers) {
  json.begin_array();
  for (const double number : numbers) json.value(number);
  json.end_array();
}

// One list per action; the numbers of sparse rows with their places.
void write_features(JsonWriter& json, const Round& round) {
  json.begin_array();
  const std::size_t width = round.features.size() / as_size(round.actions);
  for (int a = 0; a < round.actions; ++a) {
    if (round.sparse.begin.empty()) {
      write_numbers(json, round.features.subspan(as_size(a) * width, width));
      continue;
    }
    json.begin_object();
    for (auto j = as_size(round.sparse.begin[as_size(a)]);
         j < as_size(round.sparse.begin[as_size(a) + 1]); ++j) {
      json.key(std::to_string(round.sparse.index[j])).value(round.sparse.value[j]);
    }
    json.end_object();
  }
  json.end_array();
}

bool has_features(const Round& round) {
  return !round.features.empty() || !round.sparse.begin.empty();
}

void write_context(JsonWriter& json, const ExportRow& row, const ExportNames& names) {
  const auto& context = row.decided.round.context;
  if (!names.named) return write_numbers(json, context);
  json.begin_object();
  for (std::size_t i = 0; i < context.size(); ++i) json.key(names.context[i]).value(context[i]);
  json.end_object();
}

// Keys are known by their digests only.
std::string key_text(const KeyDigest& key) {
  return fmt::format("{:016x}{:016x}", key.high, key.low);
}

// As RFC 4180 has it.
std::string quoted(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

void add_cell(std::string& line, std::string_view text) {
  line += ',';
  line += quoted(text);
}

void add_number(std::string& line, double number) {
  line += ',';
  if (std::isfinite(number)) line += fmt::format("{}", number);
}

std::int32_t chosen_of(const ExportRow& row) {
  return row.decided.round.view().id(row.decided.decision.action);
}

// In shadow mode: the action that the policy would have played, and its probability. Else empty.
void add_would(std::string& line, const std::string& note) {
  std::string action;
  double probability = NAN;
  try {
    const Json parsed = read_json(note.empty() ? "{}" : note);
    Fields fields(parsed);
    if (const Json* would = fields.find("would")) {
      Fields parts(*would, "would");
      const Json& given = parts.get("action");
      const auto* text = std::get_if<std::string>(&given.is);
      action = text != nullptr ? *text : given.str();
      probability = parts.number("probability", NAN);
    }
  } catch (const Refused&) {  // of a forged entry: a note changes nothing
  }
  add_cell(line, action);
  add_number(line, probability);
}

// Features of one action for dsjson: the name, and numbers by their place.
void write_multi(JsonWriter& json, const Round& round, int a, const ExportNames& names) {
  json.begin_object().key("Action").begin_object();
  json.key("id").value(name_text(names, round.id(a)));
  const std::size_t width = round.features.size() / as_size(round.actions);
  for (std::size_t j = 0; j < width; ++j) {
    json.key(fmt::format("f{}", j)).value(round.features[as_size(a) * width + j]);
  }
  for (auto j = round.sparse.begin.empty() ? 0 : as_size(round.sparse.begin[as_size(a)]);
       !round.sparse.begin.empty() && j < as_size(round.sparse.begin[as_size(a) + 1]); ++j) {
    json.key(fmt::format("f{}", round.sparse.index[j])).value(round.sparse.value[j]);
  }
  json.end_object().end_object();
}

void write_label(JsonWriter& json, const ExportRow& row) {
  const Decision& decision = row.decided.decision;
  if (!is_missing(row.came.reward)) {
    // 0 - reward: a reward of 0 is no cost of -0.
    json.key("_label_cost").value(0.0 - row.came.reward);
    json.key("_label_probability").value(decision.probability);
    json.key("_label_Action").value(decision.action + 1);
    json.key("_labelIndex").value(decision.action);
  }
  if (row.state == ExportRow::State::kCancelled) json.key("_skipLearn").value(true);
}

void write_known_costs(JsonWriter& json, const ExportRow& row, const ExportNames& names) {
  json.key("_costs").begin_object();
  for (int i = 0; i < row.came.costs.size(); ++i) {
    if (is_missing(row.came.costs[i])) continue;
    json.key(costs_of(names)[as_size(i)].name).value(row.came.costs[i]);
  }
  json.end_object();
}

}  // namespace

std::string csv_head(const ExportNames& names) {
  std::string line = "id,at,state,action,probability,actions,probabilities";
  for (const std::string& scope : names.scopes) add_cell(line, "scope." + scope);
  for (const std::string& name : names.context) add_cell(line, "context." + name);
  if (names.engine->policy().shape().features > 0) line += ",features";
  line += ",reward";
  for (const CostShape& cost : costs_of(names)) add_cell(line, "cost." + cost.name);
  return line + ",would,would_probability\n";
}

std::string csv_line(const ExportRow& row, const ExportNames& names) {
  const Decision& decision = row.decided.decision;
  std::string line =
      fmt::format("{},{},{}", hex_of(row.decided.id), row.decided.at, name_of(row.state));
  add_cell(line, name_text(names, chosen_of(row)));
  add_number(line, decision.probability);
  JsonWriter actions, probabilities;
  write_actions(actions, row, names);
  write_numbers(probabilities, decision.probabilities());
  add_cell(line, actions.str());
  add_cell(line, probabilities.str());
  for (std::size_t d = 0; d < names.scopes.size(); ++d) {
    const KeyDigest& key = row.decided.keys[d];
    add_cell(line, key.empty() ? "" : key_text(key));
  }
  for (const double number : row.decided.round.context) add_number(line, number);
  if (names.engine->policy().shape().features > 0) {
    JsonWriter features;
    write_features(features, row.decided.round.view());
    add_cell(line, features.str());
  }
  add_number(line, row.came.reward);
  for (const double cost : row.came.costs) add_number(line, cost);
  add_would(line, row.note);
  return line + '\n';
}

std::string jsonl_line(const ExportRow& row, const ExportNames& names) {
  const Decision& decision = row.decided.decision;
  JsonWriter json;
  json.begin_object().key("id").value(hex_of(row.decided.id)).key("at").value(row.decided.at);
  json.key("state").value(name_of(row.state)).key("action");
  write_name(json, names, chosen_of(row));
  json.key("probability").value(decision.probability).key("actions");
  write_actions(json, row, names);
  json.key("probabilities");
  write_numbers(json, decision.probabilities());
  if (!names.scopes.empty()) {
    json.key("scopes").begin_object();
    for (std::size_t d = 0; d < names.scopes.size(); ++d) {
      const KeyDigest& key = row.decided.keys[d];
      if (!key.empty()) json.key(names.scopes[d]).value(key_text(key));
    }
    json.end_object();
  }
  json.key("context");
  write_context(json, row, names);
  if (has_features(row.decided.round.view())) {
    json.key("features");
    write_features(json, row.decided.round.view());
  }
  json.key("reward").value(row.came.reward).key("costs");  // missing parts are null
  write_costs(json, costs_of(names), row.came.costs);
  json.end_object();
  std::string line = json.str();
  if (!row.note.empty()) line.replace(line.size() - 1, 1, "," + row.note.substr(1));
  return line + '\n';
}

std::string dsjson_line(const ExportRow& row, const ExportNames& names) {
  const Decision& decision = row.decided.decision;
  const Round round = row.decided.round.view();
  JsonWriter json;
  json.begin_object();
  write_label(json, row);
  json.key("Version").value("1").key("EventId").value(hex_of(row.decided.id));
  json.key("Timestamp")
      .value(fmt::format("{:%Y-%m-%dT%H:%M:%S}Z",
                         fmt::gmtime(static_cast<std::time_t>(row.decided.at))));
  // The chosen action first, then the others in their order.
  json.key("a").begin_array().value(decision.action + 1);
  for (int a = 0; a < round.actions; ++a) {
    if (a != decision.action) json.value(a + 1);
  }
  json.end_array().key("c").begin_object();
  json.key("Context").begin_object();
  for (std::size_t i = 0; i < round.context.size(); ++i) {
    json.key(names.named ? names.context[i] : "x" + names.context[i]).value(round.context[i]);
  }
  json.end_object().key("_multi").begin_array();
  for (int a = 0; a < round.actions; ++a) write_multi(json, round, a, names);
  json.end_array().end_object().key("p").begin_array();
  const auto p = decision.probabilities();
  json.value(p[as_size(decision.action)]);
  for (int a = 0; a < round.actions; ++a) {
    if (a != decision.action) json.value(p[as_size(a)]);
  }
  json.end_array();
  write_known_costs(json, row, names);
  json.end_object();
  return json.str() + '\n';
}

}  // namespace rein::serve
