#pragma once

/// @file
/// An inverted index over tools: which words stand where, and how much that tells.
///
/// Each word of a tool has one posting with one number, its impact: how strongly the tool is about the word. It is
/// computed when the index is built, from the fields that hold the word (BM25F: counts are weighted and damped by
/// the field's length before they are added, and saturate together), so that a query only adds numbers. Lengths are
/// compared with fixed ones, not with averages: a tool's impacts do not depend on the other tools.

#include <codemode/contract/open_value.hpp>
#include <codemode/contract/search/lexicon_map.hpp>
#include <codemode/contract/search/words.hpp>
#include <codemode/contract/tool_catalog.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace contract {
namespace search {

/// A tool that has a word, in 32 bits.
class posting {
 public:
  static constexpr std::uint32_t max_tools = 1U << 22U;

  constexpr posting() noexcept = default;
  constexpr posting(std::uint32_t tool, float impact, bool in_name) noexcept
      : bits_(tool << 10U | (in_name ? 1U << 9U : 0U) |
              static_cast<std::uint32_t>(std::min(impact, 1.0F) * 511.0F + 0.5F)) {}

  [[nodiscard]] constexpr std::uint32_t tool() const noexcept { return bits_ >> 10U; }
  [[nodiscard]] constexpr bool in_name() const noexcept { return (bits_ >> 9U & 1U) != 0; }
  /// From 0 to 1.
  [[nodiscard]] constexpr float impact() const noexcept { return static_cast<float>(bits_ & 511U) / 511.0F; }

 private:
  std::uint32_t bits_ = 0;
};

/// A word of the index.
using term_id = std::uint32_t;
inline constexpr term_id no_term = 0xFFFF'FFFFU;

namespace detail {

/// A field's weight, the length at which it counts once, and how much length matters.
struct field_weight {
  float weight, length, slope;
};
inline constexpr field_weight name_field{6.0F, 3.0F, 0.5F};
inline constexpr field_weight title_field{4.0F, 4.0F, 0.5F};
inline constexpr field_weight alias_field{2.5F, 8.0F, 0.5F};
inline constexpr field_weight server_field{1.2F, 1.0F, 0.0F};
inline constexpr field_weight lead_field{2.5F, 12.0F, 0.5F};      // the first sentence of the description
inline constexpr field_weight text_field{0.6F, 60.0F, 0.7F};      // the rest of it
inline constexpr field_weight property_field{1.0F, 8.0F, 0.7F};   // names in the schema
inline constexpr field_weight schema_field{0.3F, 40.0F, 0.8F};    // texts in the schema
inline constexpr float saturation = 3.0F;

[[nodiscard]] constexpr std::uint64_t hash_text(std::string_view s) noexcept {
  std::uint64_t h = 0xcbf29ce484222325U;
  for (const char c : s) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return h ^ h >> 32U;
}

}  // namespace detail

/// The index. Const after `build`; many threads may search it, each with its own workspace.
class inverted_index {
 public:
  /// Indexes may share a lexicon; without one the index makes its own.
  explicit inverted_index(std::shared_ptr<const lexicon_map> lexicon = nullptr)
      : lexicon_(lexicon ? std::move(lexicon) : std::make_shared<const lexicon_map>()) {}

  /// Indexes all tools of the catalog; posting numbers are places in `catalog.entries()`. Allocates. At most
  /// `posting::max_tools` tools.
  void build(const tool_catalog& catalog) {
    clear();
    const std::span<const tool_entry> tools =
        catalog.entries().first((std::min)(catalog.size(), std::size_t{posting::max_tools}));
    tool_count_ = static_cast<std::uint32_t>(tools.size());
    count_server_words(catalog);
    grow_table(1024);
    raw_.reserve(tools.size() * 64);
    for (std::uint32_t i = 0; i < tool_count_; ++i) add_tool(i, tools[i]);
    collect();
    weigh_names(tools);
  }

  [[nodiscard]] std::uint32_t tool_count() const noexcept { return tool_count_; }
  [[nodiscard]] std::size_t term_count() const noexcept { return terms_.size(); }
  [[nodiscard]] std::size_t posting_count() const noexcept { return postings_.size(); }
  [[nodiscard]] const lexicon_map& lexicon() const noexcept { return *lexicon_; }
  [[nodiscard]] const std::shared_ptr<const lexicon_map>& shared_lexicon() const noexcept { return lexicon_; }

