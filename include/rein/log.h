// Log: past decisions with their propensities and outcomes, from the files that people have.
//
//     auto log = rein::read_log("decisions.csv");                   // all of it, by columns
//     if (!log) return log.failure();
//     fmt::print("{}", log.value().report.str());                   // what was refused, by line
//
//     auto reader = rein::open_log("large.dsjson.gz").value();      // or row by row
//     rein::LogRow row;
//     for (;;) {
//       const auto more = reader->next(row);
//       if (!more) return more.failure();                           // the file is damaged here
//       if (!more.value()) break;
//     }
//
// A row that cannot be used is refused: the report has its line and its reason, and reading goes on
// with the next row. A row that is unusual but unambiguous is kept and counted. LogReport has both
// kinds.
//
// Formats (docs/convert.md): CSV, JSON lines as `rein export` writes them, dsjson and text of Vowpal
// Wabbit, and rein's own file of columns. All but the last may be gzip.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rein/result.h"
#include "rein/round.h"

namespace rein {

// A number that a log does not have.
inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
// A time that a log does not have.
inline constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min();

// The largest number of different names of one kind in a log: actions, or sparse features.
inline constexpr std::size_t kMaxLogNames = std::size_t{1} << 22;
// Most different namespaces of sparse features.
inline constexpr std::size_t kMaxLogSpaces = 1024;
// Most bits of a hash of sparse features.
inline constexpr int kMaxLogBits = 30;
// The largest number of sparse features of one row, over all its actions.
inline constexpr std::size_t kMaxLogFeatures = std::size_t{1} << 22;

// The name of a sparse feature. `User^city=Paris` has space User, name city and value Paris.
struct FeatureName {
  std::string space;  // namespace; may be empty
  std::string name;
  std::string value;  // of a category
  bool category = false;
  // `space^name` or `space^name=value`; without a namespace `name` or `name=value`.
  std::string str() const;
  bool operator==(const FeatureName&) const = default;
};

// Names of the numbers in a log. Actions, costs and features may grow while a reader reads.
struct LogNames {
  std::vector<std::string> context;  // columns of the dense context
  std::vector<std::string> actions;  // by id. Empty: an action is known by its id, 0, 1, ...
  std::vector<std::string> costs;
  std::vector<FeatureName> features;  // of sparse features, by index
};

// Features with their names as indices (LogNames::features), ascending.
struct SparseList {
  std::span<const std::int32_t> index;
  std::span<const double> value;
};

// One decision. It owns nothing: everything that it refers to is valid until the reader's next
// call.
struct LogRow {
  std::int64_t line = 0;         // on which it begins, from 1; the number of the row in .rlog
  int actions = 0;               // how many were offered; 0: every action of the log
  int played = 0;                // place among those offered, from 0; the id if all were
  double propensity = kUnknown;  // of the played action, in (0, 1]
  double reward = kUnknown;      // unknown: it never came
  double weight = 1.0;
  std::int64_t time = kNoTime;      // nanoseconds since 1970, UTC
  std::string_view id;              // may be empty
  std::string_view unit;            // what LogOptions::unit names; may be empty
  std::span<const double> context;  // one number per LogNames::context
  std::span<const double> costs;    // one number per LogNames::costs; kUnknown: the cost never came
  // Ids of the actions offered. Empty: 0, 1, ..., actions - 1.
  std::span<const std::int32_t> offered;
  std::span<const double> probabilities;  // of those offered; empty: unknown
  SparseList shared;                      // sparse features of the context
  SparseRows features;  // of each action offered; begin is empty if there are none

  std::int32_t action(int place) const {
    return offered.empty() ? place : offered[as_place(place)];
  }
  std::int32_t action() const { return action(played); }

