// JsonLog: what readers of JSON lines have in common. One object per line is one row.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "log/json_cursor.h"
#include "log/line_file.h"
#include "log/name_table.h"
#include "log/notes.h"
#include "log/readers.h"
#include "log/row_buffer.h"

namespace rein {

class JsonLog : public LogReader {
 public:
  Result<bool> next(LogRow& row) final;
  const LogNames& names() const final { return names_; }
  const LogReport& report() const final { return notes_.report(); }
  std::int64_t bytes_read() const final { return file_.position(); }
  std::int64_t bytes() const final { return file_.size(); }

 protected:
  JsonLog(LineFile file, const LogOptions& options);

  enum class Line { kKept, kRefused, kSkipped };
  // Reads the object into row and buffer_, which are empty. If it is refused, refuse() was called.
  virtual Line read_line(JsonCursor& from, LogRow& row) = 0;

  // Where the marks of the line are.
  std::span<const char* const> ends() const { return ends_; }
  // Notes why the row is refused; the first reason stays. Returns false, so that a function can end
  // with this call.
  bool refuse(std::string_view kind, std::string why);
  bool refused() const { return !wrong_.empty(); }
  // An object of costs by name; null: it never came.
  bool read_costs(JsonCursor& from);
  // Remarks costs that the row does not have.
  void remark_costs(const LogRow& row);
  void remark_doubled(const LogRow& row);
  // Refuses propensities outside (0, 1], and makes a remark if the propensity is unknown.
  bool check_propensity(const LogRow& row, const char* unknown);
  // A number, or null: unknown.
  static bool maybe(JsonCursor& from, double& out);

  template <class Each>
  static bool list(JsonCursor& from, const Each& each) {
    if (!from.take('[')) return false;
    for (bool first = true; from.more(']', first);) {
      if (!each()) return false;
    }
    return from.ok();
  }

  LogOptions options_;
  LogNames names_;
  FeatureTable table_;
  RowBuffer buffer_;
  std::string key_room_, text_room_;

 private:
  LineFile file_;
  std::span<const char* const> ends_;

 protected:
  Notes notes_;

 private:
  NameTable costs_;
  std::string_view kind_;
  std::string wrong_;
  bool told_ends_ = false;
};

}  // namespace rein
