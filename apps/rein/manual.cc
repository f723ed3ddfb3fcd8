// rein manual: the manual pages rein.1 and rein-VERB.1, made from what --help shows.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "base/atomic_file.h"
#include "described.h"
#include "rein/version.h"
#include "verbs.h"

namespace rein::app {
namespace {

// Text for roff: no sign of it may mean a command.
std::string roff(std::string_view text) {
  std::string safe;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) safe += "\\&";
    if (c == '\\') {
      safe += "\\e";
    } else if (c == '-') {
      safe += "\\-";
    } else {
      safe += c;
    }
    line_begins = c == '\n';
  }
  return safe;
}

std::string upper(std::string text) {
  for (char& c : text) c = 'a' <= c && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

std::string page_name(const DescribedVerb& verb) {
  return verb.name.empty() ? "rein" : "rein-" + verb.name;
}

std::string option_text(const DescribedOption& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(name));
  }
  if (!option.value.empty() && !option.positional)
    names += fmt::format(" \\fI{}\\fR", roff(option.value));
  if (option.repeated) names += " ...";
  std::string line = roff(option.line);
  if (!option.initial.empty()) line += fmt::format("\nThe default is {}.", roff(option.initial));
  return fmt::format(".TP\n{}\n{}\n", names, line);
}

std::string synopsis(const DescribedVerb& verb) {
  if (verb.name.empty()) return ".B rein\n.I VERB\n[\\fIOPTIONS\\fR]\n";
  std::string text = fmt::format(".B rein {}\n", roff(verb.name));
  bool options = false;
  for (const DescribedOption& option : verb.options) options = options || !option.positional;
  if (options) text += "[\\fIOPTIONS\\fR]\n";
  for (const DescribedOption& option : verb.options) {
    if (!option.positional) continue;
    const std::string name = fmt::format("\\fI{}\\fR", roff(option.names.front()));
    text += option.required ? name + "\n" : "[" + name + "]\n";
  }
  return text;
}

std::string manual_page(const DescribedVerb& verb, const std::vector<DescribedVerb>& all) {
  const std::string name = page_name(verb);
  std::string text = fmt::format(
      ".\\\" Made by: rein manual\n.TH {} 1 \"\" \"rein {}\" \"User Commands\"\n"
      ".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}",
      roff(upper(name)), version(), roff(name), roff(verb.line), synopsis(verb));
  std::string group;
  for (const DescribedOption& option : verb.options) {
    if (option.group != group) text += fmt::format(".SH {}\n", roff(upper(option.group)));
    group = option.group;
    text += option_text(option);
  }
  if (verb.name.empty()) {
    text += ".SH VERBS\n";
    for (const DescribedVerb& other : all) {
      if (!other.name.empty())
        text += fmt::format(".TP\n\\fBrein {}\\fR\n{}\n", roff(other.name), roff(other.line));
    }
  }
  if (!verb.footer.empty()) text += fmt::format(".SH NOTES\n.nf\n{}\n.fi\n", roff(verb.footer));
  text += ".SH SEE ALSO\n";
  if (!verb.name.empty()) return text + ".BR rein (1)\n";
  std::string others;
  for (const DescribedVerb& other : all) {
    if (!other.name.empty())
      others += fmt::format("{}.BR {} (1)", others.empty() ? "" : ",\n", roff(page_name(other)));
  }
  return text + others + "\n";
}

}  // namespace

Verb add_manual(CLI::App& program) {
  auto folder = std::make_shared<std::string>();
  CLI::App* verb =
      program.add_subcommand("manual", "Write the manual pages rein.1 and rein-VERB.1");
  verb->add_option("DIR", *folder, "Folder to write them to; it is made if it is not there")
      ->required();
  verb->footer(
      "  rein manual ~/.local/share/man/man1\n"
      "  man rein-serve\n"
      "The Debian package has them in place.");
  return [folder, &program] {
    std::error_code failed;
    std::filesystem::create_directories(*folder, failed);
    if (failed) throw Failure(fmt::format("{}: {}", *folder, failed.message()));
    const std::vector<DescribedVerb> verbs = described(program);
    for (const DescribedVerb& one : verbs) {
      write_whole(*folder + "/" + page_name(one) + ".1", manual_page(one, verbs)).check();
    }
    fmt::print("{} pages in {}\n", verbs.size(), *folder);
    return kOk;
  };
}

}  // namespace rein::app
