#pragma once

/// @file
/// Asking the index: which tools fit a query, how well, and on what evidence.
///
/// A query becomes a few *slots*, one for each word that says something. A slot holds the terms of the index that
/// may stand for the word, each with a weight: the word itself, its abbreviation or long form, a word of about the
/// same meaning, a word one slip of the hand away. A tool's evidence for a slot is the best of them, never
/// their sum, so that a tool is not rewarded for a long list of synonyms. What a slot is worth is how rare its
/// terms are. Cost grows with the postings that are met, not with the catalog.

#include <codemode/contract/search/index.hpp>
#include <codemode/contract/search/words.hpp>
#include <codemode/contract/tool_catalog.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace contract {
namespace search {

/// A term that may stand for a word of the query.
struct expansion {
  term_id term = no_term;
  float weight = 1;  ///< 1: the word itself
};

/// A word of the query, or a phrase, that says something.
struct slot {
  static constexpr std::size_t most_expansions = 28;

  std::array<expansion, most_expansions> terms{};
  std::size_t count = 0;
  float mass = 0;           ///< what it is worth
  std::size_t begin = 0;    ///< bytes in the query
  std::size_t end = 0;
  bool weak = false;        ///< counts if met; nothing is missing without it
  bool action = false;      ///< what is to be done
  bool server = false;      ///< names a server
  bool known = false;       ///< the word itself is in the index
  bool literal = false;     ///< looks like a value: capitals, digits, quotes

  void add(term_id term, float weight) noexcept {
    for (std::size_t i = 0; i < count; ++i)
      if (terms[i].term == term) {
        terms[i].weight = (std::max)(terms[i].weight, weight);
        return;
      }
    if (count < most_expansions) terms[count++] = {term, weight};
  }
};

/// How a tool's name occurs in the query.
enum class named : std::uint8_t {
  no,
  whole,       ///< the query is the name and nothing else that counts
  written,     ///< the name stands in the query as it is written, and is unmistakable (`create_issue`, `getPage`)
  reference    ///< the toolRef stands in the query
};

/// A tool that fits, with the evidence.
struct hit {
  std::uint32_t tool = 0;
  float score = 0;
  float coverage = 0;       ///< share of what the query asks for that the tool answers, 0 to 1
  float direct = 0;         ///< the same without words that only mean about the same
  float name_coverage = 0;  ///< share of the tool's name that the query asks for
  float action = 0;         ///< evidence for the action asked for; 1 if none is
  named name = named::no;
};

/// Scratch memory of a search; reused, so that a search allocates only while this grows. One for each thread.
class workspace {
 public:
  std::vector<hit> hits;             ///< the best tools, best first
  std::array<slot, 24> slots{};
  std::size_t slot_count = 0;
  float mass = 0;                    ///< of all slots that must be met
  bool asks_action = false;

 private:
  friend class searcher;
  struct tally {
    std::uint32_t epoch = 0;
    std::uint32_t slot = 0;  // the last one that touched it
    float score = 0, coverage = 0, direct = 0, name = 0, action = 0;
    float best = 0, best_direct = 0;
    bool best_in_name = false;
    bool on_server = false;
    named name_kind = named::no;
  };
  std::vector<tally> tallies;
  std::vector<std::uint32_t> touched;
  std::vector<std::uint32_t> slot_touched;
  std::array<word, 48> stems{};
  std::array<cut_word, 48> words{};
  std::size_t word_count = 0;
  std::uint32_t epoch = 0;
};

namespace detail {

/// Whether at most `most` slips (a letter dropped, added, changed, or two neighbours exchanged) part two words.
[[nodiscard]] constexpr bool within_slips(std::string_view a, std::string_view b, unsigned most) noexcept {
  constexpr std::size_t longest = 24;
  if (a.size() > longest || b.size() > longest) return false;
  if (a.size() > b.size() + most || b.size() > a.size() + most) return false;
  std::array<std::uint8_t, longest + 1> before{};
  std::array<std::uint8_t, longest + 1> last{};
  std::array<std::uint8_t, longest + 1> row{};
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = static_cast<std::uint8_t>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<std::uint8_t>(i);
    std::uint8_t least = row[0];
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      unsigned d = (std::min)({last[j] + 1U, row[j - 1] + 1U, last[j - 1] + (same ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) d = (std::min)(d, before[j - 2] + 1U);
      row[j] = static_cast<std::uint8_t>(d);
      least = (std::min)(least, row[j]);
    }
    if (least > most) return false;
    before = last;
    last = row;
  }
  return last[b.size()] <= most;
}

}  // namespace detail

/// Searches an index. Two references; copy freely.
class searcher {
 public:
  searcher(const inverted_index& index, const tool_catalog& catalog) noexcept : index_(index), catalog_(catalog) {}