  [[nodiscard]] term_id find(std::string_view stem) const noexcept {
    if (table_.empty()) return no_term;
    const std::size_t mask = table_.size() - 1;
    for (std::size_t at = detail::hash_text(stem) & mask;; at = (at + 1) & mask) {
      const term_id t = table_[at];
      if (t == no_term || text(t) == stem) return t;
    }
  }
  [[nodiscard]] std::string_view text(term_id t) const noexcept {
    return std::string_view{text_}.substr(terms_[t].text, terms_[t].text_size);
  }
  [[nodiscard]] std::span<const posting> postings(term_id t) const noexcept {
    return std::span{postings_}.subspan(terms_[t].first, terms_[t].count);
  }
  [[nodiscard]] std::uint32_t frequency(term_id t) const noexcept { return terms_[t].count; }
  /// How rare a word is that `frequency` tools have: 0 for one that all have.
  [[nodiscard]] float rarity(std::size_t frequency) const noexcept {
    const auto n = static_cast<float>(tool_count_);
    const float df = (std::min)(static_cast<float>(frequency), n);
    return std::log(1.0F + (n - df + 0.5F) / (df + 0.5F));
  }
  /// Sum of the rarities of the words of a tool's name.
  [[nodiscard]] float name_mass(std::uint32_t tool) const noexcept { return name_mass_[tool]; }
  /// Hash of a tool's name without case and joins, to find exact names.
  [[nodiscard]] std::span<const std::pair<std::uint64_t, std::uint32_t>> names() const noexcept { return names_; }
  /// Tools whose name, as stems, has this hash.
  [[nodiscard]] std::span<const std::pair<std::uint64_t, std::uint32_t>> named(std::uint64_t hash) const noexcept {
    const auto [first, last] = std::equal_range(
        names_.begin(), names_.end(), std::pair{hash, 0U}, [](const auto& a, const auto& b) { return a.first < b.first; });
    return {first, last};
  }
  /// Number of servers whose id has the word, and how many servers there are.
  [[nodiscard]] std::uint32_t server_frequency(std::string_view stem) const noexcept {
    const auto at = std::lower_bound(server_words_.begin(), server_words_.end(), stem,
                                     [](const auto& a, std::string_view s) { return a.first < s; });
    return at != server_words_.end() && at->first == stem ? at->second : 0;
  }
  /// Whether the word names a server or a few, not what many of them are called.
  [[nodiscard]] bool names_server(std::string_view stem) const noexcept {
    const std::uint32_t n = server_frequency(stem);
    return n > 0 && (n <= 3 || n * 8 <= server_count_);
  }

  /// Calls `f(term, text)` for the words that begin with `letter`, in no order, until it returns false.
  template <class F>
  void for_each_term_from(char letter, F&& f) const {
    const auto i = static_cast<std::size_t>(static_cast<unsigned char>(letter));
    for (std::uint32_t at = by_letter_[i]; at < by_letter_[i + 1]; ++at)
      if (!f(sorted_[at], text(sorted_[at]))) return;
  }

  /// Bytes on the heap, the lexicon apart (`lexicon().memory()`).
  [[nodiscard]] std::size_t memory() const noexcept {
    return text_.capacity() + terms_.capacity() * sizeof(term) + table_.capacity() * sizeof(term_id) +
           postings_.capacity() * sizeof(posting) + name_mass_.capacity() * sizeof(float) +
           names_.capacity() * sizeof(names_[0]) + sorted_.capacity() * sizeof(term_id) +
           server_words_.capacity() * sizeof(server_words_[0]);
  }

 private:
  struct term {
    std::uint32_t text = 0;
    std::uint32_t first = 0;  // of its postings
    std::uint32_t count = 0;
    std::uint8_t text_size = 0;
  };
  struct raw_posting {
    term_id term;
    posting at;
  };
  struct weighted {
    term_id term;
    float count;
    bool in_name;
  };

  void clear() {
    text_.clear();
    terms_.clear();
    table_.clear();
    postings_.clear();
    name_mass_.clear();
    names_.clear();
    sorted_.clear();
    server_words_.clear();
    raw_.clear();
  }