 private:
  static std::size_t as_place(int place) { return static_cast<std::size_t>(place); }
};

// A reason for which rows were refused, or kept with a remark.
struct LogNote {
  std::string what;  // the first of them: what was found, and what is accepted
  bool refused = false;
  std::int64_t count = 0;  // of rows, or of lines
  std::int64_t first = 0;  // line of the first
  std::int64_t last = 0;
  bool of_file = false;  // about the file or its lines, not about rows that are kept
  // For people, without a line end. `verb` is what happened to the rows: refused, kept, left out.
  std::string str(std::string_view verb) const;
};

struct LogReport {
  std::string path;
  std::int64_t kept = 0;
  std::int64_t refused = 0;
  std::int64_t skipped = 0;    // rows that say themselves that they are not to be learned from
  std::vector<LogNote> notes;  // in the order in which they appeared
  // A text for people: one line per count, and one line per note. Lines end in \n.
  std::string str() const;
};

// kCb: text of Vowpal Wabbit with one line per decision. kVw reads both kinds of text, and writes
// actions with features.
enum class LogFormat { kAuto, kCsv, kJsonl, kDsjson, kVw, kCb, kColumns };
std::string_view name_of(LogFormat format);
// The format with the name csv, jsonl, dsjson, vw, cb or rlog; kAuto for `auto`.
Result<LogFormat> log_format(std::string_view name);
// The format by the end of the path: .csv, .jsonl, .dsjson or .json, .vw or .txt, .rlog; .gz may
// follow.
Result<LogFormat> log_format_of(const std::string& path);

// How a log is read.
struct LogOptions {
  LogFormat format = LogFormat::kAuto;  // by the end of the path
  // Names of all actions. A row with another action is refused. Empty: the names of the log, in the
  // order in which they appear; read_log() sorts them if all are whole numbers.
  std::vector<std::string> actions;

  // CSV: names of columns. Defaults that the header does not have are not read.
  std::string context = "x_";        // every column whose name begins so
  std::vector<std::string> columns;  // context columns by name, instead
  std::string action = "a";
  std::string propensity = "p";
  std::string reward = "r";
  std::string cost = "c";  // `c`, or `c_NAME` for several
  std::string weight = "w";
  std::string time = "t";  // seconds since 1970
  std::string id = "id";

  // The column of CSV, or the key of JSON lines, that says which rows belong together: a user, a
  // session or a day. `scope.NAME` is a key of the scopes of JSON lines. Empty: rows are
  // independent. Other formats have no such key.
  std::string unit;

  // Text of Vowpal Wabbit: actions with features (`cb_adf`), or one line per decision (`cb`).
  enum class Vw { kAuto, kAdf, kCb };
  Vw vw = Vw::kAuto;
  // The kind with the name auto, adf or cb.
  static Result<Vw> vw_of(std::string_view name);

  // Vowpal Wabbit's -b: sparse features are named by the slot, 0 to 2^bits - 1, that the hash of
  // Vowpal Wabbit gives them. Features of one row that share a slot are added up, and counted. 0:
  // features keep their names.
  int bits = 0;
  // Its -q: products of the sparse features of two namespaces, by their first letters, as "UA".
  std::vector<std::string> quadratic;

  // A probability below this is refused.
  double least_propensity = 0.0;

  // Rows to pass over at the beginning. A file of columns does not decode them; others are read.
  std::int64_t skip = 0;
};

class LogReader {
 public:
  virtual ~LogReader() = default;
  // The next row that is kept; false at the end. An error means that nothing more can be read.
  virtual Result<bool> next(LogRow& row) = 0;
  virtual const LogNames& names() const = 0;
  virtual const LogReport& report() const = 0;
  // Rows of the file, if it says so before it is read; else -1.
  virtual std::int64_t rows() const { return -1; }
  // Bytes of the file read so far, and all of them: for progress bars.
  virtual std::int64_t bytes_read() const = 0;
  virtual std::int64_t bytes() const = 0;
};
Result<std::unique_ptr<LogReader>> open_log(const std::string& path,
                                            const LogOptions& options = {});

// Writes rows. Nothing is at `path` before finish(); a file that was there is replaced then.
class LogWriter {
 public:
  virtual ~LogWriter() = default;
  // `names` are the names of the reader that gave the row; they stay until finish(). A row that the
  // format cannot hold is refused and counted in report(). An error means that the file cannot be
  // written.
  virtual Result<> add(const LogRow& row, const LogNames& names) = 0;
  virtual Result<> finish() = 0;
  // What was written, refused, and left out of rows.
  virtual const LogReport& report() const = 0;
};
// A text format is compressed if the path ends in .gz.
Result<std::unique_ptr<LogWriter>> create_log(const std::string& path,
                                              LogFormat format = LogFormat::kAuto);

// A function that is called now and then with the bytes read and the bytes of the whole file. It
// stops the work by returning false.
using LogProgress = std::function<bool(std::int64_t read, std::int64_t all)>;

// What was read and what was written.
struct Converted {
  LogReport in, out;
};
// Writes the rows of one file to another. A log whose rows do not name the actions offered is read
// twice, the first time for the names. Nothing is written if no row can be read, or if the format
// can hold no row.
Result<Converted> convert_log(const std::string& in, const LogOptions& options,
                              const std::string& out, LogFormat format = LogFormat::kAuto,
                              const LogProgress& progress = {});

// A log in memory, by columns. Lists with an entry per action offered have the entries of a row
// from first(row) on.
struct Log {
  LogNames names;
  LogReport report;

