// A log in Vowpal Wabbit text. Text that Vowpal Wabbit accepts silently but reads with another
// meaning is refused here, or kept with a remark (docs/vw.md).
#include <fmt/format.h>

#include <optional>

#include "log/line_file.h"
#include "log/notes.h"
#include "log/readers.h"
#include "log/vw_line.h"

namespace rein {
namespace {

constexpr double kNothing = 0.0;  // 0 - cost: a cost of 0 is no reward of -0

class VwLog : public LogReader {
 public:
  VwLog(LineFile file, const LogOptions& options)
      : file_(std::move(file)),
        options_(options),
        notes_(file_.path()),
        table_(names_.features),
        features_(table_) {}
  const LogNames& names() const override { return names_; }
  const LogReport& report() const override { return notes_.report(); }
  std::int64_t bytes_read() const override { return file_.position(); }
  std::int64_t bytes() const override { return file_.size(); }

 protected:
  // The next line; remarks mixed line ends once.
  Result<bool> next_line() {
    auto found_line = file_.next(text_, ends_);
    if (file_.mixed_ends() && !told_ends_) {
      told_ends_ = true;
      notes_.say(file_.line(), "line ends",
                 [] { return std::string("lines end in LF and in CRLF; both are accepted"); });
    }
    return found_line;
  }

  bool is_blank() const {
    if (!text_.empty() && text_[0] != ' ' && text_[0] != '\t') return false;  // most lines
    return text_.find_first_not_of(" \t") == std::string_view::npos;
  }

  // Whether the line is a comment. Vowpal Wabbit takes it for an action.
  bool is_comment() {
    if (!text_.starts_with('#') || text_.find('|') != std::string_view::npos) return false;
    notes_.say(file_.line(), "comment", [] {
      return std::string(
          "a line that begins with # is left out; Vowpal Wabbit takes it for an action");
    });
    return true;
  }

  // Reads the label. Returns what is wrong with the label; empty if nothing is.
  std::string read_label(const VwHead& head, LogRow& row) {
    row.reward = kNothing - head.cost;
    row.propensity = head.probability;
    if (head.has_probability) return wrong_propensity(head.probability, options_.least_propensity);
    notes_.remark(file_.line(), "no probability", [] {
      return std::string(
          "a label without a probability: it is unknown. Vowpal Wabbit learns nothing "
          "from such a decision");
    });
    return {};
  }

  Result<> read_features(std::size_t from, FeatureList& out) {
    out.begin_list();
    auto read = features_.read(text_.data() + from, ends_, out);
    if (read && out.end_list()) {
      notes_.remark(file_.line(), "twice",
                    [] { return std::string("a feature comes twice: its values are added"); });
    }
    return read;
  }

  LineFile file_;
  LogOptions options_;
  Notes notes_;
  LogNames names_;
  FeatureTable table_;
  VwFeatures features_;
  RowBuffer buffer_;
  std::string_view text_;
  std::span<const char* const> ends_;  // of its words
  VwHead head_;
  bool told_ends_ = false;
};

// Lines up to a blank line are one decision: the shared features, then one line per action.
class VwAdf final : public VwLog {
 public:
  using VwLog::VwLog;

  Result<bool> next(LogRow& row) override {
    for (;;) {
      start(row);
      for (;;) {
        auto found_line = next_line();
        if (!found_line) return found_line;
        if (!found_line.value()) {
          if (lines_ == 0) return false;
          break;
        }
        if (is_blank()) {
          if (lines_ == 0) continue;
          break;
        }
        if (is_comment()) continue;
        if (lines_++ == 0) row.line = file_.line();
        if (!refused_) add_line(row);
      }
      if (!finish(row)) continue;
      return true;
    }
  }

 private:
  void start(LogRow& row) {
    row = LogRow();
    buffer_.clear();
    buffer_.begin.push_back(0);
    table_.restart();
    lines_ = 0;
    labels_ = 0;
    refused_ = false;
  }

  template <class Message>
  void refuse(std::string_view kind, const Message& message) {
    refused_ = true;
    notes_.refuse(file_.line(), kind, message);
  }

