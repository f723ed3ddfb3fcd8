// Notes: counts what a reader refuses and remarks, by reason.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "rein/log.h"

namespace rein {

class Notes {
 public:
  explicit Notes(std::string path) { report_.path = std::move(path); }

  // Refuses the row on this line. `kind` is a literal: one count per kind. The message is only made
  // for the first of them.
  template <class Message>
  void refuse(std::int64_t line, std::string_view kind, const Message& message) {
    note(line, kind, true, message);
    ++report_.refused;
  }
  // Remarks on a row that is kept.
  template <class Message>
  void remark(std::int64_t line, std::string_view kind, const Message& message) {
    note(line, kind, false, message);
  }
  void keep() { ++report_.kept; }
  void skip() { ++report_.skipped; }
  const LogReport& report() const { return report_; }

 private:
  template <class Message>
  void note(std::int64_t line, std::string_view kind, bool refused, const Message& message) {
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      if (kinds_[i] != kind || report_.notes[i].refused != refused) continue;
      ++report_.notes[i].count;
      report_.notes[i].last = line;
      return;
    }
    kinds_.emplace_back(kind);
    report_.notes.push_back({message(), refused, 1, line, line});
  }

  std::vector<std::string> kinds_;
  LogReport report_;
};

// Text from a file for a message: at most 40 bytes, control characters as `?`.
std::string quoted(std::string_view text);

}  // namespace rein