  void grow_table(std::size_t size) {
    table_.assign(size, no_term);
    for (term_id t = 0; t < terms_.size(); ++t) place(t);
  }
  void place(term_id t) noexcept {
    const std::size_t mask = table_.size() - 1;
    std::size_t at = detail::hash_text(text(t)) & mask;
    while (table_[at] != no_term) at = (at + 1) & mask;
    table_[at] = t;
  }
  [[nodiscard]] term_id intern(std::string_view stem) {
    const term_id known = find(stem);
    if (known != no_term) return known;
    const auto t = static_cast<term_id>(terms_.size());
    term& made = terms_.emplace_back();
    made.text = static_cast<std::uint32_t>(text_.size());
    made.text_size = static_cast<std::uint8_t>(stem.size());
    text_ += stem;
    if (terms_.size() * 2 > table_.size()) grow_table(table_.size() * 2);
    else place(t);
    return t;
  }

  void count_server_words(const tool_catalog& catalog) {
    server_count_ = static_cast<std::uint32_t>(catalog.servers().size());
    std::vector<std::string> words;
    for (const server_state& s : catalog.servers()) {
      const std::size_t begin = words.size();
      for_each_word(s.id, [&](const cut_word& w) { words.emplace_back(stem(w.folded.view()).view()); });
      const auto first = words.begin() + static_cast<std::ptrdiff_t>(begin);
      std::sort(first, words.end());
      words.erase(std::unique(first, words.end()), words.end());
    }
    std::sort(words.begin(), words.end());
    for (const std::string& w : words) {
      if (w.size() < 2 || lexicon_->is_stop_word(w)) continue;
      if (!server_words_.empty() && server_words_.back().first == w) ++server_words_.back().second;
      else server_words_.emplace_back(w, 1);
    }
  }

  void add_field(std::string_view text, const detail::field_weight& field, bool in_name, bool joins) {
    const std::size_t begin = found_.size();
    word last;
    float length = 0;
    for_each_word(text, [&](const cut_word& w) {
      const word s = stem(w.folded.view());
      if (s.empty()) return;
      length += 1;
      if (!lexicon_->is_stop_word(w.folded.view()) || in_name) found_.push_back({intern(s.view()), 1.0F, in_name});
      if (joins && !last.empty()) {
        word pair = last;
        if (pair.append("_") && pair.append(s.view())) found_.push_back({intern(pair.view()), 0.8F, false});
      }
      last = s;
    });
    const float norm = field.weight / (1.0F - field.slope + field.slope * (std::max)(length / field.length, 0.3F));
    for (std::size_t i = begin; i < found_.size(); ++i) found_[i].count *= norm;
  }

  /// Names and texts of all properties at any depth, with enumerated values.
  void gather_schema(json_cursor schema, std::string& names, std::string& texts, int depth) const {
    if (depth > 6) return;
    if (schema.is_array()) {
      for (const json_cursor item : schema.items()) gather_schema(item, names, texts, depth + 1);
      return;
    }
    for (const json_member& m : schema.members()) {
      if (m.name.equals("properties")) {
        for (const json_member& p : m.value.members()) {
          p.name.decode(names);
          names += ' ';
          gather_schema(p.value, names, texts, depth + 1);
        }
      } else if (m.name.equals("description") || m.name.equals("title")) {
        m.value.decode(texts);
        texts += " . ";
      } else if (m.name.equals("enum")) {
        for (const json_cursor item : m.value.items()) {
          item.decode(texts);
          texts += ' ';
        }
      } else if (m.name.equals("items") || m.name.equals("anyOf") || m.name.equals("oneOf") || m.name.equals("allOf") ||
                 m.name.equals("$defs") || m.name.equals("definitions") || m.name.equals("additionalProperties")) {
        gather_schema(m.value, names, texts, depth + 1);
      }
    }
  }

  [[nodiscard]] static std::size_t lead_size(std::string_view text) noexcept {
    constexpr std::size_t most = 200;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (i >= most && text[i] == ' ') return i;
      if (text[i] == '\n' && i > 8) return i;
      if ((text[i] == '.' || text[i] == '!' || text[i] == ';') && i + 1 < text.size() &&
          (text[i + 1] == ' ' || text[i + 1] == '\n') && i > 8 && text.substr(i - 2, 2) != ".g" && text.substr(i - 2, 2) != ".e")
        return i;
    }
    return text.size();
  }

