#include "world/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/check.h"
#include "world/keys.h"
#include "world/row_order.h"
#include "world/table_file.h"

namespace rein {
namespace {

// The source of the rows.
class Rows {
 public:
  virtual ~Rows() = default;
  // The next row, valid until the next call; empty at the end.
  virtual std::span<const double> next() = 0;
  // The text of context column i in that row, whose number there is `number`.
  virtual std::string_view text(std::size_t i, double number) const = 0;
};

class ShuffledRows final : public Rows {
 public:
  ShuffledRows(std::shared_ptr<const LoadedTable> table, std::uint64_t seed, bool repeat)
      : table_(std::move(table)), order_(table_->rows, seed, true, repeat) {}

  std::span<const double> next() override {
    const std::int64_t row = order_.next();
    return row < 0 ? std::span<const double>() : table_->row(row);
  }

  std::string_view text(std::size_t /*i*/, double number) const override {
    return table_->texts[static_cast<std::size_t>(number)];
  }

 private:
  std::shared_ptr<const LoadedTable> table_;
  RowOrder order_;
};

class StreamedRows final : public Rows {
 public:
  // The file is positioned before its first row.
  StreamedRows(TableFile file, bool repeat)
      : file_(std::move(file)), repeat_(repeat), row_(file_.schema().width()) {}

  // The whole file was read before, so an error here means that it has changed since: throws.
  std::span<const double> next() override {
    if (file_.next(row_).value()) return row_;
    if (!repeat_) return {};
    file_.rewind().check();
    if (file_.next(row_).value()) return row_;
    return {};
  }

  std::string_view text(std::size_t i, double /*number*/) const override { return file_.text(i); }

 private:
  TableFile file_;
  bool repeat_;
  std::vector<double> row_;
};

class TableWorld final : public World {
 public:
  // The first `columns` numbers of a row are the context, or the cells that `encoder` makes it of.
  TableWorld(Shape shape, std::unique_ptr<Rows> rows, std::string path, std::size_t columns,
             std::optional<Schema> encoder)
      : shape_(std::move(shape)),
        rows_(std::move(rows)),
        path_(std::move(path)),
        columns_(columns),
        encoder_(std::move(encoder)) {
    if (!encoder_) return;
    cells_.resize(columns_);
    encoded_.resize(static_cast<std::size_t>(encoder_->size()));
  }

  const Shape& shape() const override { return shape_; }

  const Round& next() override {
    row_ = rows_->next();
    if (row_.empty()) {
      throw Failure(
          fmt::format("table {}: has no more rows; accepted: repeat=1 to start again", path_));
    }
    round_ = {.actions = shape_.actions, .context = encoder_ ? encode() : row_.first(columns_)};
    return round_;
  }

  void outcome(int action, Outcome& out) const override {
    check(!row_.empty(), "an outcome is asked for after next()");
    check(action >= 0 && action < shape_.actions, "an outcome is asked of an action of the round");
    const double* cell = row_.data() + columns_ + action;
    out.reward = *cell;
    out.costs = Costs(static_cast<int>(shape_.costs.size()));
    for (double& cost : out.costs) cost = *(cell += shape_.actions);
  }

  void means(std::span<double> out) const override {
    check(!row_.empty(), "means are asked for after next()");
    const auto outcomes = row_.subspan(columns_);
    check(out.size() >= outcomes.size(), "there is room for the means of every head");
    std::copy(outcomes.begin(), outcomes.end(), out.begin());
  }

  // An outcome here is not random: it is its own largest value.
  bool highest(std::span<double> out) const override {
    check(!row_.empty(), "costs are asked for after next()");
    const auto costs = row_.subspan(columns_ + static_cast<std::size_t>(shape_.actions));
    check(out.size() >= costs.size(), "there is room for every cost");
    std::copy(costs.begin(), costs.end(), out.begin());
    return true;
  }

  void observe(int /*action*/, const Outcome& /*outcome*/) override {}
  bool adapts() const override { return false; }

 private:
  // The statistics are those of the rows so far, including this row, as for an agent that meets
  // these rows.
  std::span<const double> encode() {
    for (std::size_t i = 0; i < columns_; ++i) {
      const ColumnKind kind = encoder_->kind(i);
      if (std::isnan(row_[i])) {
        cells_[i] = Cell::missing();
      } else if (kind >= ColumnKind::kCategory) {
        cells_[i] = Cell::of(rows_->text(i, row_[i]));
      } else {
        cells_[i] = Cell::of(row_[i]);
      }
    }
    encoder_->take(cells_, encoded_).check();
    return encoded_;
  }

