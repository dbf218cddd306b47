#pragma once

/// @file
/// The text forms of answers (contract.md, 1.5 to 1.8): what people and terse agents read.

#include <codemode/contract/json.hpp>
#include <codemode/contract/types.hpp>
#include <codemode/text/json_text.hpp>
#include <codemode/text/sink.hpp>
#include <codemode/text/utf8.hpp>

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace contract {

/// What becomes of text that others wrote: tools, servers, queries.
enum class foreign_text : std::uint8_t {
  escaped,  ///< control characters and direction marks as `\u001b`, a line feed with an indent, a tab as a space
  raw       ///< as it is; for a reader that does its own escaping
};

struct render_options {
  contract::foreign_text foreign = contract::foreign_text::escaped;
};

/// Types that have a text form.
template <class T>
concept renderable =
    std::same_as<T, find_result> || std::same_as<T, describe_result> || std::same_as<T, call_result> ||
    std::same_as<T, list_result> || std::same_as<T, doctor_result> || std::same_as<T, error_envelope> ||
    std::same_as<T, message>;

namespace detail {

/// Code points that move a cursor, end a line or turn the direction of reading.
[[nodiscard]] constexpr bool is_unsafe_in_text(char32_t c) noexcept {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x061C || c == 0x200E || c == 0x200F ||
         (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

}  // namespace detail

/// Appends text that somebody else wrote so that it cannot pass for ours: control characters and direction
/// marks become `\u001b`, a line feed is followed by four spaces, a tab becomes a space, bytes that are no UTF-8
/// become U+FFFD (contract.md, 2.12.12).
template <text_sink S>
constexpr void append_foreign(S& sink, std::string_view foreign) {
  text::detail::append_escaped(sink, foreign, detail::is_unsafe_in_text, [&sink](char32_t c) {
    if (c == U'\n') sink.append(std::string_view{"\n    "});
    else if (c == U'\t') sink.append(std::string_view{" "});
    else text::append_unicode_escape(sink, static_cast<std::uint16_t>(c));
  });
}

/// Appends the notice of an age in seconds, as `all_notices` has it.
template <text_sink S>
constexpr void append_cache_notice(S& sink, std::int64_t seconds) {
  sink.append(std::string_view{"this answer is from the cache and "});
  detail::write_value(seconds, sink);
  sink.append(std::string_view{"s old; what it describes may have changed since"});
}

/// The notices to show beside a result: its own, and the one of its age if it comes from the cache.
[[nodiscard]] inline std::vector<std::string> all_notices(const call_result& r) {
  std::vector<std::string> notices = r.notices;
  if (r.cached_age_seconds) append_cache_notice(notices.emplace_back(), *r.cached_age_seconds);
  return notices;
}

namespace detail {

/// Passes text on but for line feeds at its very end.
template <text_sink S>
class trimming_sink {
 public:
  constexpr explicit trimming_sink(S& sink) noexcept : sink_(sink) {}
  constexpr void append(std::string_view piece) {
    const std::size_t last = piece.find_last_not_of('\n');
    if (last == std::string_view::npos) {
      held_ += piece.size();
      return;
    }
    for (; held_ > 0; --held_) sink_.append(std::string_view{"\n"});
    sink_.append(piece.substr(0, last + 1));
    held_ = piece.size() - last - 1;
  }

 private:
  S& sink_;
  std::size_t held_ = 0;
};

template <text_sink S>
class renderer {
 public:
  constexpr renderer(S& sink, bool concise, render_options options) noexcept
      : sink_(sink), concise_(concise), raw_(options.foreign == foreign_text::raw) {}

  constexpr void render(const find_result& r) {
    if (concise_) {
      foreign(r.decision);
      if (!r.selected_tool_ref.empty()) {
        ours(" -> ");
        foreign(r.selected_tool_ref);
      }
      return;
    }
    ours("query: ");
    foreign(r.query);
    ours("\ndecision: ");
    foreign(r.decision);
    if (!r.selected_tool_ref.empty()) {
      ours("\nselected: ");
      foreign(r.selected_tool_ref);
      ours(" (");
      foreign(r.confidence);
      ours(")");
    }
    if (!r.reason.empty()) {
      ours("\nreason: ");
      foreign(r.reason);
    }
    if (!r.agent_instruction.empty()) {
      ours("\n→ ");
      foreign(r.agent_instruction);
    }
  }

  constexpr void render(const describe_result& r) {
    foreign(r.tool_ref);
    if (concise_) return;
    ours(" — ");
    foreign(r.title);
    ours("\n");
    foreign(r.description);
    for (const std::string& hint : r.usage_hints) {
      ours("\n  - ");
      foreign(hint);
    }
  }

  constexpr void render(const call_result& r) {
    ours(concise_ ? "ok " : "✓ ");
    foreign(r.tool_ref);
    if (concise_) return;
    ours("\n  ");
    foreign(r.result_summary);
    for (const std::string& notice : r.notices) {
      ours("\n  ! ");
      foreign(notice);
    }
    if (r.cached_age_seconds) {
      ours("\n  ! ");
      append_cache_notice(sink_, *r.cached_age_seconds);
    }
  }

  constexpr void render(const list_result& r) {
    if (!r.tools || r.tools->empty()) {
      if (concise_) return ours("0 tools");
      ours("No indexed tools.");
      if (r.agent_instruction.empty()) return;
      ours("\n→ ");
      return foreign(r.agent_instruction);
    }
    trimming_sink<S> trimmed(sink_);
    renderer<trimming_sink<S>> rows(trimmed, concise_, options());
    for (const listed_tool& t : *r.tools) {
      if (&t != r.tools->data()) rows.ours("\n");
      rows.foreign(t.tool_ref);
      rows.ours("\t");
      rows.foreign(t.freshness);
      rows.ours("\t");
      rows.foreign(t.title);
    }
  }

  constexpr void render(const doctor_result& r) {
    const std::size_t count = r.checks ? r.checks->size() : 0;
    if (concise_) {
      ours(r.ok ? "doctor ok=true checks=" : "doctor ok=false checks=");
      return write_value(static_cast<std::int64_t>(count), sink_);
    }
    trimming_sink<S> trimmed(sink_);
    renderer<trimming_sink<S>> lines(trimmed, concise_, options());
    for (std::size_t i = 0; i < count; ++i) {
      const doctor_check& c = (*r.checks)[i];
      lines.ours(c.status == check_warn ? "! " : c.status == check_error ? "✗ " : "✓ ");
      lines.foreign(c.name);
      lines.ours(": ");
      lines.foreign(c.detail);
      lines.ours("\n");
    }
    if (r.agent_instruction.empty()) return;
    lines.ours("→ ");
    lines.foreign(r.agent_instruction);
  }

  constexpr void render(const error_envelope& r) {
    const contract::error none{};
    const contract::error& e = r.error ? *r.error : none;
    ours(concise_ ? "error " : "✗ ");
    foreign(e.type);
    ours(concise_ ? ": " : "\n  ");
    foreign(e.message);
    if (concise_) return;
    if (!e.tool_ref.empty()) {
      ours("\n  toolRef: ");
      foreign(e.tool_ref);
    }
    ours(e.retryable ? "\n  retryable: true\n  → " : "\n  retryable: false\n  → ");
    foreign(e.agent_instruction);
  }

  constexpr void render(const message& m) { foreign(m.text); }

  constexpr void ours(std::string_view text) { sink_.append(text); }
  constexpr void foreign(std::string_view text) {
    if (raw_) sink_.append(text);
    else append_foreign(sink_, text);
  }

 private:
  [[nodiscard]] constexpr render_options options() const noexcept {
    return {raw_ ? foreign_text::raw : foreign_text::escaped};
  }
  S& sink_;
  bool concise_;
  bool raw_;
};

}  // namespace detail

/// Whether `format` is one of the contract's; the empty one is. One that is not acts as `human`.
[[nodiscard]] constexpr bool is_known_format(std::string_view format) noexcept {
  return format.empty() || format == format_human || format == format_json || format == format_concise;
}

/// Appends the text form: the concise one if `format` is exactly that, else the human one. No line feed at the
/// end. Never allocates.
template <renderable T, text_sink S>
constexpr void render(const T& value, std::string_view format, S& sink, render_options options = {}) {
  detail::renderer<S>(sink, format == format_concise, options).render(value);
}

/// Appends what a command prints: indented JSON for format `json` and for types without a text form, else the
/// text form and a line feed.
template <wire_type T, text_sink S>
constexpr void write_output(const T& value, std::string_view format, S& sink, render_options options = {}) {
  if constexpr (renderable<T>) {
    if (format != format_json) {
      render(value, format, sink, options);
      sink.append(std::string_view{"\n"});
      return;
    }
  }
  write_indented_json(value, sink);
}

}  // namespace contract
}  // namespace v0_1
}  // namespace codemode
