// Writes CSV. The header names every column, so all rows are kept in memory until finish().
#include <fmt/format.h>

#include <cmath>

#include "base/json.h"
#include "log/text_writer.h"

namespace rein {
namespace {

constexpr std::size_t kMostColumns = 100000;

// Appends a cell in the form of RFC 4180.
void append_cell(std::string& out, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void append_known(std::string& out, double number) {
  out += ',';
  if (!std::isnan(number)) append_number(out, number);
}

class CsvWriter final : public TextWriter {
 public:
  using TextWriter::TextWriter;

  Result<> add(const LogRow& row, const LogNames& names) override {
    if (!named_by_feature(row, names)) {
      notes_.refuse(row.line, "features", [] {
        return std::string(
            "features of actions, which CSV has no place for; accepted: actions whose only "
            "feature is their name, or the formats jsonl, dsjson, vw and rlog");
      });
      return {};
    }
    notes_.keep();
    auto added = log_.add(row);
    names_ = names;
    return added;
  }

  Result<> finish() override {
    log_.finish(std::move(names_));
    if (auto planned = plan(); !planned) return planned;
    header();
    for (std::int64_t i = 0; i < log_.rows(); ++i) {
      if (auto fine = line(i); !fine) return fine;
      if (auto flushed = sink_.flush_some(); !flushed) return flushed;
    }
    return TextWriter::finish();
  }

 private:
  // Whether the row has no features, or one per action: its name.
  static bool named_by_feature(const LogRow& row, const LogNames& names) {
    if (row.features.begin.empty()) return true;
    if (!names.actions.empty()) return false;
    for (int place = 0; place < row.actions; ++place) {
      const auto from = as_size(row.features.begin[as_size(place)]);
      if (as_size(row.features.begin[as_size(place) + 1]) != from + 1) return false;
      if (row.features.value[from] != 1.0) return false;
    }
    return true;
  }

  // Columns of the sparse context: one per name; a category is one column for all its values.
  Result<> plan() {
    column_.assign(log_.names.features.size(), -1);
    for (const std::int32_t index : log_.shared_index) {
      if (column_[as_size(index)] >= 0) continue;
      const FeatureName& name = log_.names.features[as_size(index)];
      const FeatureName bare{name.space, name.name, {}, name.category};
      std::size_t at = 0;
      while (at < columns_.size() && !(columns_[at] == bare)) ++at;
      if (at == columns_.size()) columns_.push_back(bare);
      column_[as_size(index)] = static_cast<std::int32_t>(at);
      if (columns_.size() > kMostColumns) {
        return Error{fmt::format("csv: the context has more than {} columns; accepted: fewer",
                                 kMostColumns)};
      }
    }
    return {};
  }

  void header() {
    std::string& out = sink_.text();
    for (const std::string& name : log_.names.context) {
      append_cell(out, "x_" + name);
      out += ',';
    }
    for (FeatureName name : columns_) {
      name.category = false;
      append_cell(out, "x_" + name.str());
      out += ',';
    }
    out += "a,p,r";
    for (const std::string& name : log_.names.costs) {
      out += ',';
      append_cell(out, "c_" + name);
    }
    if (!log_.weight.empty()) out += ",w";
    if (!log_.time.empty()) out += ",t";
    if (!log_.id.empty()) out += ",id";
    if (!log_.all_offered) out += ",actions";
    if (!log_.probabilities.empty()) out += ",probabilities";
    out += '\n';
  }

  std::string name_at(const LogRow& row, int place) const {
    if (row.features.begin.empty()) return action_name(row.action(place), log_.names);
    const auto from = as_size(row.features.begin[as_size(place)]);
    return name_by_feature(log_.names.features[as_size(row.features.index[from])]);
  }

  Result<> line(std::int64_t i) {
    std::string& out = sink_.text();
    const LogRow row = log_.row(i, room_);
    for (const double number : row.context) {
      append_number(out, number);
      out += ',';
    }
    if (auto fine = sparse(row); !fine) return fine;
    append_cell(out, name_at(row, row.played));
    append_known(out, row.propensity);
    append_known(out, row.reward);
    for (const double cost : row.costs) append_known(out, cost);
    if (!log_.weight.empty()) append_known(out, row.weight);
    if (!log_.time.empty())
      out += ',' + (row.time == kNoTime ? std::string() : write_seconds(row.time));
    if (!log_.id.empty()) {
      out += ',';
      append_cell(out, row.id);
    }
    if (!log_.all_offered) {
      JsonWriter json;
      json.begin_array();
      for (int place = 0; place < row.actions; ++place) json.value(name_at(row, place));
      json.end_array();
      out += ',';
      append_cell(out, json.str());
    }
    if (!log_.probabilities.empty()) {
      JsonWriter json;
      json.begin_array();
      for (const double p : row.probabilities) json.value(p);
      json.end_array();
      out += ',';
      if (!row.probabilities.empty() && !std::isnan(row.probabilities[0]))
        append_cell(out, json.str());
    }
    out += '\n';
    return {};
  }

  Result<> sparse(const LogRow& row) {
    cells_.assign(columns_.size(), nullptr);
    values_.assign(columns_.size(), 0.0);
    for (std::size_t j = 0; j < row.shared.index.size(); ++j) {
      const std::size_t index = as_size(row.shared.index[j]);
      const std::size_t column = as_size(column_[index]);
      const FeatureName& name = log_.names.features[index];
      if (name.category && cells_[column] != nullptr) {
        return Error{
            fmt::format("csv: line {}: found two values of {}; accepted: one value per category",
                        row.line, name.name)};
      }
      cells_[column] = &name.value;
      values_[column] = row.shared.value[j];
    }
    std::string& out = sink_.text();
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (!columns_[c].category) append_number(out, values_[c]);
      if (columns_[c].category && cells_[c] != nullptr) append_cell(out, *cells_[c]);
      out += ',';
    }
    return {};
  }

  Log log_;
  LogNames names_;
  std::vector<FeatureName> columns_;
  std::vector<std::int32_t> column_;  // by feature
  std::vector<std::int32_t> room_;
  std::vector<const std::string*> cells_;
  std::vector<double> values_;
};

}  // namespace

MadeWriter write_csv_log(const std::string& path) { return text_writer<CsvWriter>(path); }

}  // namespace rein
