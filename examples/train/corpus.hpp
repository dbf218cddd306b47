#pragma once

// Instructions and catalogs of the training corpus, and the words that names are cut into.

#include <codemode/catalog/name_index.hpp>
#include <codemode/frontend/lexer.hpp>
#include <codemode/frontend/token.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace train {

using codemode::return_kind;
using codemode::token;
using codemode::token_kind;
using codemode::token_list;
using codemode::value_type;

struct argument_spec {
  std::string name;
  value_type type = value_type::string;
  bool required = false;
};

struct tool_spec {
  std::string name;
  std::vector<argument_spec> arguments;
  return_kind returns = return_kind::text;
  std::vector<std::string> properties;

  int find(std::string_view n) const {
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i].name == n) return static_cast<int>(i);
    return -1;
  }
};

/// Tools that own their text, with the views and the index that the frontend wants.
class schema {
 public:
  schema() = default;
  explicit schema(std::vector<tool_spec> specs) : specs_(std::move(specs)) {
    for (const auto& s : specs_) {
      auto& p = parameters_.emplace_back();
      for (const auto& a : s.arguments) p.push_back({a.name, a.type, a.required});
      auto& q = properties_.emplace_back();
      for (const auto& x : s.properties) q.emplace_back(x);
    }
    for (std::size_t i = 0; i < specs_.size(); ++i)
      tools_.push_back({specs_[i].name, parameters_[i], specs_[i].returns, properties_[i]});
    index_.build(tools_);
  }
  schema(const schema&) = delete;
  schema& operator=(const schema&) = delete;

  const std::vector<tool_spec>& specs() const { return specs_; }
  std::span<const codemode::tool> tools() const { return tools_; }
  const codemode::name_index& index() const { return index_; }
  int find(std::string_view tool_name) const {
    for (std::size_t i = 0; i < specs_.size(); ++i)
      if (specs_[i].name == tool_name) return static_cast<int>(i);
    return -1;
  }

 private:
  std::vector<tool_spec> specs_;
  std::vector<std::vector<codemode::parameter>> parameters_;
  std::vector<std::vector<std::string_view>> properties_;
  std::vector<codemode::tool> tools_;
  codemode::name_index index_;
};

/// A literal of a plan: a string's content, a number or a boolean.
struct literal {
  value_type type = value_type::string;
  std::string text;
  double number = 0;
  bool boolean = false;

  friend bool operator==(const literal&, const literal&) = default;
};

struct call_spec {
  std::string tool;
  std::vector<std::pair<std::string, literal>> arguments;
};

struct plan_spec {
  int mode = 0;  // 0 single, 1 serial, 2 parallel
  bool last = true;
  std::vector<call_spec> calls;
  std::vector<std::string> fields;
  int limit = -1;
};

/// Roles of tokens that the network learns; the order is part of the weights.
enum role : unsigned char {
  r_none, r_call, r_mention, r_argument, r_value, r_limit, r_property, r_new_call, r_foreign, r_count,
  r_unknown = 255  // not supervised
};

/// Classes of the refusal head; the order is part of the weights.
inline constexpr std::string_view classes[] = {
    "ok",               "unsupported_dependency", "unsupported_condition", "unsupported_loop",
    "unsupported_schedule", "unsupported_shaping", "ambiguous",            "no_call",
    "missing_argument", "missing_value",          "unknown_argument",      "duplicate_argument",
    "type_mismatch",    "unattached_value",       "too_many_calls",        "bad_number"};
inline int class_of(std::string_view code) {
  for (std::size_t i = 0; i < std::size(classes); ++i)
    if (classes[i] == code) return static_cast<int>(i);
  return -1;
}

/// What alignment finds: where in the text the parts of a plan stand.
struct labels {
  std::vector<unsigned char> roles;
  std::vector<int> anchors;  // token of each call
  struct link {
    int value;         // token
    int call;
    int mention;       // token that names the argument
    std::string name;  // the argument
  };
  std::vector<link> links;
  int limit = -1;  // token
};

/// One instruction of the corpus or one made from it.
struct frame {
  std::string id;
  std::string text;
  std::shared_ptr<const schema> tools;
  token_list tokens;
  std::string code;  // "ok" or the rejection
  plan_spec plan;    // where ok
  std::optional<labels> lab;

  std::string_view spelled(std::size_t k) const {
    return std::string_view(text).substr(tokens[k].begin, tokens[k].end - tokens[k].begin);
  }
};

/// The words of a name or mention, lower case, with their byte ranges.
struct word_range {
  std::string lower;
  std::size_t begin = 0;
  std::size_t end = 0;
};

inline std::vector<word_range> words_of(std::string_view s) {
  using namespace codemode;
  std::vector<word_range> out;
  letter_class before = letter_class::other;
  bool fresh = true;
  for (std::size_t i = 0; i < s.size();) {
    const auto d = text::decode(s.substr(i));
    const auto k = classify(d.code_point);
    if (k == letter_class::other || k == letter_class::joint) {
      fresh = true;
    } else {
      char32_t n = 0;
      letter_class after = letter_class::other;
      if (i + d.size < s.size()) {
        const auto e = text::decode(s.substr(i + d.size));
        n = e.code_point;
        if (i + d.size + e.size < s.size()) after = classify(text::decode(s.substr(i + d.size + e.size)).code_point);
      }
      if (!fresh) fresh = is_cut(before, k, classify(n), n, after != letter_class::lower);
      if (fresh) out.push_back({"", i, i});
      const auto e = text::encode(text::fold(d.code_point));
      out.back().lower += e.view();
      out.back().end = i + d.size;
      fresh = false;
    }
    before = k;
    i += d.size;
  }
  return out;
}

/// The literal that a value token stands for.
inline literal literal_of(const frame& f, std::size_t k) {
  const token& t = f.tokens[k];
  literal v;
  v.type = t.type();
  if (v.type == value_type::number) v.number = t.number;
  if (v.type == value_type::boolean) v.boolean = t.boolean;
  if (v.type == value_type::string) {
    const auto s = f.spelled(k);
    v.text.resize(s.size());
    const auto d = codemode::text::decode_json_string(s, std::span<char>(v.text.data(), v.text.size()));
    v.text.resize(d ? d->size() : 0);
  }
  return v;
}

}  // namespace train
