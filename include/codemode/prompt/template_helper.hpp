#pragma once

/// @file
/// What a host can add to templates: helpers and partials.

#include <codemode/prompt/template_syntax.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace codemode {
inline namespace v0_1 {

/// Why a helper refuses; becomes the template error's message.
struct helper_error {
  std::string message{};
};

/// What a helper gives: nothing, a JSON value (a string is text), or an error.
using helper_result = std::variant<std::monostate, json::value, helper_error>;

/// One call of a helper. Valid during the call only.
class helper_call {
 public:
  using argument = const json::value*;  ///< null pointer: the path leads nowhere
  struct hash_entry {
    std::string_view name{};
    argument value = nullptr;
  };
  /// Renders the body or the inverse: context (null pointer: the current one), index or none.
  using renderer = std::function<std::string(bool inverse, argument context, std::optional<std::size_t> index)>;

  helper_call(std::span<const argument> arguments, std::span<const hash_entry> hash, argument context,
              const renderer* render) noexcept
      : arguments_(arguments), hash_(hash), context_(context), render_(render) {}

  [[nodiscard]] std::span<const argument> arguments() const noexcept { return arguments_; }
  /// The n-th argument, or null pointer.
  [[nodiscard]] argument at(std::size_t n) const noexcept { return n < arguments_.size() ? arguments_[n] : nullptr; }
  [[nodiscard]] std::span<const hash_entry> hash() const noexcept { return hash_; }
  /// The hash member `name`, or null pointer.
  [[nodiscard]] argument hash(std::string_view name) const noexcept {
    for (const hash_entry& e : hash_)
      if (e.name == name) return e.value;
    return nullptr;
  }
  /// The context that the tag stands in, or null pointer.
  [[nodiscard]] argument context() const noexcept { return context_; }
  [[nodiscard]] bool is_block() const noexcept { return render_ != nullptr; }

  /// Text of a block's body in the current context or in `context`; `index` becomes `@index`. Empty if the
  /// tag is no block, or if rendering failed: then what the helper gives is dropped, too.
  [[nodiscard]] std::string body() const { return render_ != nullptr ? (*render_)(false, nullptr, {}) : std::string{}; }
  [[nodiscard]] std::string body(const json::value& context, std::optional<std::size_t> index = {}) const {
    return render_ != nullptr ? (*render_)(false, &context, index) : std::string{};
  }
  /// Text of the part behind `{{else}}`.
  [[nodiscard]] std::string inverse() const {
    return render_ != nullptr ? (*render_)(true, nullptr, {}) : std::string{};
  }

 private:
  std::span<const argument> arguments_;
  std::span<const hash_entry> hash_;
  argument context_;
  const renderer* render_;
};

/// A helper of the host. Called on the thread that renders.
using template_helper = std::function<helper_result(const helper_call&)>;

/// Appends the text form of a value (section 19.2): nothing for null, numbers as JavaScript prints them, arrays
/// joined by commas, `[object Object]` for objects.
template <text_sink S>
void append_text_form(S& sink, const json::value* v) {
  if (v == nullptr || v->is_null()) return;
  if (v->is_string()) sink.append(v->string());
  else if (v->is_boolean()) sink.append(v->is_true() ? std::string_view{"true"} : std::string_view{"false"});
  else if (v->is_number()) v->append_number(sink);
  else if (v->is_object()) sink.append(std::string_view{"[object Object]"});
  else {
    bool first = true;
    for (const json::value& item : v->items()) {
      if (!first) sink.append(std::string_view{","});
      first = false;
      append_text_form(sink, &item);
    }
  }
}

/// The text form as a string.
[[nodiscard]] inline std::string text_form(const json::value* v) {
  std::string out;
  append_text_form(out, v);
  return out;
}

}  // namespace v0_1
}  // namespace codemode
