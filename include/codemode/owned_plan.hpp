#pragma once

/// @file
/// A plan that stands alone: with its own copy of the names and strings that a plan borrows.

#include <codemode/detail/text_arena.hpp>
#include <codemode/plan.hpp>

#include <cstddef>
#include <string_view>
#include <utility>

namespace codemode {
inline namespace v0_1 {

/// Owns a plan and all of its text, in one allocation. Outlives instruction, catalog and planner; what it
/// gives out is valid as long as it is, also after a move. Converts to `const plan&`, so that every
/// function that takes a plan takes it.
class owned_plan {
 public:
  /// An empty plan, of no calls.
  owned_plan() = default;
  /// Copies `p` and all that it points to. Its counts must be within its arrays.
  explicit owned_plan(const plan& p) : plan_(p) {
    std::size_t size = 0;
    each_view(plan_, [&size](std::string_view& s) { size += s.size(); });
    text_.reset(size);
    each_view(plan_, [this](std::string_view& s) {
      const std::size_t begin = text_.size();
      text_.append(s);
      s = text_.since(begin);
    });
  }
  owned_plan(const owned_plan& other) : owned_plan(other.plan_) {}
  owned_plan(owned_plan&& other) noexcept
      : text_(std::move(other.text_)), plan_(std::exchange(other.plan_, plan{})) {}
  owned_plan& operator=(owned_plan other) noexcept {
    text_ = std::move(other.text_);
    plan_ = std::exchange(other.plan_, plan{});
    return *this;
  }
  ~owned_plan() = default;

  [[nodiscard]] const plan& get() const& noexcept { return plan_; }
  void get() const&& = delete;
  [[nodiscard]] const plan& operator*() const& noexcept { return plan_; }
  void operator*() const&& = delete;
  [[nodiscard]] const plan* operator->() const noexcept { return &plan_; }
  // NOLINTNEXTLINE(google-explicit-constructor): it is a plan wherever one is read.
  [[nodiscard]] operator const plan&() const& noexcept { return plan_; }

 private:
  template <class F>
  static void each_view(plan& p, F f) {
    for (std::size_t c = 0; c < p.call_count; ++c) {
      call& one = p.call_list[c];
      f(one.tool);
      for (std::size_t a = 0; a < one.argument_count; ++a) {
        argument& arg = one.argument_list[a];
        f(arg.name);
        if (arg.value.type() != value_type::string) continue;
        std::string_view json = arg.value.json();
        f(json);
        arg.value = value::string(json);
      }
    }
    for (std::size_t i = 0; i < p.output.field_count; ++i) f(p.output.field_list[i]);
  }

  detail::text_arena text_;
  plan plan_;
};

/// A copy of `p` that stands alone. Allocates once.
[[nodiscard]] inline owned_plan own(const plan& p) { return owned_plan(p); }

}  // namespace v0_1
}  // namespace codemode
