#pragma once

/// @file
/// One schema in one dialect: the text that is sent and what it lost on the way (schema.md 3 and 15).

#include <codemode/schema/emitter.hpp>
#include <codemode/schema/perspective.hpp>
#include <codemode/text/sink.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace schema {

/// How a schema is emitted.
struct emit_options {
  use purpose = use::tool;
  bool describe_losses = false;         ///< tell the model in descriptions what the schema could not say (15.3)
  double max_emitted_nodes = 65'536;    ///< more schema objects fail with `emission_too_large`
};

namespace detail {

template <const descriptor& D>
struct constant_dialect {
  [[nodiscard]] static constexpr const descriptor& get() noexcept { return D; }
};
struct any_dialect {
  const descriptor* value;
  [[nodiscard]] constexpr const descriptor& get() const noexcept { return *value; }
};

}  // namespace detail

/// A loss in words. `keyword` is the source's.
struct named_loss {
  std::string pointer{};
  std::string keyword{};
  action done = action::dropped;
  friend bool operator==(const named_loss&, const named_loss&) = default;
  friend auto operator<=>(const named_loss& a, const named_loss& b) {
    if (const auto c = a.pointer <=> b.pointer; c != 0) return c;
    if (const auto c = a.keyword <=> b.keyword; c != 0) return c;
    return a.done <=> b.done;
  }
};

/// The memory of emission, decoding, analysis and lint. One for each thread; reuse it, and nothing is allocated once it has
/// met the largest schema. Answers borrow it: they are valid until its next use.
class workspace {
 public:
  /// @name For the other headers
  /// @{
  [[nodiscard]] perspective& view() noexcept { return view_; }
  [[nodiscard]] const perspective& view() const noexcept { return view_; }
  [[nodiscard]] detail::emitter_state& state() noexcept { return state_; }
  [[nodiscard]] const detail::emitter_state& state() const noexcept { return state_; }
  /// @}

 private:
  perspective view_;
  detail::emitter_state state_;
};

/// What became of a schema. Borrows the workspace and the tree.
class emission {
 public:
  explicit emission(workspace& w) noexcept : w_(&w) {}

  /// False: more schema objects than `max_emitted_nodes`, or nested too deeply. Then there is no text.
  [[nodiscard]] explicit operator bool() const noexcept { return !w_->state().failed; }

  /// Writes the schema as compact JSON; the same bytes each time.
  template <text_sink S>
  void write(S& sink) const {
    if (!w_->state().failed) w_->state().draft.write(w_->state().schema, sink);
  }
  /// The losses in no particular order, perhaps with repeats: no allocation.
  [[nodiscard]] const std::vector<loss>& raw_losses() const noexcept { return w_->state().losses; }
  /// Whether anything is lost that a model could have kept to: dropped, widened or described.
  [[nodiscard]] bool is_clean() const noexcept {
    for (const loss& x : raw_losses())
      if (is_real(x.done)) return false;
    return true;
  }
  /// The losses by pointer, keyword and action, each once.
  [[nodiscard]] std::vector<named_loss> losses() const {
    const layers& l = w_->view().parts();
    std::vector<loss> raw = raw_losses();
    const auto order = [](const loss& a, const loss& b) {
      return a.place != b.place ? a.place < b.place : a.key != b.key ? a.key < b.key : a.done < b.done;
    };
    std::sort(raw.begin(), raw.end(), order);
    raw.erase(std::unique(raw.begin(), raw.end()), raw.end());
    std::vector<named_loss> out;
    out.reserve(raw.size());
    for (const loss& x : raw) {
      named_loss& n = out.emplace_back();
      l.source().write_pointer(x.place, n.pointer);
      if (x.key < first_unknown_key) n.keyword = to_string(static_cast<keyword>(x.key));
      else l.json(x.key - first_unknown_key).decode(n.keyword);
      n.done = x.done;
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

 private:
  workspace* w_;
};

/// Emits a schema in a dialect that is known at compile time: what the dialect does not do is not compiled.
template <const descriptor& D>
emission emit(const tree& source, workspace& w, const emit_options& options = {}) {
  w.view().start(source, D, options.purpose);
  detail::emitter<detail::constant_dialect<D>> e({}, w.state(), w.view(), options.describe_losses,
                                                 options.max_emitted_nodes);
  (void)e.run(false);
  return emission{w};
}

/// Emits a schema in any dialect. The same bytes as the form for a constant one.
inline emission emit(const tree& source, const descriptor& d, workspace& w, const emit_options& options = {},
                     bool lint = false) {
  w.view().start(source, d, options.purpose);
  detail::emitter<detail::any_dialect> e({&d}, w.state(), w.view(), options.describe_losses, options.max_emitted_nodes);
  (void)e.run(lint);
  return emission{w};
}

/// Emits straight into a sink, with memory of its own. False where the emission would be too large.
template <const descriptor& D, text_sink S>
[[nodiscard]] bool emit(const tree& source, S& sink, const emit_options& options = {}) {
  workspace w;
  const emission e = emit<D>(source, w, options);
  e.write(sink);
  return static_cast<bool>(e);
}
template <text_sink S>
[[nodiscard]] bool emit(const tree& source, const descriptor& d, S& sink, const emit_options& options = {}) {
  workspace w;
  const emission e = emit(source, d, w, options);
  e.write(sink);
  return static_cast<bool>(e);
}

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
