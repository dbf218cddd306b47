#pragma once

/// @file
/// The lexicon in the form in which it is searched: stems to the lines that hold them.

#include <codemode/contract/search/lexicon.hpp>
#include <codemode/contract/search/words.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace contract {
namespace search {

/// What a word's place in a line is worth.
enum class relation : std::uint8_t { abbreviation, action, object };

/// One word of the lexicon that another stands for.
struct relative {
  std::string_view stem{};
  relation kind = relation::object;
};

/// Finds what words stand for. Built once, then const; some 150 kB.
class lexicon_map {
 public:
  lexicon_map() {
    for (const std::string_view l : abbreviations) add_line(l, relation::abbreviation);
    for (const std::string_view l : action_lines) add_line(l, relation::action);
    for (const std::string_view l : object_lines) add_line(l, relation::object);
    std::sort(entries_.begin(), entries_.end(), [&](const entry& a, const entry& b) {
      const int order = text(a).compare(text(b));
      return order != 0 ? order < 0 : a.line < b.line;
    });
    add_words(stop_words, stop_, false);
    add_words(weak_words, weak_, true);
    for (const std::string_view l : phrases) add_phrase(l);
    std::stable_sort(phrases_.begin(), phrases_.end(),
                     [](const phrase& a, const phrase& b) { return a.size > b.size; });
  }

  /// By the folded word, not by its stem.
  [[nodiscard]] bool is_stop_word(std::string_view folded) const noexcept { return has(stop_, folded); }
  [[nodiscard]] bool is_weak_word(std::string_view stem) const noexcept { return has(weak_, stem); }

  /// Whether the stem stands in a line of actions, or of objects.
  [[nodiscard]] bool is_action(std::string_view stem) const noexcept { return in_kind(stem, relation::action); }
  [[nodiscard]] bool is_object(std::string_view stem) const noexcept { return in_kind(stem, relation::object); }

  /// Calls `f(line_kind, members, head)` for each line that `stem` stands in: the stems of the line.
  template <class F>
  void for_each_line(std::string_view stem, F&& f) const {
    for (auto at = lower(stem); at != entries_.end() && text(*at) == stem; ++at) {
      const line& l = lines_[at->line];
      // The long forms of an abbreviation do not stand for each other.
      if (l.kind == relation::abbreviation && at->place != 0) {
        f(l.kind, std::span<const std::pair<std::uint32_t, std::uint8_t>>{members_}.subspan(l.begin, 1), at->place == 0);
        continue;
      }
      f(l.kind, std::span<const std::pair<std::uint32_t, std::uint8_t>>{members_}.subspan(l.begin, l.count), at->place == 0);
    }
  }
  [[nodiscard]] std::string_view member(const std::pair<std::uint32_t, std::uint8_t>& m) const noexcept {
    return std::string_view{text_}.substr(m.first, m.second);
  }

  /// The longest phrase that `stems` begin with: how many words it takes (0: none) and what it stands for.
  [[nodiscard]] std::size_t match_phrase(std::span<const word> stems, std::string_view& meaning) const noexcept {
    for (const phrase& p : phrases_) {
      if (p.size > stems.size() || p.words[0].view() != stems[0].view()) continue;
      bool same = true;
      for (std::size_t i = 1; same && i < p.size; ++i) same = p.words[i].view() == stems[i].view();
      if (!same) continue;
      meaning = p.meaning;
      return p.size;
    }
    return 0;
  }

  /// Bytes on the heap.
  [[nodiscard]] std::size_t memory() const noexcept {
    return text_.capacity() + entries_.capacity() * sizeof(entry) + lines_.capacity() * sizeof(line) +
           members_.capacity() * sizeof(members_[0]) + phrases_.capacity() * sizeof(phrase) +
           (stop_.capacity() + weak_.capacity()) * sizeof(word);
  }

 private:
  struct entry {
    std::uint32_t begin;
    std::uint16_t line;
    std::uint8_t size;
    std::uint8_t place;  // in the line
  };
  struct line {
    std::uint32_t begin;
    std::uint16_t count;
    relation kind;
  };
  struct phrase {
    static constexpr std::size_t most = 5;
    word words[most]{};
    std::size_t size = 0;
    std::string_view meaning{};
  };

  [[nodiscard]] std::string_view text(const entry& e) const noexcept {
    return std::string_view{text_}.substr(e.begin, e.size);
  }
  [[nodiscard]] std::vector<entry>::const_iterator lower(std::string_view stem) const noexcept {
    return std::lower_bound(entries_.begin(), entries_.end(), stem,
                            [&](const entry& e, std::string_view s) { return text(e) < s; });
  }
  [[nodiscard]] bool in_kind(std::string_view stem, relation kind) const noexcept {
    for (auto at = lower(stem); at != entries_.end() && text(*at) == stem; ++at)
      if (lines_[at->line].kind == kind) return true;
    return false;
  }
  [[nodiscard]] static bool has(const std::vector<word>& list, std::string_view s) noexcept {
    const auto at = std::lower_bound(list.begin(), list.end(), s,
                                     [](const word& w, std::string_view v) { return w.view() < v; });
    return at != list.end() && at->view() == s;
  }
  template <class F>
  static void for_each_piece(std::string_view text, char separator, F&& f) {
    while (!text.empty()) {
      const std::size_t end = (std::min)(text.find(separator), text.size());
      if (end != 0) f(text.substr(0, end));
      text.remove_prefix((std::min)(end + 1, text.size()));
    }
  }
  static void add_words(std::string_view text, std::vector<word>& to, bool stemmed) {
    for_each_piece(text, ' ', [&](std::string_view w) { to.push_back(stemmed ? stem(w) : word(w)); });
    std::sort(to.begin(), to.end(), [](const word& a, const word& b) { return a.view() < b.view(); });
  }
  void add_line(std::string_view text, relation kind) {
    line l{static_cast<std::uint32_t>(members_.size()), 0, kind};
    for_each_piece(text, ' ', [&](std::string_view piece) {
      word joined;  // "pull_request": stems joined as the index joins neighbours in names
      for_each_piece(piece, '_', [&](std::string_view w) {
        if (!joined.empty()) joined.append("_");
        joined.append(stem(w).view());
      });
      const auto begin = static_cast<std::uint32_t>(text_.size());
      text_ += joined.view();
      const auto size = static_cast<std::uint8_t>(joined.size());
      entries_.push_back({begin, static_cast<std::uint16_t>(lines_.size()), size, static_cast<std::uint8_t>(l.count)});
      members_.emplace_back(begin, size);
      ++l.count;
    });
    lines_.push_back(l);
  }
  void add_phrase(std::string_view text) {
    const std::size_t equals = text.find('=');
    phrase p;
    p.meaning = text.substr(equals + 1);
    for_each_piece(text.substr(0, equals), ' ', [&](std::string_view w) {
      if (p.size < phrase::most) p.words[p.size++] = stem(w);
    });
    phrases_.push_back(p);
  }

  std::string text_;
  std::vector<entry> entries_;
  std::vector<line> lines_;
  std::vector<std::pair<std::uint32_t, std::uint8_t>> members_;
  std::vector<phrase> phrases_;
  std::vector<word> stop_;
  std::vector<word> weak_;
};

}  // namespace search
}  // namespace contract
}  // namespace v0_1
}  // namespace codemode
