#include "customers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/csv.h"
#include "base/size.h"
#include "base/text_number.h"
#include "verbs.h"

namespace rein::app {
namespace {

// The context columns of a log are written x_NAME, and those of a model are called NAME.
constexpr std::string_view kContextPrefix = "x_";

// Where each column of the model is in the header. Both spellings of a name fit.
std::vector<std::size_t> places_of(const std::vector<std::string>& wanted,
                                   const std::vector<std::string>& header, const std::string& path) {
  std::vector<std::size_t> places;
  std::vector<std::string> missing;
  for (const std::string& name : wanted) {
    auto found = std::ranges::find(header, name);
    if (found == header.end()) found = std::ranges::find(header, std::string(kContextPrefix) + name);
    if (found == header.end()) {
      missing.push_back(name);
    } else {
      places.push_back(as_size(found - header.begin()));
    }
  }
  if (!missing.empty()) {
    throw UsageError(fmt::format("{}: the model needs the column{} {}, and the header has {}; accepted: "
                                 "columns of these names, with or without \"{}\" before them",
                                 path, missing.size() == 1 ? "" : "s", fmt::join(missing, ", "),
                                 fmt::join(header, ", "), kContextPrefix));
  }
  return places;
}

// A model of numbers without names: the columns that begin as those of a log's context.
std::vector<std::size_t> number_places(const Engine& engine, const std::vector<std::string>& header,
                                       const std::string& path) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (header[i].starts_with(kContextPrefix)) places.push_back(i);
  }
  const auto width = as_size(engine.policy().shape().context);
  if (places.size() == width) return places;
  throw UsageError(fmt::format(
      "{}: the model has {} numbers without names, and the header has {} columns that begin with \"{}\" "
      "({}); accepted: as many",
      path, width, places.size(), kContextPrefix, fmt::join(header, ", ")));
}

void read_row(const CsvReader& file, const std::vector<std::size_t>& places, const Schema* schema,
              Customers& out, std::vector<std::pair<std::size_t, std::size_t>>& later) {
  const auto fields = file.fields();
  if (fields.size() != out.header.size()) {
    throw UsageError(fmt::format("{}, line {}: found {} fields; accepted: {}, as in the header",
                                 file.path(), file.line(), fields.size(), out.header.size()));
  }
  for (const std::string_view field : fields) out.texts.emplace_back(field);
  for (std::size_t c = 0; c < places.size(); ++c) {
    const std::string_view field = fields[places[c]];
    bool read;
    if (schema == nullptr) {
      double number = 0.0;
      read = to_number(field, number);
      out.numbers.push_back(number);
    } else {
      Cell cell;
      read = parse_cell(schema->kind(c), trimmed(field), cell);
      if (cell.kind == Cell::Kind::kText) later.emplace_back(c, out.cells[c].size());
      out.cells[c].push_back(cell);
    }
    if (read) continue;
    throw UsageError(fmt::format("{}, line {}: {}: found \"{}\"; accepted: a number", file.path(),
                                 file.line(), out.header[places[c]], field));
  }
  ++out.rows;
}

// Columns of a log that say what another policy did.
bool is_of_log(std::string_view name) {
  return name == "a" || name == "p" || name == "r" || name == "c" || name.starts_with("c_") ||
         name.starts_with("estimated_");
}

std::string quoted_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

}  // namespace

RoundBatch Customers::rounds(const Engine& engine, std::vector<ColumnValues>& values,
                             std::vector<std::int32_t>& ids) const {
  for (const auto& column : cells) values.push_back({.cells = column});
  const auto offered = engine.offered();
  RoundBatch out{.rounds = rows,
                 .actions = static_cast<int>(offered.size()),
                 .contexts = numbers,
                 .columns = values};
  if (offered.size() == as_size(engine.ids())) return out;
  for (std::int64_t t = 0; t < rows; ++t) ids.insert(ids.end(), offered.begin(), offered.end());
  out.ids = ids;
  return out;
}

Customers read_customers(const std::string& path, const Engine& engine) {
  CsvReader file = read_from(CsvReader::open(path, "customers"));
  if (!read_from(file.next())) {
    throw UsageError(fmt::format("{}: it is empty; accepted: a header and rows", path));
  }
  Customers out;
  for (const std::string_view name : file.fields()) out.header.emplace_back(trimmed(name));
  const Schema* schema = engine.schema();
  std::vector<std::size_t> places;
  if (schema == nullptr) {
    places = number_places(engine, out.header, path);
  } else {
    std::vector<std::string> wanted;
    for (const Column& column : schema->columns()) wanted.push_back(column.name);
    places = places_of(wanted, out.header, path);
    out.cells.resize(wanted.size());
  }
  for (std::size_t i = 0; i < out.header.size(); ++i) {
    const bool used = std::ranges::find(places, i) != places.end();
    if (!used && !is_of_log(out.header[i])) out.unused.push_back(out.header[i]);
  }
  std::vector<std::pair<std::size_t, std::size_t>> texts;  // cells that refer to a text
  while (read_from(file.next())) read_row(file, places, schema, out, texts);
  if (out.rows == 0) throw UsageError(fmt::format("{}: it has no rows; accepted: at least one", path));
  for (const auto& [column, row] : texts) {  // the reader's own texts are gone
    out.cells[column][row] =
        Cell::of(trimmed(out.text(static_cast<std::int64_t>(row), places[column])));
  }
  return out;
}

std::string assigned_csv(const Customers& customers, const Engine& engine, const Assignment& found) {
  std::vector<std::size_t> kept;
  std::string out;
  for (std::size_t i = 0; i < customers.header.size(); ++i) {
    if (is_of_log(customers.header[i])) continue;
    kept.push_back(i);
    out += quoted_cell(customers.header[i]) + ",";
  }
  out += "a,p,estimated_reward";
  const auto& costs = engine.policy().shape().costs;
  for (const CostShape& cost : costs) out += "," + quoted_cell("estimated_" + cost.name);
  out += "\n";
  const std::size_t heads = 1 + costs.size();
  for (std::int64_t t = 0; t < customers.rows; ++t) {
    const std::size_t row = as_size(t);
    for (const std::size_t i : kept) out += quoted_cell(customers.text(t, i)) + ",";
    const std::string_view name = engine.action_name(found.actions[row]);
    out += name.empty() ? fmt::format("{}", found.actions[row]) : quoted_cell(std::string(name));
    fmt::format_to(std::back_inserter(out), ",{}", found.probability[row]);
    for (std::size_t h = 0; h < heads; ++h) {
      fmt::format_to(std::back_inserter(out), ",{:.6g}", found.estimates[row * heads + h]);
    }
    out += "\n";
  }
  return out;
}

}  // namespace rein::app
