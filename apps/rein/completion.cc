// rein completion: what completes `rein` in bash, zsh and fish, made from the options of every verb.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "described.h"
#include "rein/version.h"
#include "verbs.h"

namespace rein::app {
namespace {

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// Inside '...' of a shell.
std::string in_quotes(const std::string& text) { return replaced(text, "'", R"('\'')"); }

std::string option_words(const DescribedVerb& verb) {
  std::vector<std::string> words;
  for (const DescribedOption& option : verb.options) {
    if (!option.positional) words.insert(words.end(), option.names.begin(), option.names.end());
  }
  return fmt::format("{}", fmt::join(words, " "));
}

std::string verb_words(const std::vector<DescribedVerb>& verbs) {
  std::string words;
  for (const DescribedVerb& verb : verbs) words += verb.name + (verb.name.empty() ? "" : " ");
  return words + option_words(verbs.front());
}

// The line of bash that offers what an option or a positional takes.
std::string bash_offer(const DescribedOption& option) {
  switch (option.offer) {
    case Offer::kFiles:
      return "compopt -o filenames 2> /dev/null; COMPREPLY=($(compgen -f -- \"$word\"))";
    case Offer::kFolders:
      return "compopt -o filenames 2> /dev/null; COMPREPLY=($(compgen -d -- \"$word\"))";
    case Offer::kNames:
      return fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$word\"))",
                         fmt::join(option.offered, " "));
    case Offer::kNothing:
      break;
  }
  return "COMPREPLY=()";
}

// Options that take a value, as "'VERB --OPTION'", by the line that offers it.
std::vector<std::pair<std::string, std::vector<std::string>>> bash_values(
    const std::vector<DescribedVerb>& verbs) {
  std::vector<std::pair<std::string, std::vector<std::string>>> values;
  for (const DescribedVerb& verb : verbs) {
    for (const DescribedOption& option : verb.options) {
      if (option.value.empty() || option.positional) continue;
      const std::string offer = bash_offer(option);
      auto found = std::ranges::find(values, offer, [](const auto& value) { return value.first; });
      if (found == values.end()) found = values.insert(found, {offer, {}});
      for (const std::string& name : option.names) {
        found->second.push_back(fmt::format("'{} {}'", verb.name, name));
      }
    }
  }
  return values;
}

void print_bash(const std::vector<DescribedVerb>& verbs) {
  fmt::print(
      "# Completes rein {} in bash. Made by: rein completion bash\n"
      "_rein() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} "
      "verb=${{COMP_WORDS[1]}}\n"
      "  [ \"$word\" = = ] && word=\n"
      "  [ \"$before\" = = ] && before=${{COMP_WORDS[COMP_CWORD - 2]}}\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '{}' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"$verb $before\" in\n",
      version(), verb_words(verbs));
  for (const auto& [offer, cases] : bash_values(verbs)) {
    fmt::print("    {}) {}; return ;;\n", fmt::join(cases, "|"), offer);
  }
  fmt::print("  esac\n  case \"$verb\" in\n");
  for (const DescribedVerb& verb : verbs) {
    if (verb.name.empty()) continue;
    const auto positional = std::ranges::find(verb.options, true, &DescribedOption::positional);
    const std::string rest =
        positional == verb.options.end() ? "COMPREPLY=()" : bash_offer(*positional);
    fmt::print(
        "    {})\n"
        "      case \"$word\" in\n"
        "        -*) COMPREPLY=($(compgen -W '{}' -- \"$word\")) ;;\n"
        "        *) {} ;;\n"
        "      esac ;;\n",
        verb.name, option_words(verb), rest);
  }
  fmt::print("  esac\n}}\ncomplete -F _rein rein\n");
}

// Inside [...] and behind a colon of an _arguments of zsh.
std::string zsh_text(const std::string& text) {
  std::string safe = replaced(text, "\\", "\\\\");
  for (const char* sign : {"[", "]", ":"}) safe = replaced(safe, sign, std::string("\\") + sign);
  return in_quotes(safe);
}

std::string zsh_offer(const DescribedOption& option) {
  switch (option.offer) {
    case Offer::kFiles:
      return "_files";
    case Offer::kFolders:
      return "_files -/";
    case Offer::kNames:
      return fmt::format("({})", fmt::join(option.offered, " "));
    case Offer::kNothing:
      break;
  }
  return "";
}

void print_zsh(const std::vector<DescribedVerb>& verbs) {
  fmt::print(
      "#compdef rein\n# Completes rein {} in zsh. Made by: rein completion zsh\n_rein() {{\n",
      version());
  fmt::print("  local -a verbs=(\n");
  for (const DescribedVerb& verb : verbs) {
    if (!verb.name.empty()) fmt::print("    '{}:{}'\n", verb.name, zsh_text(verb.line));
  }
  fmt::print(
      "  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe verb verbs\n"
      "    compadd -- {}\n"
      "    return\n"
      "  fi\n"
      "  local verb=$words[2]\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $verb in\n",
      option_words(verbs.front()));
  for (const DescribedVerb& verb : verbs) {
    if (verb.name.empty()) continue;
    fmt::print("    {})\n      _arguments", verb.name);
    for (const DescribedOption& option : verb.options) {
      if (option.positional) {
        fmt::print(" \\\n        '{}:{}:{}'", option.repeated ? "*" : "",
                   zsh_text(option.names.front()), zsh_offer(option));
        continue;
      }
      for (const std::string& name : option.names) {
        fmt::print(" \\\n        '{}{}{}[{}]", option.repeated ? "*" : "", name,
                   option.value.empty() || name.size() == 2 ? "" : "=", zsh_text(option.line));
        if (!option.value.empty()) fmt::print(":{}:{}", zsh_text(option.value), zsh_offer(option));
        fmt::print("'");
      }
    }
    fmt::print(" ;;\n");
  }
  fmt::print(
      "  esac\n}}\nif [ \"$funcstack[1]\" = _rein ]; then _rein \"$@\"; else compdef _rein rein; "
      "fi\n");
}

std::string fish_offer(const DescribedOption& option) {
  switch (option.offer) {
    case Offer::kFiles:
      return " -r -F";
    case Offer::kFolders:
      return " -x -a '(__fish_complete_directories)'";
    case Offer::kNames:
      return fmt::format(" -x -a '{}'", fmt::join(option.offered, " "));
    case Offer::kNothing:
      break;
  }
  return " -x";
}

void print_fish(const std::vector<DescribedVerb>& verbs) {
  fmt::print("# Completes rein {} in fish. Made by: rein completion fish\ncomplete -c rein -f\n",
             version());
  for (const DescribedVerb& verb : verbs) {
    const std::string when =
        verb.name.empty() ? "__fish_use_subcommand" : "__fish_seen_subcommand_from " + verb.name;
    if (!verb.name.empty()) {
      fmt::print("complete -c rein -n __fish_use_subcommand -a {} -d '{}'\n", verb.name,
                 in_quotes(verb.line));
    }
    for (const DescribedOption& option : verb.options) {
      fmt::print("complete -c rein -n '{}'", when);
      if (option.positional) {
        fmt::print("{}\n", option.offer == Offer::kFiles ? " -F" : fish_offer(option));
        continue;
      }
      for (const std::string& name : option.names) {
        fmt::print(" -{} {}", name.size() == 2 ? "s" : "l",
                   name.substr(name.find_first_not_of('-')));
      }
      fmt::print("{} -d '{}'\n", option.value.empty() ? "" : fish_offer(option),
                 in_quotes(option.line));
    }
  }
}

}  // namespace

Verb add_completion(CLI::App& program) {
  auto shell = std::make_shared<std::string>();
  CLI::App* verb = program.add_subcommand("completion", "What completes rein in bash, zsh or fish");
  verb->add_option("SHELL", *shell, "bash, zsh or fish")->required();
  verb->footer(
      "It prints the file that the shell reads. For you alone:\n"
      "  rein completion bash > ~/.local/share/bash-completion/completions/rein\n"
      "  rein completion zsh > ~/.zfunc/_rein              (a folder of $fpath)\n"
      "  rein completion fish > ~/.config/fish/completions/rein.fish\n"
      "The Debian package has them in place.");
  return [shell, &program] {
    const std::vector<DescribedVerb> verbs = described(program);
    if (*shell == "bash") {
      print_bash(verbs);
    } else if (*shell == "zsh") {
      print_zsh(verbs);
    } else if (*shell == "fish") {
      print_fish(verbs);
    } else {
      throw UsageError(fmt::format("completion: found \"{}\"; accepted: bash, zsh, fish", *shell));
    }
    return kOk;
  };
}

}  // namespace rein::app
