// A log in CSV. The columns are in csv_header.h. A column of the context whose first cell is no
// number is a category: it becomes a sparse feature per value.
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "base/csv.h"
#include "base/text_number.h"
#include "log/csv_header.h"
#include "log/json_list.h"
#include "log/name_table.h"
#include "log/notes.h"
#include "log/readers.h"
#include "log/row_buffer.h"

namespace rein {
namespace {

// Words for a number that is not there, as programs write them.
bool is_blank(std::string_view cell) {
  cell = trimmed(cell);
  return cell.empty() || cell == "NA" || cell == "null" || cell == "NULL" || cell == "None";
}

class CsvLog final : public LogReader {
 public:
  CsvLog(CsvReader reader, CsvHeader header, const LogOptions& options)
      : reader_(std::move(reader)),
        header_(std::move(header)),
        options_(options),
        notes_(reader_.path()) {
    names_.actions = options.actions;
    names_.costs = header_.cost_names;
    actions_.emplace(names_.actions);
    features_.emplace(names_.features);
    space_ = features_->space({});
    if (header_.propensity < 0) {
      notes_.say(1, "no propensities", [&] {
        return fmt::format("no column \"{}\": the propensities are unknown", options_.propensity);
      });
    }
    if (header_.reward < 0) {
      notes_.say(1, "no rewards", [&] {
        return fmt::format("no column \"{}\": the rewards are unknown", options_.reward);
      });
    }
    if (!header_.unused.empty()) {
      notes_.say(1, "unused columns", [&] {
        return fmt::format("{} column{} not used: {}", header_.unused.size(),
                           header_.unused.size() == 1 ? " is" : "s are",
                           shown_names(header_.unused));
      });
    }
  }

  Result<bool> next(LogRow& row) override {
    for (;;) {
      auto found_row = reader_.next();
      if (!found_row || !found_row.value()) return found_row;
      if (reader_.mixed_ends() && !told_ends_) {
        told_ends_ = true;
        notes_.say(reader_.line(), "line ends", [] {
          return std::string("lines end in more than one way (LF, CRLF, CR); all are accepted");
        });
      }
      if (!read(row)) continue;
      notes_.keep();
      return true;
    }
  }
  const LogNames& names() const override { return names_; }
  const LogReport& report() const override { return notes_.report(); }
  std::int64_t bytes_read() const override { return reader_.position(); }
  std::int64_t bytes() const override { return reader_.stamp().size; }

 private:
  std::string_view cell(int column) const { return reader_.fields()[as_size(column)]; }

  template <class Message>
  bool refuse(std::string_view kind, const Message& message) {
    notes_.refuse(reader_.line(), kind, message);
    return false;
  }

  bool read(LogRow& row) {
    row = LogRow();
    row.line = reader_.line();
    buffer_.clear();
    const std::size_t found = reader_.fields().size();
    if (found != header_.fields) {
      return refuse("fields", [&] {
        return fmt::format("found {} fields; accepted: {}, as in the header", found,
                           header_.fields);
      });
    }
    if (header_.state >= 0 && trimmed(cell(header_.state)) == "cancelled") {
      notes_.skip();
      return false;
    }
    const bool fine = read_context() && read_action(row) && read_propensity(row) &&
                      read_outcome(row) && read_rest(row);
    if (fine) buffer_.show(row);
    return fine;
  }

  // A number, or kUnknown for a blank cell. False if it is neither; then the row is refused.
  bool number(int column, std::string_view what, double& out, bool may_miss) {
    out = kUnknown;
    if (to_number(cell(column), out)) return true;
    out = kUnknown;
    if (may_miss && is_blank(cell(column))) return true;
    return refuse(what, [&] {
      return fmt::format("{}: found {}; accepted: a finite number{}", what, quoted(cell(column)),
                         may_miss ? ", or nothing" : "");
    });
  }

  // Whether each column of the context is a category, from the first row.
  void decide_kinds() {
    for (std::size_t i = 0; i < header_.context.size(); ++i) {
      double ignored = 0.0;
      const std::string_view found = cell(header_.context[i]);
      const bool category = !to_number(found, ignored) && !is_blank(found);
      category_.push_back(category);
      if (!category) names_.context.push_back(header_.context_names[i]);
    }
  }

  bool read_context() {
    if (category_.size() != header_.context.size()) decide_kinds();
    features_->restart();
    for (std::size_t i = 0; i < header_.context.size(); ++i) {
      const int column = header_.context[i];
      if (category_[i]) {
        if (is_blank(cell(column))) continue;  // none of its values
        const std::int32_t index =
            features_->number(space_, header_.context_names[i], cell(column));
        if (index < 0) return too_many("values of categories");
        buffer_.shared.add(index, 1.0);
        continue;
      }
      double value = 0.0;
      if (!number(column, "context", value, false)) return false;
      buffer_.context.push_back(value);
    }
    buffer_.shared.end_list();
    return true;
  }

  bool too_many(std::string_view what) {
    return refuse(what, [&] {
      return fmt::format("found more than {} different {}; accepted: fewer", kMaxLogNames, what);
    });
  }

  std::int32_t action_id(std::string_view name) {
    if (options_.actions.empty()) return actions_->number(name);
    return actions_->find(name);
  }
  bool unknown_action(std::string_view name) {
    if (options_.actions.empty()) return too_many("actions");
    return refuse("action", [&] {
      return fmt::format("found action {}; accepted: the {} actions given", quoted(name),
                         options_.actions.size());
    });
  }