  Shape shape_;
  std::unique_ptr<Rows> rows_;
  std::string path_;
  std::size_t columns_;
  std::optional<Schema> encoder_;
  std::vector<Cell> cells_;
  std::vector<double> encoded_;
  std::span<const double> row_;
  Round round_;
};

struct WorldKeys {
  std::string file;
  bool shuffled = true;
  bool repeat = false;
  TableKeys columns;
};

Result<WorldKeys> read_keys(SpecReader& read) {
  WorldKeys keys;
  keys.file = read.text("file", "");
  keys.shuffled = read.word("order", "shuffled", {"shuffled", "file"}) == "shuffled";
  keys.repeat = read.flag("repeat", false);
  keys.columns = read_table_keys(read);
  read_budgets(read, static_cast<int>(keys.columns.costs.size()), 1);
  if (keys.file.empty()) {
    read.refuse("table needs file=\"PATH\", a CSV file, plain or gzip");
  }
  if (auto done = read.finish(); !done) return done.failure();
  return keys;
}

// Everything except the rounds. Budgets are as given, per round or in all.
Result<Shape> make_shape(SpecReader& read, const TableSchema& schema) {
  // Only now is it known whether there are costs.
  for (const char* key : {"budget", "rate", "names", "cost_range"}) {
    only_with(read, key, !schema.costs.empty(), "tables with costs, and this one has no column c0");
  }
  Shape shape{.actions = schema.actions,
              .context = schema.context_size(),
              .reward = schema.reward,
              .costs = schema.costs};
  shape.budgets = read_budgets(read, static_cast<int>(schema.costs.size()), 1);
  if (auto done = read.finish(); !done) return done.failure();
  if (auto ok = validate(shape); !ok) return ok.failure();
  return shape;
}

Result<std::int64_t> check_rounds(const std::string& path, std::int64_t rows, std::int64_t rounds,
                                  bool repeat) {
  if (rows == 0) {
    return Error{
        fmt::format("table {}: has a header and no rows; accepted: one row per round", path)};
  }
  if (rounds > rows && !repeat) {
    return Error{
        fmt::format("table {}: has {} rows, and {} rounds are asked for; accepted: at most "
                    "{}, 0 for all of them, or repeat=1",
                    path, rows, rounds, rows)};
  }
  return rounds == 0 ? rows : rounds;
}

}  // namespace

Result<std::unique_ptr<World>> make_table(const Spec& spec, std::uint64_t seed,
                                          std::int64_t rounds) {
  SpecReader read(spec, "world spec");
  auto keys = read_keys(read);
  if (!keys) return keys.failure();
  const bool repeat = keys.value().repeat;
  auto opened = TableFile::open(keys.value().file, keys.value().columns);
  if (!opened) return opened.failure();
  TableFile file = std::move(opened).value();
  auto shaped = make_shape(read, file.schema());
  if (!shaped) return shaped.failure();
  Shape shape = std::move(shaped).value();

  const std::size_t columns = file.schema().context.size();
  std::optional<Schema> encoder = file.schema().encoder;
  std::unique_ptr<Rows> rows;
  std::int64_t count = 0;
  if (keys.value().shuffled) {
    auto table = load_table(file);
    if (!table) return table.failure();
    count = table.value()->rows;
    rows = std::make_unique<ShuffledRows>(table.value(), seed, repeat);
  } else {
    auto counted = count_rows(file);
    if (!counted) return counted.failure();
    count = counted.value();
    if (auto ok = file.rewind(); !ok) return ok.failure();
    rows = std::make_unique<StreamedRows>(std::move(file), repeat);
  }
  auto wanted = check_rounds(keys.value().file, count, rounds, repeat);
  if (!wanted) return wanted.failure();
  shape.rounds = wanted.value();
  if (!read.has("budget")) {
    for (double& budget : shape.budgets) budget *= static_cast<double>(shape.rounds);
  }
  return std::make_unique<TableWorld>(std::move(shape), std::move(rows), keys.value().file, columns,
                                      std::move(encoder));
}

}  // namespace rein
