// rein merge: the parts of a comparison that several machines played, as one.
//
// A part is a file of lines. The first is an object: what made it, which share it is, and the words of the
// command. Each other line is a play as the file of --resume has it, with every number to the bit.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>

#include "base/atomic_file.h"
#include "compare_words.h"
#include "numbers.h"
#include "progress.h"
#include "rein/report.h"
#include "rein/sweep.h"
#include "rein/version.h"
#include "serve/json_in.h"
#include "shown.h"
#include "verbs.h"

namespace rein::app {
namespace {

constexpr std::string_view kPartKind = "rein part";
constexpr std::int64_t kMostShards = 1'000'000;

struct Shard {
  std::int64_t number = 1, of = 1;
};

Shard shard_of(const std::string& text) {
  const std::size_t split = text.find('/');
  Shard shard;
  if (split != std::string::npos) {
    shard.of = whole_number("--shard", text.substr(split + 1), 1, kMostShards);
    shard.number = whole_number("--shard", text.substr(0, split), 1, shard.of);
    return shard;
  }
  throw UsageError(fmt::format("--shard: found \"{}\"; accepted: K/N, as 3/16", text));
}

// Plays of one seed share their benchmark, so a share is of seeds where there are enough.
std::vector<Play> share_of(const std::vector<Play>& all, const Shard& shard, std::int64_t seeds) {
  std::vector<Play> out;
  std::int64_t index = -1;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (seeds < shard.of || i == 0 || all[i].seed != all[i - 1].seed) ++index;
    if (index % shard.of == shard.number - 1) out.push_back(all[i]);
  }
  return out;
}

// The words of compare that decide what is played and compared, without those about this machine.
std::vector<std::string> kept_words(const std::vector<std::string>& typed_words) {
  std::vector<std::string> out;
  for (std::size_t i = 2; i < typed_words.size(); ++i) {
    const std::string& word = typed_words[i];
    const auto is = [&](std::string_view name) {
      return word == name || word.starts_with(std::string(name) + "=");
    };
    if (is("--shard") || is("--save") || is("--threads")) {
      if (word.find('=') == std::string::npos) ++i;
      continue;
    }
    out.push_back(word);
  }
  return out;
}

struct Part {
  std::string path;
  std::string version;
  Shard shard;
  std::vector<std::string> words;
  std::vector<std::string> plays;
};

Error wrong_part(const std::string& path, std::string_view why) {
  return Error{fmt::format("{}: {}; accepted: a file that rein compare --shard --save wrote", path, why)};
}

Part read_part(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  if (!std::getline(file, line)) throw Failure(wrong_part(path, "it cannot be read or is empty"));
  Part part{.path = path};
  try {
    const Json head = serve::read_json(line);
    const auto* object = std::get_if<Json::Object>(&head.is);
    std::string kind;
    for (const auto& [key, value] : object == nullptr ? Json::Object() : *object) {
      if (const auto* text = std::get_if<std::string>(&value.is)) {
        (key == "kind" ? kind : part.version) = *text;
      } else if (const auto* list = std::get_if<Json::List>(&value.is)) {
        for (const Json& word : *list) part.words.push_back(std::get<std::string>(word.is));
      } else if (const auto* number = std::get_if<std::int64_t>(&value.is)) {
        (key == "of" ? part.shard.of : part.shard.number) = *number;
      }
    }
    if (kind != kPartKind) throw UsageError(wrong_part(path, "it is no part").message);
  } catch (const serve::Refused&) {
    throw UsageError(wrong_part(path, "its first line is no JSON").message);
  }
  while (std::getline(file, line)) part.plays.push_back(line);
  return part;
}

// All parts of one comparison, once each.
std::vector<Part> read_parts(const std::vector<std::string>& paths) {
  std::vector<Part> parts;
  for (const std::string& path : paths) parts.push_back(read_part(path));
  const Part& first = parts.front();
  std::vector<const Part*> found(static_cast<std::size_t>(std::max<std::int64_t>(first.shard.of, 1)));
  for (const Part& part : parts) {
    const bool same = part.words == first.words && part.shard.of == first.shard.of;
    if (!same || part.version != first.version) {
      throw UsageError(fmt::format("{} and {} are parts of different comparisons or versions; accepted: "
                                   "parts of the same command",
                                   first.path, part.path));
    }
    const auto place = static_cast<std::size_t>(part.shard.number - 1);
    if (place >= found.size()) throw UsageError(wrong_part(part.path, "its share is not one of them").message);
    if (found[place] != nullptr) {
      throw UsageError(fmt::format("{} and {} are both part {} of {}; accepted: each once",
                                   found[place]->path, part.path, part.shard.number, part.shard.of));
    }
    found[place] = &part;
  }
  std::string missing;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] == nullptr) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", i + 1);
  }
  if (missing.empty()) return parts;
  throw UsageError(fmt::format("merge: of {} parts, these are missing: {}; accepted: all of them",
                               first.shard.of, missing));
}