  /// Fills `to.hits` with at most `limit` tools, best first, equals by toolRef. Tools without any evidence are left
  /// out; one whose name or reference stands in the query never is, unless there are more of those than
  /// `limit`. Any bytes are a query. The catalog must be the one that was indexed.
  void find(std::string_view query, std::size_t limit, workspace& to) const {
    begin(to);
    cut(query, to);
    make_slots(query, to);
    for (std::uint32_t i = 0; i < to.slot_count; ++i) score(i, to);
    find_names(query, to);
    collect(limit, to);
  }

  /// How a tool meets a slot, for explanations: 0 if it does not, 1 for the word itself, 2 for another.
  [[nodiscard]] int meets(const slot& s, std::uint32_t tool, bool& in_name) const noexcept {
    int how = 0;
    in_name = false;
    float best = 0;
    for (std::size_t i = 0; i < s.count; ++i) {
      const auto list = index_.postings(s.terms[i].term);
      const auto at = std::lower_bound(list.begin(), list.end(), tool,
                                       [](const posting& p, std::uint32_t t) { return p.tool() < t; });
      if (at == list.end() || at->tool() != tool) continue;
      const float value = s.terms[i].weight * at->impact();
      if (value <= best) continue;
      best = value;
      how = s.terms[i].weight >= 0.8F ? 1 : 2;
      in_name = at->in_name();
    }
    return how;
  }

 private:
  static constexpr float near_weight = 0.92F;      // an abbreviation and its long form
  static constexpr float action_weight = 0.62F;    // another word for what is done
  static constexpr float object_weight = 0.55F;    // another word for what it is done to
  static constexpr float slip_weight = 0.75F;
  static constexpr float prefix_weight = 0.65F;
  static constexpr float full_evidence = 0.40F;    // an impact from which on a word counts as met in full
  static constexpr float unknown_mass = 0.45F;     // of the rarest word: a word that no tool has may be a mere value
  static constexpr float least_mass = 0.2F;        // of the rarest word: what every known word is worth

  void begin(workspace& w) const {
    if (w.tallies.size() < index_.tool_count()) w.tallies.resize(index_.tool_count());
    if (++w.epoch == 0) {
      for (auto& t : w.tallies) t.epoch = 0;
      w.epoch = 1;
    }
    w.touched.clear();
    w.hits.clear();
    w.slot_count = 0;
    w.word_count = 0;
    w.mass = 0;
    w.asks_action = false;
  }

  static void cut(std::string_view query, workspace& w) {
    for_each_word(query, [&](const cut_word& c) {
      if (w.word_count == w.words.size()) return;
      w.words[w.word_count] = c;
      w.stems[w.word_count++] = stem(c.folded.view());
    });
  }