  void add_tool(std::uint32_t number, const tool_entry& e) {
    found_.clear();
    add_field(e.name, detail::name_field, true, true);
    add_field(e.title, detail::title_field, false, true);
    add_field(e.server_id, detail::server_field, false, false);
    for (const std::string& alias : e.aliases)
      if (alias != e.title && alias != e.description) add_field(alias, detail::alias_field, false, true);
    const std::size_t lead = lead_size(e.description);
    add_field(std::string_view{e.description}.substr(0, lead), detail::lead_field, false, true);
    add_field(std::string_view{e.description}.substr(lead), detail::text_field, false, false);
    std::string names;
    std::string texts;
    gather_schema(e.input_schema.cursor(), names, texts, 0);
    add_field(names, detail::property_field, false, false);
    add_field(texts, detail::schema_field, false, false);

    std::sort(found_.begin(), found_.end(), [](const weighted& a, const weighted& b) { return a.term < b.term; });
    for (std::size_t i = 0; i < found_.size();) {
      float count = 0;
      bool in_name = false;
      const term_id t = found_[i].term;
      for (; i < found_.size() && found_[i].term == t; ++i) {
        count += found_[i].count;
        in_name = in_name || found_[i].in_name;
      }
      raw_.push_back({t, posting{number, count / (detail::saturation + count), in_name}});
    }
    names_.emplace_back(name_hash(e.name), number);
  }

 public:
  /// Hash of a name as stems, so that joins, case and word forms do not matter.
  [[nodiscard]] static std::uint64_t name_hash(std::string_view name) noexcept {
    std::uint64_t h = 0;
    for_each_word(name, [&](const cut_word& w) { h = join_hash(h, stem(w.folded.view()).view()); });
    return h;
  }
  [[nodiscard]] static constexpr std::uint64_t join_hash(std::uint64_t h, std::string_view stem) noexcept {
    return (h * 0x9E3779B97F4A7C15U) ^ detail::hash_text(stem);
  }

 private:
  // Postings of a term in order of tools: counted, then placed.
  void collect() {
    for (const raw_posting& r : raw_) ++terms_[r.term].count;
    std::uint32_t first = 0;
    for (term& t : terms_) {
      t.first = first;
      first += t.count;
      t.count = 0;
    }
    postings_.resize(raw_.size());
    for (const raw_posting& r : raw_) {
      term& t = terms_[r.term];
      postings_[t.first + t.count++] = r.at;
    }
    std::vector<raw_posting>{}.swap(raw_);
    std::vector<weighted>{}.swap(found_);
    std::sort(names_.begin(), names_.end());
    text_.shrink_to_fit();
    terms_.shrink_to_fit();

    sorted_.resize(terms_.size());
    by_letter_.fill(0);
    for (term_id t = 0; t < terms_.size(); ++t) ++by_letter_[letter_of(t) + 1];
    for (std::size_t i = 1; i < by_letter_.size(); ++i) by_letter_[i] += by_letter_[i - 1];
    std::array<std::uint32_t, 257> next = by_letter_;
    for (term_id t = 0; t < terms_.size(); ++t) sorted_[next[letter_of(t)]++] = t;
  }
  [[nodiscard]] std::size_t letter_of(term_id t) const noexcept {
    return terms_[t].text_size == 0 ? 0 : static_cast<unsigned char>(text(t).front());
  }

  void weigh_names(std::span<const tool_entry> tools) {
    name_mass_.reserve(tools.size());
    for (const tool_entry& e : tools) {
      float mass = 0;
      std::array<term_id, 16> seen{};
      std::size_t count = 0;
      for_each_word(e.name, [&](const cut_word& w) {
        const term_id t = find(stem(w.folded.view()).view());
        const auto last = seen.begin() + static_cast<std::ptrdiff_t>(count);
        if (t == no_term || std::find(seen.begin(), last, t) != last || count == seen.size()) return;
        seen[count++] = t;
        mass += rarity(frequency(t));
      });
      name_mass_.push_back((std::max)(mass, 0.05F));
    }
  }

  std::shared_ptr<const lexicon_map> lexicon_;
  std::uint32_t tool_count_ = 0;
  std::uint32_t server_count_ = 0;
  std::string text_;
  std::vector<term> terms_;
  std::vector<term_id> table_;  // open addressing, a power of two
  std::vector<posting> postings_;
  std::vector<float> name_mass_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> names_;
  std::vector<term_id> sorted_;                    // by first byte
  std::array<std::uint32_t, 257> by_letter_{};
  std::vector<std::pair<std::string, std::uint32_t>> server_words_;
  std::vector<raw_posting> raw_;    // while building
  std::vector<weighted> found_;     // while building: the words of one tool
};

}  // namespace search
}  // namespace contract
}  // namespace v0_1
}  // namespace codemode
