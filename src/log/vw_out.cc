// Writes Vowpal Wabbit text: actions with features (`cb_adf`), or one line per decision (`cb`). A
// category becomes one word, name and value together, as Vowpal Wabbit reads it from dsjson.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <iterator>

#include "log/text_writer.h"

namespace rein {
namespace {

// The common part of both kinds of text.
class VwText : public TextWriter {
 public:
  using TextWriter::TextWriter;

 protected:
  // Whether text can hold the row; refuses it otherwise.
  bool holds(const LogRow& row) {
    if (std::isnan(row.reward)) {
      notes_.refuse(row.line, "no reward", [] {
        return std::string(
            "a decision without a reward; accepted in text: decisions with their cost");
      });
      return false;
    }
    remark_lost(row, true, true, false, "Vowpal Wabbit text");
    return true;
  }

  // Whether the id can be a tag.
  static bool is_tag(std::string_view id) {
    return !id.empty() && id.find_first_of(" \t|:'") == std::string_view::npos;
  }

  static void label(std::string& out, const LogRow& row, std::int64_t number) {
    fmt::format_to(std::back_inserter(out), "{}:", number);
    append_number(out, 0.0 - row.reward);
    if (!std::isnan(row.propensity)) {
      out += ':';
      append_number(out, row.propensity);
    }
    out += ' ';
  }

  void features(std::string& out, const LogRow& row, const std::vector<NamedFeature>& list) {
    by_space(list, [&](const std::string& space, const auto& group) {
      out += out.empty() || out.back() == '\n' || out.back() == ' ' ? "|" : " |";
      word(out, row, space);
      for (const NamedFeature* feature : group) {
        out += ' ';
        const FeatureName& name = feature->name;
        const bool place = !name.category && is_place(name.name);
        word(out, row, place ? name.name.substr(1, name.name.size() - 2) : name.name);
        if (name.category) word(out, row, name.value);
        if (feature->value == 1.0) continue;
        out += ':';
        append_number(out, feature->value);
      }
    });
  }

 private:
  // `[7]`: a number of a list. Its name in text is 7, which has the same hash.
  static bool is_place(const std::string& name) {
    return name.size() > 2 && name.front() == '[' && name.back() == ']' &&
           name.find_first_not_of("0123456789", 1) == name.size() - 1;
  }

  // Text separates words by spaces, colons and bars.
  void word(std::string& out, const LogRow& row, std::string_view text) {
    for (const char c : text) {
      const bool bad = c == ' ' || c == '\t' || c == '|' || c == ':' || c == '\n' || c == '\r';
      out += bad ? '_' : c;
      if (bad && told_ != row.line) {
        told_ = row.line;
        notes_.remark(row.line, "word", [&] {
          return fmt::format(
              "{}: spaces, colons and bars are written as _, as Vowpal Wabbit reads them "
              "from dsjson",
              quoted(text));
        });
      }
    }
  }

  std::int64_t told_ = 0;  // the last row with such a word
};

class VwWriter final : public VwText {
 public:
  using VwText::VwText;

  Result<> add(const LogRow& row, const LogNames& names) override {
    if (!holds(row)) return {};
    std::string& out = sink_.text();
    const auto shared = context_features(row, names);
    const bool tag = is_tag(row.id);
    if (!shared.empty() || tag) {
      out += "shared ";
      if (tag) out.append("'").append(row.id).append(" ");
      features(out, row, shared);
      if (shared.empty()) out += '|';
      out += '\n';
    }
    for (int place = 0; place < offers_of(row, names); ++place) {
      if (place == row.played) label(out, row, 0);
      const auto own = action_features(row, names, place);
      features(out, row, own);
      if (own.empty()) out += '|';
      out += '\n';
    }
    out += '\n';
    notes_.keep();
    return sink_.flush_some();
  }
};

constexpr std::size_t kMostNamesShown = 20;

// One line per decision. Actions are numbers from 1: their names if these are numbers, else counted in
// the order of the log.
class VwCbWriter final : public VwText {
 public:
  using VwText::VwText;

  Result<> add(const LogRow& row, const LogNames& names) override {
    if (!row.features.begin.empty()) {
      notes_.refuse(row.line, "features", [] {
        return std::string(
            "features of actions, which plain cb has no place for; accepted: actions by name, or "
            "the formats jsonl, dsjson, vw and rlog");
      });
      return {};
    }
    if (!holds(row)) return {};
    const std::string name = action_name(row.action(row.played), names);
    std::int64_t number = number_of(name);
    if (!began_) named_ = number < 1;
    began_ = true;
    if (named_) number = row.action(row.played) + 1;
    if (number < 1) {
      notes_.refuse(row.line, "name", [&] {
        return fmt::format(
            "found action {} after actions that are numbers; accepted: numbers from 1",
            quoted(name));
      });
      return {};
    }
    remark_cb(row, names);
    std::string& out = sink_.text();
    label(out, row, number);
    if (is_tag(row.id)) out.append("'").append(row.id).append(" ");
    const auto context = context_features(row, names);
    features(out, row, context);
    if (context.empty()) out += '|';
    out += '\n';
    notes_.keep();
    return sink_.flush_some();
  }

 private:
  // A whole number from 1 as it is written, else 0.
  static std::int64_t number_of(const std::string& name) {
    std::int32_t number = 0;
    const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), number);
    return code == std::errc() && end == name.data() + name.size() ? number : 0;
  }

  void remark_cb(const LogRow& row, const LogNames& names) {
    if (named_) {
      notes_.remark(row.line, "names", [&] {
        std::string text = "actions are numbers in plain cb:";
        for (std::size_t id = 0; id < names.actions.size() && id < kMostNamesShown; ++id) {
          text += fmt::format("{} {} {}", id == 0 ? "" : ",", id + 1, names.actions[id]);
        }
        return text + (names.actions.size() > kMostNamesShown ? ", ..." : "");
      });
    }
    if (row.actions > 0 && as_size(row.actions) < names.actions.size()) {
      notes_.remark(row.line, "offers", [] {
        return std::string("actions offered are left out: plain cb offers all in every line");
      });
    }
  }

  bool began_ = false;
  bool named_ = false;  // the first action has a name that is no number
};

}  // namespace

MadeWriter write_vw_log(const std::string& path) { return text_writer<VwWriter>(path); }
MadeWriter write_cb_log(const std::string& path) { return text_writer<VwCbWriter>(path); }

}  // namespace rein
