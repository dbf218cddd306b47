#pragma once

/// @file
/// Cutting text into words and bringing words into one form, so that `listPullRequests`, `list_pull_requests` and
/// "listing the pull requests" meet. No allocation: a word is cut into a small buffer.

#include <codemode/text/unicode.hpp>
#include <codemode/text/utf8.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace codemode {
inline namespace v0_1 {
namespace contract {
namespace search {

/// A word of at most 48 bytes in itself; longer ones are cut, which only makes them less distinct.
class word {
 public:
  static constexpr std::size_t capacity = 48;

  constexpr word() noexcept = default;
  constexpr explicit word(std::string_view s) noexcept { append(s); }

  [[nodiscard]] constexpr std::string_view view() const noexcept { return {bytes_.data(), size_}; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr void clear() noexcept { size_ = 0; }
  constexpr bool append(std::string_view s) noexcept {
    if (size_ + s.size() > capacity) return false;
    for (const char c : s) bytes_[size_++] = c;
    return true;
  }
  constexpr void drop(std::size_t n) noexcept { size_ = static_cast<std::uint8_t>(size_ - (std::min)(n, std::size_t{size_})); }
  [[nodiscard]] constexpr bool ends_with(std::string_view s) const noexcept { return view().ends_with(s); }
  [[nodiscard]] constexpr char back(std::size_t from_end = 0) const noexcept {
    return from_end < size_ ? bytes_[size_ - 1 - from_end] : '\0';
  }
  constexpr void set_back(char c) noexcept {
    if (size_ > 0) bytes_[size_ - 1U] = c;
  }

 private:
  std::array<char, capacity> bytes_{};
  std::uint8_t size_ = 0;
};

/// One word as it stands in a text.
struct cut_word {
  word folded{};          ///< in lower case
  std::size_t begin = 0;  ///< bytes in the text
  std::size_t end = 0;
  bool capital = false;   ///< begins with an upper-case letter
  bool has_digit = false;
};

/// Whether `c` is written without spaces between words, so that every character is taken for a word.
[[nodiscard]] constexpr bool is_unspaced_script(char32_t c) noexcept {
  return (c >= 0x3040 && c <= 0x30FF) || (c >= 0x3400 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) ||
         (c >= 0x20000 && c <= 0x3FFFF);
}

/// Calls `f(cut_word)` for each word of `text`: runs of letters and digits, cut where an upper-case letter begins a
/// word (`camelCase`, `HTTPServer`). Digits stay with their letters (`k8s`, `oauth2`).
template <class F>
constexpr void for_each_word(std::string_view text, F&& f) {
  cut_word w;
  bool last_lower = false;  // the last character was a lower-case letter or a digit
  bool last_upper = false;
  const auto flush = [&](std::size_t end) {
    if (!w.folded.empty()) {
      w.end = end;
      f(static_cast<const cut_word&>(w));
    }
    w = {};
  };
  for (std::size_t i = 0; i < text.size();) {
    const text::decoded d = text::decode(text.substr(i));
    const char32_t c = d.code_point;
    const bool letter = d.valid && text::is_alphabetic(c);
    const bool digit = d.valid && !letter && text::is_digit(c);
    if (!letter && !digit) {
      // An apostrophe inside a word is dropped with what follows it: "team's".
      if ((c == U'\'' || c == 0x2019) && !w.folded.empty()) {
        const std::size_t end = i;
        i += d.size;
        while (i < text.size() && text::is_alphabetic(text::decode(text.substr(i)).code_point))
          i += text::decode(text.substr(i)).size;
        flush(end);
      } else {
        flush(i);
        i += d.size;
      }
      last_lower = last_upper = false;
      continue;
    }
    const bool upper = letter && text::is_upper(c);
    bool cut = false;
    if (upper) {
      // "getHTTPStatus": before an upper-case letter after a lower-case one, and before the last of a run of
      // upper-case letters if a lower-case one follows.
      const text::decoded next = text::decode(text.substr((std::min)(i + d.size, text.size())));
      const text::decoded after = text::decode(text.substr((std::min)(i + d.size + next.size, text.size())));
      // A single small letter after capitals is a plural: "list PRs".
      const bool plural = next.code_point == U's' && !(after.valid && text::is_alphabetic(after.code_point));
      cut = last_lower || (last_upper && next.valid && text::is_lower(next.code_point) && !plural);
    }
    if (is_unspaced_script(c)) cut = true;
    if (cut) flush(i);
    if (w.folded.empty()) {
      w.begin = i;
      w.capital = upper;
    }
    const text::encoded folded = text::encode(text::fold(c));
    w.folded.append(folded.view());
    w.has_digit = w.has_digit || digit;
    i += d.size;
    if (is_unspaced_script(c)) flush(i);
    last_upper = upper;
    last_lower = (letter && !upper) || digit;
  }
  flush(text.size());
}

namespace detail {

[[nodiscard]] constexpr bool is_vowel(char c) noexcept {
  return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u' || c == 'y';
}

/// Whether the first `size` bytes have a vowel, so that what is left of a word is still a word.
[[nodiscard]] constexpr bool has_vowel(std::string_view s) noexcept {
  return std::any_of(s.begin(), s.end(), is_vowel);
}

struct pair {
  std::string_view from, to;
};

/// Forms that no rule gives: irregular verbs and plurals, and what the rules would spoil.
inline constexpr pair irregular_forms[]{
    {"is", "be"},        {"are", "be"},        {"was", "be"},        {"were", "be"},      {"been", "be"},
    {"has", "have"},     {"had", "have"},      {"having", "have"},   {"did", "do"},       {"does", "do"},
    {"done", "do"},      {"went", "go"},       {"gone", "go"},       {"going", "go"},     {"got", "get"},
    {"gotten", "get"},   {"getting", "get"},   {"gave", "give"},     {"given", "give"},   {"sent", "send"},
    {"wrote", "write"},  {"written", "write"}, {"writing", "write"}, {"ran", "run"},      {"found", "find"},
    {"made", "make"},    {"making", "make"},   {"built", "build"},   {"held", "hold"},    {"left", "leave"},
    {"lost", "lose"},    {"took", "take"},     {"taken", "take"},    {"taking", "take"},  {"told", "tell"},
    {"said", "say"},     {"saw", "see"},       {"seen", "see"},      {"shown", "show"},   {"kept", "keep"},
    {"brought", "bring"}, {"bought", "buy"},   {"paid", "pay"},      {"sold", "sell"},    {"spent", "spend"},
    {"chose", "choose"}, {"chosen", "choose"}, {"drew", "draw"},     {"drawn", "draw"},   {"broke", "break"},
    {"broken", "break"}, {"froze", "freeze"},  {"frozen", "freeze"}, {"hid", "hide"},     {"hidden", "hide"},
    {"known", "know"},   {"knew", "know"},     {"threw", "throw"},   {"thrown", "throw"}, {"began", "begin"},
    {"begun", "begin"},  {"met", "meet"},      {"led", "lead"},      {"undid", "undo"},   {"undone", "undo"},
    {"rebuilt", "rebuild"}, {"reran", "rerun"}, {"bound", "bind"},   {"sought", "seek"},  {"caught", "catch"},
    {"people", "person"}, {"persons", "person"}, {"men", "man"},     {"women", "woman"},  {"children", "child"},
    {"indices", "index"}, {"indexes", "index"}, {"matrices", "matrix"}, {"vertices", "vertex"}, {"appendices", "appendix"},
    {"criteria", "criterion"}, {"analyses", "analysis"}, {"analysis", "analysis"}, {"series", "series"}, {"media", "media"},
    {"status", "status"}, {"statuses", "status"}, {"alias", "alias"}, {"aliases", "alias"}, {"access", "access"},
    {"process", "process"}, {"address", "address"}, {"news", "news"}, {"canvas", "canvas"}, {"bus", "bus"},
    {"gas", "gas"},      {"kubernetes", "kubernetes"}, {"aws", "aws"}, {"dns", "dns"},    {"css", "css"},
    {"https", "http"},   {"sms", "sms"},       {"gps", "gps"},       {"rss", "rss"},      {"sas", "sas"},
    {"nas", "nas"},      {"ios", "ios"},       {"os", "os"},         {"js", "js"},        {"ts", "ts"},
    {"tls", "tls"},      {"k8s", "kubernetes"}, {"string", "string"}, {"thing", "thing"}, {"spring", "spring"},
    {"king", "king"},    {"ring", "ring"},     {"ping", "ping"},     {"need", "need"},    {"feed", "feed"},
    {"speed", "speed"},  {"seed", "seed"},     {"embed", "embed"},   {"shed", "shed"},    {"red", "red"},
    {"bed", "bed"},      {"during", "during"}, {"nothing", "nothing"}, {"something", "something"}, {"meeting", "meeting"},
    {"pricing", "price"}, {"billing", "bill"}, {"mailing", "mail"},  {"dying", "die"},    {"lying", "lie"},
    {"tying", "tie"},    {"chat", "chat"},     {"data", "data"},     {"lens", "lens"},    {"leaves", "leaf"}};

/// The same in order, to be found by halving.
inline constexpr auto sorted_forms = [] {
  std::array<pair, std::size(irregular_forms)> forms{};
  std::copy(std::begin(irregular_forms), std::end(irregular_forms), forms.begin());
  std::sort(forms.begin(), forms.end(), [](const pair& a, const pair& b) { return a.from < b.from; });
  return forms;
}();

/// What an irregular form comes from, or empty.
[[nodiscard]] constexpr std::string_view base_of(std::string_view form) noexcept {
  const auto at = std::lower_bound(sorted_forms.begin(), sorted_forms.end(), form,
                                   [](const pair& p, std::string_view f) { return p.from < f; });
  return at != sorted_forms.end() && at->from == form ? at->to : std::string_view{};
}

/// Words whose endings only look British.
inline constexpr std::string_view keeps_our[]{"four", "hour", "your", "tour", "pour", "sour", "flour", "glamour",
                                              "detour", "contour", "devour", "velour"};
inline constexpr std::string_view keeps_ise[]{"advis",  "exercis", "promis",  "rais",    "ris",     "surpris", "compromis", "supervis",
                                              "revis",  "otherwis", "precis", "expertis", "enterpris", "franchis", "disguis", "premis",
                                              "nois",   "devis",   "improvis", "televis", "concis",  "pois",    "cruis",    "bruis",
                                              "wis",    "likewis", "merchandis", "advertis", "arous", "appris", "demis",   "rephras"};

template <std::size_t N>
[[nodiscard]] constexpr bool one_of(std::string_view s, const std::string_view (&list)[N]) noexcept {
  return std::find(list, list + N, s) != list + N;
}

/// American spelling of a stem.
constexpr void respell(word& w) noexcept {
  const std::string_view s = w.view();
  if (s.size() >= 5 && s.ends_with("our") && !one_of(s, keeps_our)) {
    w.drop(2);
    w.append("r");
  } else if (s.size() >= 5 && s.ends_with("is") && !one_of(s, keeps_ise) && !s.ends_with("sis")) {
    w.set_back('z');  // organis(e)
  } else if (s.size() >= 5 && s.ends_with("lys")) {
    w.set_back('z');  // analys(e)
  } else if (s.size() >= 5 && (s.ends_with("tr") || s.ends_with("br"))) {
    w.drop(1);
    w.append("er");  // centr(e), fibr(e)
  } else if (s.size() >= 6 && s.ends_with("ogu")) {
    w.drop(1);  // catalogu(e)
  } else if (s == "licenc") {
    w.set_back('s');
  } else if (s == "defenc" || s == "offenc") {
    w.set_back('s');
  } else if (s == "grey") {
    w = word("gray");
  } else if (s == "programm") {
    w.drop(1);
  } else if (s == "chequ") {
    w = word("check");
  }
}

/// Undoes a doubled last consonant: "cancell(ing)", "stopp(ed)". "ss", "ll" after one vowel in short words stay.
constexpr void undouble(word& w) noexcept {
  const char c = w.back();
  if (w.size() >= 4 && c == w.back(1) && !is_vowel(c) && c != 's' && c != 'z' && !(c == 'l' && w.size() <= 4)) w.drop(1);
}

}  // namespace detail

/// The common form of a folded English word: without plural, tense and the endings that make nouns of verbs,
/// in American spelling. Of our own making; the forms need not be words. Words that are not ASCII letters stay.
[[nodiscard]] constexpr word stem(std::string_view folded) noexcept {
  word w(folded);
  const std::string_view base = detail::base_of(folded);
  if (!base.empty()) {
    w = word(base);
    if (detail::base_of(base) == base) return w;
  }
  // An irregular form gives its base word, which goes on through the rules as the base word itself does.
  for (const char c : w.view())
    if (c < 'a' || c > 'z') return w;
  if (w.size() < 3) return w;

  // Plurals and the third person.
  if (w.ends_with("ies") && w.size() > 4) {
    w.drop(3);
    w.append("y");
  } else if ((w.ends_with("sses") || w.ends_with("shes") || w.ends_with("ches") || w.ends_with("xes") || w.ends_with("zzes")) &&
             w.size() > 4) {
    w.drop(2);
  } else if (w.ends_with("s") && !w.ends_with("ss") && !w.ends_with("us") && !w.ends_with("is") && w.size() > 3) {
    w.drop(1);
  } else if (w.size() == 3 && w.ends_with("s") && !detail::is_vowel(w.back(1))) {
    w.drop(1);  // prs, mrs, dbs
  }

  // Tenses.
  const auto strip_tense = [&](std::string_view ending) {
    if (!w.ends_with(ending) || w.size() < ending.size() + 2) return;
    if (!detail::has_vowel(w.view().substr(0, w.size() - ending.size()))) return;
    w.drop(ending.size());
    detail::undouble(w);
  };
  if (w.ends_with("ied") && w.size() > 4) {
    w.drop(3);
    w.append("y");
  } else if (w.ends_with("ing")) {
    strip_tense("ing");
  } else if (w.ends_with("ed") && !w.ends_with("eed")) {
    strip_tense("ed");
  }

  // Nouns of verbs and other families; at least four letters are left.
  struct rule {
    std::string_view ending, to;
    std::size_t least;  // letters before the ending
  };
  constexpr rule rules[]{{"ization", "iz", 3}, {"isation", "iz", 3}, {"ification", "ify", 2}, {"uration", "ur", 4}, {"ational", "at", 3},
                         {"iption", "ib", 4},   {"ation", "at", 3},   {"ition", "it", 3},     {"ution", "ut", 4},   {"ction", "ct", 3},
                         {"etion", "et", 3},    {"ption", "pt", 3},   {"sion", "s", 5},       {"ement", "e", 4},    {"ment", "", 4},
                         {"ability", "abl", 3}, {"ibility", "ibl", 3}, {"fulness", "", 4},    {"ness", "", 4},      {"ator", "at", 4},
                         {"ical", "ic", 4},     {"ally", "al", 4},    {"ily", "y", 4},        {"ly", "", 4},        {"oval", "ov", 3},
                         {"ival", "iv", 3}};
  for (const rule& r : rules) {
    if (!w.ends_with(r.ending) || w.size() < r.ending.size() + r.least) continue;
    w.drop(r.ending.size());
    w.append(r.to);
    break;
  }
  if (w.size() > 3 && w.ends_with("e") && !w.ends_with("ee")) w.drop(1);
  detail::respell(w);
  return w;
}

}  // namespace search
}  // namespace contract
}  // namespace v0_1
}  // namespace codemode