  bool read_action(LogRow& row) {
    const std::string_view name = trimmed(cell(header_.action));
    if (name.empty()) {
      return refuse("no action", [] { return std::string("found no action; accepted: its name"); });
    }
    if (header_.actions >= 0 && !read_offered()) return false;
    const std::int32_t id = action_id(name);
    if (id < 0) return unknown_action(name);
    row.played = id;
    if (buffer_.offered.empty()) return true;
    const auto at = std::ranges::find(buffer_.offered, id);
    if (at == buffer_.offered.end()) {
      return refuse("not offered", [&] {
        return fmt::format("found action {}, which is not among those offered", quoted(name));
      });
    }
    row.actions = static_cast<int>(buffer_.offered.size());
    row.played = static_cast<int>(at - buffer_.offered.begin());
    return true;
  }

  bool read_offered() {
    if (!read_texts(cell(header_.actions), offered_) || offered_.empty()) {
      return refuse("actions", [&] {
        return fmt::format("actions: found {}; accepted: a list in JSON, such as [\"a\",\"b\"]",
                           quoted(cell(header_.actions)));
      });
    }
    for (const std::string& name : offered_) {
      const std::int32_t id = action_id(name);
      if (id < 0) return unknown_action(name);
      if (std::ranges::find(buffer_.offered, id) != buffer_.offered.end()) {
        return refuse("twice", [&] {
          return fmt::format("actions: found {} twice; accepted: once", quoted(name));
        });
      }
      buffer_.offered.push_back(id);
    }
    return true;
  }

  bool read_propensity(LogRow& row) {
    if (header_.propensity >= 0) {
      if (!number(header_.propensity, "propensity", row.propensity, true)) return false;
      if (std::isnan(row.propensity)) {
        notes_.remark(row.line, "missing propensity",
                      [] { return std::string("no propensity: it is unknown"); });
      } else if (auto wrong = wrong_propensity(row.propensity, options_.least_propensity);
                 !wrong.empty()) {
        return refuse("propensity range", [&] { return wrong; });
      }
    }
    if (header_.probabilities < 0 || is_blank(cell(header_.probabilities))) return true;
    return read_probabilities(row);
  }

  bool read_probabilities(LogRow& row) {
    auto& p = buffer_.probabilities;
    if (!read_numbers(cell(header_.probabilities), p) || p.size() != buffer_.offered.size()) {
      return refuse("probabilities", [&] {
        return fmt::format(
            "probabilities: found {}; accepted: a list in JSON, one per action offered",
            quoted(cell(header_.probabilities)));
      });
    }
    if (auto wrong = wrong_probabilities(p); !wrong.empty()) {
      return refuse("probabilities sum", [&] { return wrong; });
    }
    const double own = p[as_size(row.played)];
    if (std::isnan(row.propensity)) row.propensity = own;
    if (std::abs(own - row.propensity) > 1e-6) {
      return refuse("two propensities", [&] {
        return fmt::format("found propensity {} and {} among the probabilities; accepted: the same",
                           row.propensity, own);
      });
    }
    if (auto wrong = wrong_propensity(row.propensity, options_.least_propensity); !wrong.empty()) {
      return refuse("propensity range", [&] { return wrong; });
    }
    return true;
  }

  bool read_outcome(LogRow& row) {
    if (header_.reward >= 0 && !number(header_.reward, "reward", row.reward, true)) return false;
    if (header_.reward >= 0 && std::isnan(row.reward)) {
      notes_.remark(row.line, "missing reward", [] { return std::string("no reward came"); });
    }
    for (std::size_t i = 0; i < header_.costs.size(); ++i) {
      double paid = 0.0;
      if (!number(header_.costs[i], "cost", paid, true)) return false;
      if (std::isnan(paid)) {
        notes_.remark(row.line, header_.cost_names[i],
                      [&] { return fmt::format("no cost \"{}\" came", header_.cost_names[i]); });
      }
      buffer_.costs.push_back(paid);
    }
    return true;
  }

  bool read_rest(LogRow& row) {
    if (header_.weight >= 0) {
      if (!number(header_.weight, "weight", row.weight, false)) return false;
      if (!(row.weight > 0.0)) {
        return refuse("weight range", [&] {
          return fmt::format("weight: found {}; accepted: above 0", row.weight);
        });
      }
    }
    if (header_.time >= 0 && !is_blank(cell(header_.time))) {
      const std::string_view text = trimmed(cell(header_.time));
      if (!read_seconds(text, row.time) && !read_timestamp(text, row.time)) {
        return refuse("time", [&] {
          return fmt::format(
              "time: found {}; accepted: seconds since 1970 with up to nine decimals, "
              "or 2026-01-31T23:59:59Z",
              quoted(text));
        });
      }
    }
    if (header_.id >= 0) buffer_.id = cell(header_.id);
    if (header_.unit < 0) return true;
    buffer_.unit = trimmed(cell(header_.unit));
    return !buffer_.unit.empty() || refuse("unit", [&] {
      return fmt::format("{}: found nothing; accepted: what the row belongs to", options_.unit);
    });
  }

  CsvReader reader_;
  CsvHeader header_;
  LogOptions options_;
  Notes notes_;
  LogNames names_;
  std::optional<NameTable> actions_;
  std::optional<FeatureTable> features_;
  std::vector<bool> category_;
  std::vector<std::string> offered_;
  RowBuffer buffer_;
  std::int32_t space_ = 0;
  bool told_ends_ = false;
};

}  // namespace

MadeReader read_csv_log(const std::string& path, const LogOptions& options) {
  auto opened = CsvReader::open(path, "log");
  if (!opened) return opened.failure();
  CsvReader reader = std::move(opened).value();
  auto first = reader.next();
  if (!first) return first.failure();
  auto header = read_header(reader.fields(), options);
  if (!header) return reader.wrong(1, header.error());
  return std::make_unique<CsvLog>(std::move(reader), std::move(header).value(), options);
}

}  // namespace rein
