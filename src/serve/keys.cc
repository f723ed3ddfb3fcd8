// GET keys and GET windows: who spends the money of a budget with a scope, now and in closed windows.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "http/url.h"
#include "serve/answer_size.h"
#include "serve/names.h"
#include "serve/round_in.h"
#include "serve/verbs.h"

namespace rein::serve {
namespace {

double in_units(std::int64_t micros) { return static_cast<double>(micros) / 1e6; }

// A key whose name is not kept is shown by the beginning of its digest.
std::string shown_key(const KeyState& key) {
  return key.name.empty() ? fmt::format("#{:016x}", key.key.high) : key.name;
}

void write_money(JsonWriter& json, std::int64_t limit, std::int64_t spent, std::int64_t held) {
  json.key("limit").value(in_units(limit)).key("spent").value(in_units(spent));
  json.key("held").value(in_units(held)).key("left").value(in_units(limit - spent - held));
}

// Text in a CSV: quoted where it needs to be.
std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_of(const KeyPage& page) {
  std::string out = "key,limit,spent,held,left\n";
  for (const KeyState& key : page.keys) {
    out += fmt::format("{},{},{},{},{}\n", csv_text(shown_key(key)), in_units(key.limit),
                       in_units(key.spent), in_units(key.held),
                       in_units(key.limit - key.spent - key.held));
  }
  return out;
}

}  // namespace

std::int64_t whole_in(const std::string& name, const std::string& value) {
  std::int64_t found = 0;
  const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), found);
  if (code == std::errc() && end == value.data() + value.size() && found >= 0) return found;
  throw invalid("query", fmt::format("found {}={}; accepted: a whole number from 0", name, value));
}

void write_keys(JsonWriter& json, Model& model, const Budget& budget, const KeyQuery& query) {
  const KeyPage page = taken(model.engine().keys(budget.name, query), "query");
  json.begin_object().key("budget").value(budget.name).key("cost").value(budget.cost);
  json.key("scope").value(budget.scope).key("named").value(budget.named);
  json.key("count").value(page.count).key("spent").value(in_units(page.spent));
  json.key("held").value(in_units(page.held)).key("keys").begin_array();
  for (const KeyState& key : page.keys) {
    json.begin_object().key("key").value(shown_key(key)).key("own_amount").value(key.own);
    write_money(json, key.limit, key.spent, key.held);
    json.end_object();
  }
  json.end_array().end_object();
}

void write_all_keys(JsonWriter& json, Model& model) {
  constexpr std::int64_t kShown = 20;  // of each budget; GET keys has the others, page by page
  json.begin_array();
  for (const Budget& budget : model.engine().options().budgets) {
    if (!budget.scope.empty()) write_keys(json, model, budget, {.most = kShown});
  }
  json.end_array();
}

std::string key_label(const KeyState& key) { return shown_key(key); }

HttpResponse keys(Model& model, const Ask& ask) {
  std::string name;
  KeyQuery query;
  bool csv = false;
  for (const auto& [field, value] : taken(query_of(ask.query), "query")) {
    if (field == "budget") {
      name = value;
    } else if (field == "search") {
      query.search = value;
    } else if (field == "first") {
      query.first = whole_in(field, value);
    } else if (field == "most") {
      query.most = whole_in(field, value);
    } else if (field == "ago") {
      query.ago = static_cast<int>(std::min<std::int64_t>(whole_in(field, value), kMaxKeptWindows));
    } else if (field == "format" && (value == "json" || value == "csv")) {
      csv = value == "csv";
    } else {
      throw invalid("query",
                    fmt::format("found {}={}; accepted: budget=NAME, first=, most=, search=TEXT, "
                                "ago=WINDOWS and format=json or format=csv",
                                field, value));
    }
  }
  // Without a name: the first budget that has keys.
  const Budget* found = nullptr;
  for (const Budget& budget : model.engine().options().budgets) {
    if (found == nullptr && (name.empty() ? !budget.scope.empty() : budget.name == name)) found = &budget;
  }
  if (found == nullptr) {
    throw invalid("query", fmt::format("found budget={}; accepted: a budget with a scope", name));
  }
  constexpr std::size_t kKeyBytes = 400;  // of one key in JSON: its name and six numbers
  query.most = std::min(query.most, kMaxListedKeys);
  if (query.most > 100) make_room(ask, static_cast<std::size_t>(query.most) * kKeyBytes);
  if (csv) {
    return {.body = csv_of(taken(model.engine().keys(found->name, query), "query")),
            .type = "text/csv",
            .headers = {}};
  }
  JsonWriter json;
  write_keys(json, model, *found, query);
  return {.body = json.str(), .headers = {}};
}

HttpResponse windows(Model& model, const Ask& ask) {
  std::string name;
  const auto pairs = taken(query_of(ask.query), "query");
  std::vector<Scope> scopes;
  for (const auto& [field, value] : pairs) {
    if (field == "budget") {
      name = value;
    } else {
      check_key(value, field);
      scopes.push_back({field, value});
    }
  }
  const Engine& engine = model.engine();
  const auto& declared = engine.options().budgets;
  if (name.empty() && declared.size() == 1) name = declared[0].name;
  const auto found = taken(engine.windows(name, scopes), "query");
  JsonWriter json;
  json.begin_object().key("budget").value(name).key("windows").begin_array();
  for (const WindowState& window : found) {
    json.begin_object().key("window").value(window.number).key("open").value(window.open);
    const auto time = [&](const char* key, std::int64_t at) {
      json.key(key).value(at < 0 ? NAN : static_cast<double>(at));  // null: not known any more
    };
    time("first", window.first);
    time("last", window.last);
    write_money(json, window.limit, window.spent, window.held);
    json.end_object();
  }
  json.end_array().end_object();
  return {.body = json.str(), .headers = {}};
}

}  // namespace rein::serve
