// Damage to the files of a folder: bits flipped, files cut off, ranges of zeros, files deleted, and
// files of earlier times, each alone and in pairs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "journal/folder_model.h"

namespace rein {

// The files of a folder, by their paths in it. A file that is not there is not in the map.
using Files = std::map<std::string, std::string>;

inline Files files_in(const std::string& folder) {
  Files files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    files[std::filesystem::relative(entry.path(), folder)] = bytes_in(entry.path());
  }
  return files;
}

// The folder then has these files and no others.
inline void put_files(const std::string& folder, const Files& files) {
  for (const auto& [name, bytes] : files_in(folder)) {
    if (!files.contains(name)) std::filesystem::remove(folder + "/" + name);
  }
  for (const auto& [name, bytes] : files) {
    std::filesystem::create_directories(std::filesystem::path(folder + "/" + name).parent_path());
    put_bytes(folder + "/" + name, bytes);
  }
}

// `make test-damage` looks at every position; tests look at some.
inline bool every_damage() { return std::getenv("REIN_EVERY_DAMAGE") != nullptr; }

// One file is damaged at every `step`-th position: each(what, files).
template <class Each>
void for_each_damage(const Files& now, std::size_t step, Each each) {
  constexpr std::size_t kZeros = 512;  // a sector
  for (const auto& [name, bytes] : now) {
    Files damaged = now;
    damaged.erase(name);
    each(name + " deleted", damaged);
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      const std::string place = " at " + std::to_string(at) + " of " + std::to_string(bytes.size());
      std::string& file = damaged[name] = bytes;
      file[at] ^= static_cast<char>(1 << (at / step % 8));
      each(name + " flipped" + place, damaged);
      damaged[name] = bytes.substr(0, at);
      each(name + " cut off" + place, damaged);
      std::string& zeroed = damaged[name] = bytes;
      std::fill_n(zeroed.begin() + static_cast<std::ptrdiff_t>(at),
                  std::min(kZeros, bytes.size() - at), '\0');
      each(name + " zeroed" + place, damaged);
    }
  }
}

// Files of an earlier time beside those of now: each(what, files, names of the old ones).
template <class Each>
void for_each_old_copy(const Files& now, const std::vector<Files>& earlier, Each each) {
  std::vector<std::string> names;
  for (const auto& [name, bytes] : now) names.push_back(name);
  for (std::size_t time = 0; time < earlier.size(); ++time) {
    for (std::size_t a = 0; a < names.size(); ++a) {
      for (std::size_t b = a; b < names.size(); ++b) {
        Files mixed = now;
        for (const std::string& name : {names[a], names[b]}) {
          const auto old = earlier[time].find(name);
          if (old == earlier[time].end()) {
            mixed.erase(name);
          } else {
            mixed[name] = old->second;
          }
        }
        each("of time " + std::to_string(time) + ": " + names[a] + " and " + names[b], mixed,
             std::vector<std::string>{names[a], names[b]});
      }
    }
  }
}

}  // namespace rein