  /// Whether the word stands where values stand: in quotes, in a path, with digits, or with a capital inside a
  /// sentence.
  [[nodiscard]] static bool looks_literal(std::string_view query, const cut_word& c, std::size_t place) noexcept {
    if (c.has_digit) return true;
    const char before = c.begin > 0 ? query[c.begin - 1] : ' ';
    const char after = c.end < query.size() ? query[c.end] : ' ';
    if (before == '"' || before == '`' || before == '#' || before == '@' || before == '/' || before == '\\') return true;
    if (after == '"' || after == '`' || after == '/' || after == '@') return true;
    if (after == '.' && c.end + 1 < query.size() && query[c.end + 1] != ' ') return true;
    if (c.capital && place > 0) {
      const bool shouting = c.end - c.begin > 1 && query[c.begin + 1] >= 'A' && query[c.begin + 1] <= 'Z';
      const bool sentence = before == ' ' && c.begin >= 2 && (query[c.begin - 2] == '.' || query[c.begin - 2] == '!' || query[c.begin - 2] == '?');
      return !shouting && !sentence;
    }
    return false;
  }

  void make_slots(std::string_view query, workspace& w) const {
    const lexicon_map& lexicon = index_.lexicon();
    bool has_action = false;
    std::size_t pure_action = w.slots.size();
    for (std::size_t i = 0; i < w.word_count && w.slot_count < w.slots.size();) {
      slot& s = w.slots[w.slot_count];
      s = slot{};
      s.begin = w.words[i].begin;
      std::string_view meaning;
      const std::size_t phrase = lexicon.match_phrase(std::span{w.stems}.subspan(i, w.word_count - i), meaning);
      if (phrase > 0) {
        s.end = w.words[i + phrase - 1].end;
        i += phrase;
        if (meaning.empty()) continue;
        fill_phrase(meaning, s);
        s.action = true;
      } else {
        const cut_word& c = w.words[i];
        const word& stem = w.stems[i];
        s.end = c.end;
        ++i;
        if (lexicon.is_stop_word(c.folded.view())) continue;
        if (c.folded.size() < 2 && static_cast<unsigned char>(c.folded.view()[0]) < 0x80) continue;
        s.literal = looks_literal(query, c, w.slot_count);
        s.server = index_.names_server(stem.view());
        s.weak = lexicon.is_weak_word(stem.view());
        fill_word(stem, i < w.word_count ? &w.stems[i] : nullptr, i >= 2 ? &w.stems[i - 2] : nullptr, s);
        const bool action = lexicon.is_action(stem.view());
        s.action = action && !s.server;
        if (action && !lexicon.is_object(stem.view()) && pure_action == w.slots.size()) pure_action = w.slot_count;
      }
      if (s.action && w.slot_count == 0) has_action = true;
      weigh(s);
      ++w.slot_count;
    }
    // The action that is asked for: the first word that says something if it is one, else the first word that is
    // nothing but an action.
    for (std::size_t i = 0; i < w.slot_count; ++i) w.slots[i].action = has_action ? i == 0 : i == pure_action;
    for (std::size_t i = 0; i < w.slot_count; ++i) {
      slot& s = w.slots[i];
      if (s.action) {
        s.weak = false;
        w.asks_action = true;
      }
      if (s.weak) s.mass *= 0.35F;
      const bool value = s.literal && !s.known && !s.server;
      if (value && s.count == 0) s.mass = 0;
      if (!s.weak && !value) w.mass += s.mass;
    }
  }

  void fill_phrase(std::string_view meaning, slot& s) const {
    while (!meaning.empty()) {
      const std::size_t end = (std::min)(meaning.find(' '), meaning.size());
      word joined;
      std::string_view piece = meaning.substr(0, end);
      while (!piece.empty()) {
        const std::size_t cut = (std::min)(piece.find('_'), piece.size());
        if (!joined.empty()) joined.append("_");
        joined.append(stem(piece.substr(0, cut)).view());
        piece.remove_prefix((std::min)(cut + 1, piece.size()));
      }
      add_term(joined.view(), 0.9F, s);
      add_relatives(joined.view(), 0.85F, s);
      meaning.remove_prefix((std::min)(end + 1, meaning.size()));
    }
  }

