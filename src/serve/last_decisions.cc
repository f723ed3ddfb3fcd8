#include "serve/last_decisions.h"

#include <algorithm>

#include "http/text.h"

namespace rein::serve {

LastDecision& LastDecisions::add(std::uint64_t id) {
  if (entries_.empty()) {  // a model without decisions has no memory for them
    entries_.reserve(kMost);
    next_.resize(kMost + 1);
  }
  const std::size_t place = count_++ % kMost;
  const auto number = static_cast<std::uint16_t>(place + 1);
  if (place == entries_.size()) {
    entries_.emplace_back();
  } else {  // leaves the chain that it is in
    std::uint16_t* link = &head_of(entries_[place].id);
    while (*link != number) link = &next_[*link];
    *link = next_[number];
  }
  LastDecision& entry = entries_[place];
  entry.id = id;
  entry.reward = kMissing;
  entry.state = "open";
  next_[number] = head_of(id);
  head_of(id) = number;
  return entry;
}

LastDecision* LastDecisions::find(std::uint64_t id) {
  for (std::uint16_t at = head_of(id); at != 0; at = next_[at]) {
    if (entries_[at - 1U].id == id) return &entries_[at - 1U];
  }
  return nullptr;
}

const LastDecision& LastDecisions::newest(std::size_t back) const {
  return entries_[(count_ - 1 - back) % kMost];
}

bool has_words(std::string_view text, std::string_view search) {
  const auto same = [](char a, char b) { return lower(a) == lower(b); };
  while (!search.empty()) {
    const std::string_view word = search.substr(0, search.find(' '));
    search.remove_prefix(std::min(search.size(), word.size() + 1));
    if (std::search(text.begin(), text.end(), word.begin(), word.end(), same) == text.end()) return false;
  }
  return true;
}

}  // namespace rein::serve