  void add_line(LogRow& row) {
    if (text_.starts_with('|')) {  // most lines: an action without a label
      if (auto read = read_features(0, buffer_.features); !read) {
        return refuse("features", [&] { return read.error(); });
      }
      return add_action(row);
    }
    if (auto read = read_vw_head(text_, head_); !read) {
      return refuse("label", [&] { return read.error(); });
    }
    if (head_.shared && lines_ > 1) {
      return refuse("shared", [] {
        return std::string(
            "found \"shared\" after the first line of the decision, which Vowpal Wabbit "
            "takes for an action; accepted: only the first line");
      });
    }
    if (lines_ == 1) buffer_.id = head_.tag;
    FeatureList& list = head_.shared ? buffer_.shared : buffer_.features;
    if (auto read = read_features(head_.bar, list); !read) {
      return refuse("features", [&] { return read.error(); });
    }
    if (head_.shared) return;
    if (head_.labelled) {
      if (++labels_ > 1) {
        return refuse("labels", [] {
          return std::string("found a second action with a cost; accepted: one");
        });
      }
      row.played = row.actions;
      if (auto wrong = read_label(head_, row); !wrong.empty()) {
        return refuse("probability", [&] { return wrong; });
      }
    }
    add_action(row);
  }

  void add_action(LogRow& row) {
    ++row.actions;
    if (row.actions > kMaxActions) {
      return refuse("actions", [] {
        return fmt::format("found more than {} actions; accepted: fewer", kMaxActions);
      });
    }
    buffer_.begin.push_back(static_cast<std::int32_t>(buffer_.features.size()));
  }

  bool finish(LogRow& row) {
    if (!refused_ && labels_ == 0) {
      refuse("unlabelled", [] {
        return std::string(
            "found a decision without a cost; accepted: one action with "
            "NUMBER:COST:PROBABILITY");
      });
    }
    if (refused_) return false;
    buffer_.show(row);
    notes_.keep();
    return true;
  }

  int lines_ = 0;
  int labels_ = 0;
  bool refused_ = false;
};

// One line per decision: `action:cost:probability | features`.
class VwCb final : public VwLog {
 public:
  VwCb(LineFile file, const LogOptions& options) : VwLog(std::move(file), options) {
    names_.actions = options.actions;
    actions_.emplace(names_.actions);
  }

  Result<bool> next(LogRow& row) override {
    for (;;) {
      auto found_line = next_line();
      if (!found_line || !found_line.value()) return found_line;
      if (is_blank() || is_comment()) continue;
      row = LogRow();
      row.line = file_.line();
      buffer_.clear();
      table_.restart();
      if (auto wrong = read(row); !wrong.empty()) {
        notes_.refuse(row.line, kind_, [&] { return wrong; });
        continue;
      }
      buffer_.show(row);
      notes_.keep();
      return true;
    }
  }

 private:
  std::string read(LogRow& row) {
    kind_ = "label";
    if (auto done = read_vw_head(text_, head_); !done) return done.error();
    if (head_.shared) return "found \"shared\"; accepted: one line per decision, or --vw adf";
    if (!head_.labelled)
      return "found a decision without a cost; accepted: ACTION:COST:PROBABILITY";
    buffer_.id = head_.tag;
    kind_ = "action";
    row.played =
        options_.actions.empty() ? actions_->number(head_.action) : actions_->find(head_.action);
    if (row.played < 0)
      return fmt::format("found action {}; accepted: those given", quoted(head_.action));
    kind_ = "probability";
    if (auto wrong = read_label(head_, row); !wrong.empty()) return wrong;
    kind_ = "features";
    auto done = read_features(head_.bar, buffer_.shared);
    return done ? std::string() : done.error();
  }

  std::optional<NameTable> actions_;
  std::string_view kind_;
};

// Text with a shared line, a blank line between others, or a line without a label has actions with
// features.
bool looks_adf(std::string_view start) {
  bool lines = false, blank = false;
  while (!start.empty()) {
    const std::size_t end = start.find('\n');
    if (end == std::string_view::npos && lines) break;  // it may be cut off
    std::string_view line = start.substr(0, end);
    start.remove_prefix(end == std::string_view::npos ? start.size() : end + 1);
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t'))
      line.remove_suffix(1);
    if (line.empty()) {
      blank = lines;
      continue;
    }
    if (line[0] == '#') continue;
    if (blank || line.starts_with("shared")) return true;
    VwHead head;
    if (read_vw_head(line, head) && !head.labelled) return true;
    lines = true;
  }
  return false;
}

}  // namespace

MadeReader read_vw_log(const std::string& path, const LogOptions& options) {
  auto opened = LineFile::open(path, kVwMarks);
  if (!opened) return opened.failure();
  LineFile file = std::move(opened).value();
  const bool adf = options.vw == LogOptions::Vw::kAuto ? looks_adf(file.start())
                                                       : options.vw == LogOptions::Vw::kAdf;
  if (adf) return std::make_unique<VwAdf>(std::move(file), options);
  return std::make_unique<VwCb>(std::move(file), options);
}

}  // namespace rein