  void fill_word(const word& stem, const word* next, const word* last, slot& s) const {
    s.known = add_term(stem.view(), 1.0F, s);
    add_relatives(stem.view(), 1.0F, s);
    // "web hook" for "webhook".
    const auto join = [&](const word& a, const word& b) {
      word both = a;
      if (both.append(b.view())) add_term(both.view(), 0.9F, s);
    };
    if (next != nullptr) join(stem, *next);
    if (last != nullptr) join(*last, stem);
    if (s.count != 0 || s.literal) return;
    if (add_split(stem, s)) return;
    add_near(stem, s);
  }

  bool add_term(std::string_view stem, float weight, slot& s) const {
    const term_id t = index_.find(stem);
    if (t == no_term) return false;
    s.add(t, weight);
    return true;
  }

  void add_relatives(std::string_view stem, float scale, slot& s) const {
    index_.lexicon().for_each_line(stem, [&](relation kind, auto members, bool head) {
      float weight = kind == relation::abbreviation ? near_weight : kind == relation::action ? action_weight : object_weight;
      for (std::size_t i = 0; i < members.size(); ++i) {
        const std::string_view other = index_.lexicon().member(members[i]);
        if (other == stem) continue;
        // The head of a line and its members are nearer than two members.
        const bool near = head || i == 0 || kind == relation::abbreviation;
        add_term(other, scale * weight * (near ? 1.0F : 0.8F), s);
      }
    });
  }

  /// "listchannels": two known words written as one.
  bool add_split(const word& w, slot& s) const {
    const std::string_view text = w.view();
    if (text.size() < 6) return false;
    for (std::size_t i = 3; i + 3 <= text.size(); ++i) {
      const term_id a = index_.find(stem(text.substr(0, i)).view());
      const term_id b = index_.find(stem(text.substr(i)).view());
      if (a == no_term || b == no_term) continue;
      s.add(a, 0.7F);
      s.add(b, 0.9F);
      s.known = true;
      return true;
    }
    return false;
  }

  /// Words one or two slips away, and words that this one begins.
  void add_near(const word& w, slot& s) const {
    const std::string_view text = w.view();
    if (text.size() < 3) return;
    const unsigned slips = text.size() >= 8 ? 2 : text.size() >= 4 ? 1 : 0;
    index_.for_each_term_from(text.front(), [&](term_id t, std::string_view other) {
      if (other.find('_') != std::string_view::npos) return true;
      if (text.size() >= 4 && other.size() > text.size() && other.size() <= text.size() + 8 && other.starts_with(text)) {
        s.add(t, prefix_weight);
      } else if (slips > 0 && other.size() >= 4 && other.size() + slips >= text.size() && text.size() + slips >= other.size() &&
                 detail::within_slips(text, other, slips)) {
        s.add(t, slip_weight);
        s.known = true;
      }
      return s.count < 12;
    });
  }

  /// What a slot is worth. A word that the index does not have is worth as much as the rarest, half of it if
  /// others stand for it; these are weighed together, so that a rare synonym is no better than a common one.
  void weigh(slot& s) const {
    std::size_t together = 0;
    float own = 0;
    float rarest = 0;
    for (std::size_t i = 0; i < s.count; ++i) {
      const std::uint32_t n = index_.frequency(s.terms[i].term);
      together += n;
      rarest = (std::max)(rarest, index_.rarity(n));
      if (s.terms[i].weight >= 0.9F) own = (std::max)(own, index_.rarity(n));
    }
    const float all = index_.rarity(together);
    if (s.count == 0) s.mass = index_.rarity(0) * unknown_mass;
    else if (own > 0) s.mass = s.count == 1 ? own : 0.6F * own + 0.4F * all;
    else s.mass = 0.5F * (all + rarest);
    s.mass = (std::max)(s.mass, least_mass * index_.rarity(0));
    if (s.server) s.mass *= 1.2F;
  }

  [[nodiscard]] workspace::tally& tally_of(std::uint32_t tool, workspace& w) const {
    workspace::tally& t = w.tallies[tool];
    if (t.epoch != w.epoch) {
      t = workspace::tally{};
      t.epoch = w.epoch;
      t.slot = 0xFFFF'FFFFU;
      w.touched.push_back(tool);
    }
    return t;
  }

