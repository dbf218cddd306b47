#pragma once

// A network whose answers are written by hand, and the decoder run on them: what an instruction's tokens are said
// to be is then a fact, and only the decoder is tested. Everything that is not scripted is said to be nothing.

#include "frontend_fixture.hpp"

#include <codemode/decoder/decide.hpp>
#include <codemode/network/heads.hpp>
#include <codemode/plan_json.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fixture {

/// What the decoder asks of a network. Logits of 8 are certainties, 0 is no opinion.
class scripted_output {
 public:
  scripted_output() {
    for (auto& token : roles_) token[static_cast<std::size_t>(token_role::none)] = sure;
    none_.fill(sure);
    pooled_.fill(0);
    for (std::size_t c = 1; c < class_count; ++c) pooled_[c] = -2 * sure;
    for (std::size_t l = 0; l < links; ++l)
      for (std::size_t i = 0; i < max_tokens; ++i)
        for (std::size_t j = 0; j < max_tokens; ++j)
          // Calls run as they are told, unless the script says otherwise.
          pairs_[place(l, i, j)] = l == static_cast<std::size_t>(codemode::link_kind::order) && i < j ? sure : -sure;
  }

  static constexpr float sure = 8;

  /// Says that token `k` has role `r`, with a logit against that of `none`.
  void be(std::size_t k, token_role r, float logit = sure) {
    roles_[k].fill(0);
    if (logit < sure) roles_[k][static_cast<std::size_t>(token_role::none)] = sure - logit;
    roles_[k][static_cast<std::size_t>(r)] = logit;
  }
  void tie(codemode::link_kind l, std::size_t from, std::size_t to, float logit = sure) {
    pairs_[place(static_cast<std::size_t>(l), from, to)] = logit;
    if (l == codemode::link_kind::argument) none_[from] = 0;
  }
  void say(std::size_t evidence, float logit) { pooled_[evidence] = logit; }
  void point(std::size_t k, std::size_t evidence) { evidence_[k * pooled_.size() + evidence] = sure; }

  [[nodiscard]] float role(std::size_t k, std::size_t r) const { return roles_[k][r]; }
  [[nodiscard]] float none(std::size_t k) const { return none_[k]; }
  [[nodiscard]] float pair(std::size_t l, std::size_t i, std::size_t j) const { return pairs_[place(l, i, j)]; }
  [[nodiscard]] float pooled(std::size_t n) const { return pooled_[n]; }
  [[nodiscard]] float evidence(std::size_t k, std::size_t n) const { return evidence_[k * pooled_.size() + n]; }

 private:
  static constexpr std::size_t links = 3;
  [[nodiscard]] static std::size_t place(std::size_t l, std::size_t i, std::size_t j) {
    return (l * max_tokens + i) * max_tokens + j;
  }

  std::array<std::array<float, role_count>, max_tokens> roles_{};
  std::array<float, max_tokens> none_{};
  std::array<float, evidence_all + 1> pooled_{};
  std::vector<float> pairs_ = std::vector<float>(links * max_tokens * max_tokens);
  std::vector<float> evidence_ = std::vector<float>(max_tokens * (evidence_all + 1), -sure);
};

/// An instruction, which is borrowed, its tokens and what the network says of them. Tokens are named as they are
/// spelled; the second `"x"` is `"x"` with a 1.
class script {
 public:
  script(const tools& catalog, std::string_view instruction) : catalog_(&catalog), text_(instruction) {
    REQUIRE_FALSE(tokenize(text_, catalog.list, catalog.names, tokens_));
  }

  struct place {
    place(const char* s) : spelled(s) {}
    place(const std::string& s) : spelled(s) {}
    place(std::string_view s, std::size_t n) : spelled(s), nth(n) {}
    std::string_view spelled;
    std::size_t nth = 0;
  };

  [[nodiscard]] std::size_t at(place p) const {
    for (std::size_t k = 0; k < tokens_.count; ++k)
      if (spelled(k) == p.spelled && p.nth-- == 0) return k;
    FAIL("no such token: " << p.spelled);
    return 0;
  }
  [[nodiscard]] std::string_view spelled(std::size_t k) const {
    return text_.substr(tokens_[k].begin, tokens_[k].end - tokens_[k].begin);
  }

  script& be(place p, token_role r, float logit = scripted_output::sure) { return out.be(at(p), r, logit), *this; }
  script& call(place p, float logit = scripted_output::sure) { return be(p, token_role::call, logit); }
  script& exclude(place p) { return be(p, token_role::mention); }
  /// Gives a value to the argument that `mention` names, in the calls that begin at `calls`.
  template <class... Calls>
  script& give(place v, place mention, const Calls&... calls) {
    out.be(at(v), token_role::value);
    return attach(v, mention, calls...);
  }
  /// The same for a value that begins a further call of the tool before it.
  template <class... Calls>
  script& again(place v, place mention, const Calls&... calls) {
    out.be(at(v), token_role::new_call);
    out.tie(codemode::link_kind::call, at(v), at(v));
    return attach(v, mention, calls...);
  }
  script& limit(place p) { return be(p, token_role::limit); }
  script& field(place p, float logit = scripted_output::sure) { return be(p, token_role::property, logit); }
  script& before(place a, place b) {
    out.tie(codemode::link_kind::order, at(a), at(b));
    out.tie(codemode::link_kind::order, at(b), at(a), -scripted_output::sure);
    return *this;
  }
  script& parallel() { return out.say(evidence_parallel, scripted_output::sure), *this; }
  script& last() { return out.say(evidence_last, scripted_output::sure), *this; }
  /// Says that the sentence is to be refused, and where one sees it.
  script& refuse(errc code, place p, float logit = 2 * scripted_output::sure) {
    for (std::size_t c = 1; c < class_count; ++c) {
      if (class_codes[c] != code) continue;
      out.say(c, logit);
      out.point(at(p), c);
    }
    return *this;
  }

  /// Decides. A plan's confidence is 0.5, whatever it is, so that `threshold` alone says what is refused.
  [[nodiscard]] result<plan> run(float threshold = 0) {
    detail::confidence_figures figures{};
    return detail::decide(text_, catalog_->list, catalog_->names, tokens_, out, std::span<const float>{}, threshold,
                          *work_, figures);
  }
  /// The plan as JSON, or `!code`.
  [[nodiscard]] std::string answer(float threshold = 0) {
    const auto r = run(threshold);
    if (!r) return "!" + std::string(to_string(r.error().code));
    std::string s;
    write_json(*r, s);
    return s;
  }
  [[nodiscard]] const detail::findings& found() const { return work_->found; }
  [[nodiscard]] const token_list& tokens() const { return tokens_; }

  scripted_output out;

 private:
  template <class... Calls>
  script& attach(place v, place mention, const Calls&... calls) {
    out.be(at(mention), token_role::argument);
    out.tie(codemode::link_kind::argument, at(v), at(mention));
    (out.tie(codemode::link_kind::call, at(v), at(place(calls))), ...);
    return *this;
  }

  const tools* catalog_;
  std::string_view text_;
  token_list tokens_;
  std::unique_ptr<detail::search_workspace> work_ = std::make_unique<detail::search_workspace>();
};

}  // namespace fixture