  std::vector<std::int64_t> line;
  std::vector<std::int32_t> played;  // place among those offered
  std::vector<double> propensity;    // kUnknown where the log has none
  std::vector<double> reward;        // kUnknown where it never came
  std::vector<double> context;       // rows x names.context, row by row
  std::vector<double> costs;         // rows x names.costs, row by row
  std::vector<double> weight;        // empty: all 1
  std::vector<std::int64_t> time;    // empty: none
  std::vector<std::string> id;       // empty: none
  std::vector<std::string> unit;     // empty: none
  // Offers. actions is the number of actions that every row offers, or -1 if it varies; then
  // begin has rows + 1 entries.
  int actions = 0;
  bool all_offered = false;  // every row offers every action of names.actions
  std::vector<std::int64_t> begin;
  std::vector<std::int32_t> offered;  // ids. Empty: each row offers 0, 1, ..., actions(row) - 1
  std::vector<double> probabilities;  // one per action offered. Empty: unknown
  // Sparse features. The begin lists have one entry more than rows (shared) or offers (features).
  std::vector<std::int64_t> shared_begin, features_begin;
  std::vector<std::int32_t> shared_index, features_index;
  std::vector<double> shared_value, features_value;

  std::int64_t rows() const { return static_cast<std::int64_t>(played.size()); }
  std::int64_t first(std::int64_t row) const {
    return actions >= 0 ? row * actions : begin[static_cast<std::size_t>(row)];
  }
  int offers(std::int64_t row) const { return static_cast<int>(first(row + 1) - first(row)); }
  std::int32_t action(std::int64_t row, int place) const {
    return offered.empty() ? place : offered[static_cast<std::size_t>(first(row) + place)];
  }
  // Id of the played action.
  std::int32_t action(std::int64_t row) const {
    return action(row, played[static_cast<std::size_t>(row)]);
  }
  // Largest number of actions: of names.actions, or of any row.
  int most_actions() const;
  // The row in the form in which a reader gives it. `room` holds the numbers that the log does not
  // store in that form.
  LogRow row(std::int64_t row, std::vector<std::int32_t>& room) const;
  // Appends a row whose indices have the meaning of `names`. Costs may become more. Rows offer all
  // actions, or every row says which (LogRow::actions is 0 in all rows or in none).
  Result<> add(const LogRow& row);
  // After the last row: all names. Costs that rows do not have are unknown.
  void finish(LogNames all);
};
// The report is in the Log. An error if no row was kept.
Result<Log> read_log(const std::string& path, const LogOptions& options = {},
                     const LogProgress& progress = {});

// Turns the shared sparse features into columns of the context: a category gives one column per
// value, with 1 or 0. Refused if the context would have more than `most` columns.
Result<> make_dense(Log& log, std::size_t most = 4096);

// Takes the features of actions out of the log, for those who need actions by name. Actions without
// names, as in Vowpal Wabbit's files, are named by their features: each list of features is an action,
// and the report says so. Refused if there would be more than `most` actions, if a row offers the same
// features twice, or if an action that has a name has other features in another row.
Result<> name_actions(Log& log, std::size_t most = 1024);

}  // namespace rein
