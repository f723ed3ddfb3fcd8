// Notes: counts what a reader refuses and remarks, by reason.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string_view>
#include <vector>

#include "rein/log.h"

namespace rein {

class Notes {
 public:
  explicit Notes(std::string path) { report_.path = std::move(path); }

  // Refuses the row on this line. `kind` is a literal: one count per kind. The message is made for
  // the first row of a kind only. Remarks on the row are forgotten.
  template <class Message>
  void refuse(std::int64_t line, std::string_view kind, const Message& message) {
    forget();
    count(find(line, kind, true, message), line);
    ++report_.refused;
  }
  // Remarks on the row, which counts if it is kept.
  template <class Message>
  void remark(std::int64_t line, std::string_view kind, const Message& message) {
    pending_.push_back({find(line, kind, false, message), line});
  }
  // Remarks on the file.
  template <class Message>
  void say(std::int64_t line, std::string_view kind, const Message& message) {
    const std::size_t note = find(line, kind, false, message);
    report_.notes[note].of_file = true;
    count(note, line);
  }
  void keep() {
    ++report_.kept;
    for (const auto& [note, line] : pending_) count(note, line);
    pending_.clear();
  }
  void skip() {
    forget();
    ++report_.skipped;
  }
  const LogReport& report() const { return report_; }

 private:
  struct Pending {
    std::size_t note;
    std::int64_t line;
  };
  void count(std::size_t note, std::int64_t line) {
    LogNote& each = report_.notes[note];
    if (each.count++ == 0) each.first = line;
    each.last = line;
  }
  // Drops the remarks on this row. If a remark was the first of its kind, its note is among the
  // last notes, which are dropped too.
  void forget() {
    pending_.clear();
    while (!report_.notes.empty() && report_.notes.back().count == 0) {
      report_.notes.pop_back();
      kinds_.pop_back();
    }
  }
  template <class Message>
  std::size_t find(std::int64_t line, std::string_view kind, bool refused, const Message& message) {
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      if (kinds_[i] == kind && report_.notes[i].refused == refused) return i;
    }
    kinds_.emplace_back(kind);
    LogNote& note = report_.notes.emplace_back();
    note.what = message();
    note.refused = refused;
    note.first = note.last = line;
    return kinds_.size() - 1;
  }

  std::vector<std::string> kinds_;
  std::vector<Pending> pending_;
  LogReport report_;
};

// Text from a file for a message: at most 40 bytes, control characters as `?`.
std::string quoted(std::string_view text);
// The first few of them, quoted.
std::string shown_names(std::span<const std::string> names);

}  // namespace rein