  void score(std::uint32_t number, workspace& w) const {
    const slot& s = w.slots[number];
    if (s.mass <= 0) return;
    w.slot_touched.clear();
    for (std::size_t i = 0; i < s.count; ++i) {
      const float weight = s.terms[i].weight;
      for (const posting p : index_.postings(s.terms[i].term)) {
        workspace::tally& t = tally_of(p.tool(), w);
        if (t.slot != number) {
          t.slot = number;
          t.best = 0;
          t.best_direct = 0;
          t.best_in_name = false;
          w.slot_touched.push_back(p.tool());
        }
        const float value = weight * p.impact();
        if (value > t.best) t.best = value;
        if (weight >= 0.7F && p.impact() > t.best_direct) t.best_direct = p.impact();
        if (p.in_name()) t.best_in_name = true;
      }
    }
    const float name_scale = s.count == 0 ? 0 : 1.0F;
    for (const std::uint32_t tool : w.slot_touched) {
      workspace::tally& t = w.tallies[tool];
      t.score += s.mass * t.best;
      const bool counts = !s.weak && !(s.literal && !s.known && !s.server);
      if (counts) {
        t.coverage += s.mass * (std::min)(1.0F, t.best / full_evidence);
        t.direct += s.mass * (std::min)(1.0F, t.best_direct / full_evidence);
      }
      if (s.action) t.action = (std::min)(1.0F, t.best / full_evidence);
      if (t.best_in_name) t.name += name_scale * name_rarity(s, tool);
      if (s.server) t.on_server = t.on_server || on_server(s, tool);
    }
  }

  /// Rarity of the word of the tool's name that a slot meets.
  [[nodiscard]] float name_rarity(const slot& s, std::uint32_t tool) const noexcept {
    float most = 0;
    for (std::size_t i = 0; i < s.count; ++i) {
      const auto list = index_.postings(s.terms[i].term);
      const auto at = std::lower_bound(list.begin(), list.end(), tool,
                                       [](const posting& p, std::uint32_t t) { return p.tool() < t; });
      if (at != list.end() && at->tool() == tool && at->in_name())
        most = (std::max)(most, index_.rarity(index_.frequency(s.terms[i].term)) * (s.terms[i].weight >= 0.7F ? 1.0F : 0.7F));
    }
    return most;
  }

  [[nodiscard]] bool on_server(const slot& s, std::uint32_t tool) const noexcept {
    const tool_entry& e = catalog_.entries()[tool];
    bool found = false;
    for_each_word(e.server_id, [&](const cut_word& c) {
      const word st = stem(c.folded.view());
      found = found || (s.count > 0 && index_.find(st.view()) == s.terms[0].term);
    });
    return found;
  }