struct MergeWords {
  std::vector<std::string> parts;
  std::string title;
  OutputWords output;
};

int merge_verb(const MergeWords& words, const std::string& command) {
  std::vector<NamedFile> read;
  for (const std::string& path : words.parts) read.push_back({"PART", path});
  check_output(words.output, read);
  const std::vector<Part> parts = read_parts(words.parts);
  if (parts[0].version != version()) {
    throw UsageError(fmt::format("{}: rein {} played it, and this is {}; accepted: the same version", parts[0].path,
                                 parts[0].version, version()));
  }
  CompareWords given;
  CLI::App compare("", "compare");
  add_compare_options(compare, given);
  std::vector<std::string> typed_words = with_units(parts[0].words);
  std::ranges::reverse(typed_words);  // as CLI11 wants it
  try {
    compare.parse(typed_words);
  } catch (const CLI::ParseError& wrong) {
    throw UsageError(fmt::format("{}: {}", parts[0].path, wrong.what()));
  }
  const Experiment experiment = read_experiment(given.experiment);
  CompareOptions options = compare_options(given, experiment.options);
  options.resume.clear();
  Sweep sweep = typed(Sweep::open(experiment.world, experiment.policies, options));
  for (const Part& part : parts) {
    for (const std::string& line : part.plays) {
      if (auto added = sweep.add(line); !added) throw Failure(added.failure().in(part.path + ": "));
    }
  }
  const std::size_t left = sweep.plays().size();
  if (left > 0) {
    throw Failure(fmt::format("merge: {} plays are in no part; was a part written to the end?", left));
  }
  const Comparison comparison = typed(sweep.compare());
  const std::string title = !words.title.empty() ? words.title
                            : given.title.empty() ? titled("compare", comparison.result.world)
                                                  : given.title;
  hand_over(words.output, to_json(comparison, {.title = title, .command = command}),
            to_csv(comparison.result), [&] { print_comparison(comparison, ""); });
  return kOk;
}

constexpr const char* kMergeExamples =
    "Each PART is what one machine wrote by rein compare --shard K/N --save PATH: PATH.json. All N parts of\n"
    "the same command are needed, in any order. The result has the same bits as one run of the command.\n"
    "\n"
    "Examples:\n"
    "  rein compare --policies ccb,squarecb --seeds 1000 --shard 1/2 --save part1\n"
    "  rein compare --policies ccb,squarecb --seeds 1000 --shard 2/2 --save part2\n"
    "  rein merge part*.json --report out.html";

}  // namespace

int shard_verb(const CompareWords& words, const std::vector<std::string>& typed_words) {
  const Shard shard = shard_of(words.shard);
  if (words.output.save.empty() || words.output.json || words.output.csv || !words.output.report.empty() ||
      !words.resume.empty() || words.fresh) {
    throw UsageError("--shard: accepted: with --save PATH, and without --report, --json, --csv, --resume and "
                     "--fresh; rein merge has them");
  }
  const Experiment experiment = read_experiment(words.experiment);
  const std::string path = words.output.save + ".json";
  check_writable(path).check();
  CompareOptions options = compare_options(words, experiment.options);
  options.resume.clear();
  const Sweep sweep = typed(Sweep::open(experiment.world, experiment.policies, options));
  const std::vector<Play> mine = share_of(sweep.plays(), shard, options.run.seeds);
  RunOptions run = sweep.options();
  run.threads = experiment.options.threads;
  const std::vector<std::string> lines = with_progress(
      run.progress, [&] { return typed(play_lines(experiment.world, mine, run)); });
  Json::List command;
  for (const std::string& word : kept_words(typed_words)) command.emplace_back(word);
  std::string text = Json(Json::Object{{"kind", std::string(kPartKind)},
                                       {"version", std::string(version())},
                                       {"shard", shard.number},
                                       {"of", shard.of},
                                       {"words", std::move(command)}})
                         .str();
  text += "\n";
  for (const std::string& line : lines) text += line.ends_with('\n') ? line : line + "\n";
  write_whole(path, text).check();
  fmt::print("part {} of {}: {} of {} plays, in {}\n", shard.number, shard.of, lines.size(),
             sweep.plays().size(), path);
  return kOk;
}

Verb add_merge(CLI::App& program, const std::vector<std::string>& typed_words) {
  auto words = std::make_shared<MergeWords>();
  CLI::App* verb =
      program.add_subcommand("merge", "one comparison from the parts of rein compare --shard");
  verb->add_option("PART", words->parts, "Files of all parts")->required();
  add_report(*verb, words->output);
  verb->add_option("--title", words->title, "title of the report [that of the comparison]");
  verb->add_flag("--json", words->output.json, "print the report's JSON object (docs/json.md)");
  verb->add_flag("--csv", words->output.csv, "print one row per policy and seed, as CSV");
  add_save(*verb, words->output);
  verb->footer(kMergeExamples);
  return [words, typed_words] { return merge_verb(*words, command_line(typed_words)); };
}

}  // namespace rein::app