  /// Tools whose name or reference stands in the query, or is the query.
  void find_names(std::string_view query, workspace& w) const {
    const auto mark = [&](std::uint32_t tool, named kind) {
      workspace::tally& t = tally_of(tool, w);
      if (kind > t.name_kind) t.name_kind = kind;
    };
    for (std::size_t i = 0; i < query.size();) {
      const std::size_t begin = query.find_first_not_of(" \t\r\n", i);
      if (begin == std::string_view::npos) break;
      const std::size_t end = (std::min)(query.find_first_of(" \t\r\n", begin), query.size());
      i = end;
      std::string_view piece = query.substr(begin, end - begin);
      mark_piece(piece, mark);
      constexpr std::string_view around = "\"'`()[]{}<>,.;:!?";
      const std::size_t first = piece.find_first_not_of(around);
      if (first == std::string_view::npos) continue;
      const std::string_view bare = piece.substr(first, piece.find_last_not_of(around) + 1 - first);
      if (bare.size() != piece.size()) mark_piece(bare, mark);
    }
    // The whole query as a name: what counts of it, in order.
    std::uint64_t all = 0;
    std::uint64_t hash = 0;
    std::uint64_t without_server = 0;
    bool server = false;
    for (std::size_t i = 0; i < w.word_count; ++i) {
      all = inverted_index::join_hash(all, w.stems[i].view());
      const std::string_view folded = w.words[i].folded.view();
      if (index_.lexicon().is_stop_word(folded) && folded != "get" && folded != "give" && folded != "make" && folded != "put" && folded != "use") continue;
      hash = inverted_index::join_hash(hash, w.stems[i].view());
      if (index_.names_server(w.stems[i].view())) server = true;
      else without_server = inverted_index::join_hash(without_server, w.stems[i].view());
    }
    if (w.word_count == 0) return;
    for (const auto& n : index_.named(all)) mark(n.second, named::whole);
    if (hash != 0 && hash != all)
      for (const auto& n : index_.named(hash)) mark(n.second, named::whole);
    if (server && without_server != 0)
      for (const auto& n : index_.named(without_server))
        if (w.tallies[n.second].epoch == w.epoch && w.tallies[n.second].on_server) mark(n.second, named::whole);
  }

  template <class Mark>
  void mark_piece(std::string_view piece, Mark mark) const {
    if (piece.size() < 2) return;
    if (piece.find('.') != std::string_view::npos)
      if (const tool_entry* e = catalog_.find(piece); e != nullptr)
        mark(static_cast<std::uint32_t>(e - catalog_.entries().data()), named::reference);
    if (!is_unmistakable(piece)) return;
    for (const auto& n : index_.named(inverted_index::name_hash(piece)))
      mark(n.second, named::written);
  }

  /// Whether a piece can only be a name: it is joined or has a capital inside.
  [[nodiscard]] static bool is_unmistakable(std::string_view piece) noexcept {
    bool lower = false;
    for (const char c : piece) {
      if (c == '_' || c == '-' || c == '.') return true;
      if (lower && c >= 'A' && c <= 'Z') return true;
      lower = c >= 'a' && c <= 'z';
    }
    return false;
  }

  void collect(std::size_t limit, workspace& w) const {
    bool any_server = false;
    for (std::size_t i = 0; i < w.slot_count; ++i) any_server = any_server || w.slots[i].server;
    for (const std::uint32_t tool : w.touched) {
      const workspace::tally& t = w.tallies[tool];
      if (t.score <= 0 && t.name_kind == named::no) continue;
      hit h;
      h.tool = tool;
      h.coverage = w.mass > 0 ? (std::min)(1.0F, t.coverage / w.mass) : 0;
      h.direct = w.mass > 0 ? (std::min)(1.0F, t.direct / w.mass) : 0;
      h.name_coverage = (std::min)(1.0F, t.name / index_.name_mass(tool));
      h.action = w.asks_action ? t.action : 1.0F;
      h.name = t.name_kind;
      h.score = t.score * (0.75F + 0.5F * h.name_coverage);
      if (w.asks_action) h.score *= 0.72F + 0.28F * h.action;
      if (any_server && !t.on_server) h.score *= 0.6F;
      if (t.name_kind == named::whole) h.score = h.score * 1.5F + 20.0F;
      if (t.name_kind == named::written) h.score = h.score + 200.0F;
      if (t.name_kind == named::reference) h.score = h.score + 1000.0F;
      w.hits.push_back(h);
    }
    const auto better = [](const hit& a, const hit& b) { return a.score != b.score ? a.score > b.score : a.tool < b.tool; };
    const std::size_t n = (std::min)(limit, w.hits.size());
    std::partial_sort(w.hits.begin(), w.hits.begin() + static_cast<std::ptrdiff_t>(n), w.hits.end(), better);
    w.hits.resize(n);
  }

  const inverted_index& index_;
  const tool_catalog& catalog_;
};

}  // namespace search
}  // namespace contract
}  // namespace v0_1
}  // namespace codemode
