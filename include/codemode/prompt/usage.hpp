#pragma once

/// @file
/// What a model call cost (prompt.md, section 3.5).

#include <codemode/config.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace prompt {

/// Counts of one kind of text.
struct token_usage {
  std::optional<std::int64_t> input{};
  std::optional<std::int64_t> output{};
  std::optional<std::int64_t> cached{};
};
struct audio_usage {
  std::optional<std::int64_t> input{};
  std::optional<std::int64_t> output{};
  std::optional<double> seconds{};
};
struct image_output {
  std::string quality{};
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t count = 0;
};
struct image_usage {
  std::optional<std::int64_t> input{};
  std::vector<image_output> output{};
};
struct embedding_usage {
  std::optional<std::int64_t> count{};
  std::optional<std::int64_t> tokens{};
};

/// Every part is optional and stays absent until a model reports it.
struct usage {
  std::optional<token_usage> text{};
  std::optional<audio_usage> audio{};
  std::optional<image_usage> image{};
  std::optional<token_usage> reasoning{};
  std::optional<embedding_usage> embeddings{};
  std::optional<double> cost{};

  [[nodiscard]] bool is_empty() const noexcept { return !text && !audio && !image && !reasoning && !embeddings && !cost; }
};

namespace detail {

template <class T>
void add(std::optional<T>& to, const std::optional<T>& more)
  requires(std::is_arithmetic_v<T>)
{
  if (more) to = to.value_or(T{}) + *more;
}
inline void add(token_usage& to, const token_usage& more) {
  add(to.input, more.input);
  add(to.output, more.output);
  add(to.cached, more.cached);
}
inline void add(audio_usage& to, const audio_usage& more) {
  add(to.input, more.input);
  add(to.output, more.output);
  add(to.seconds, more.seconds);
}
inline void add(image_usage& to, const image_usage& more) {
  add(to.input, more.input);
  for (const image_output& m : more.output) {
    bool found = false;
    for (image_output& t : to.output)
      if (t.quality == m.quality && t.width == m.width && t.height == m.height) {
        t.count += m.count;
        found = true;
        break;
      }
    if (!found) to.output.push_back(m);
  }
}
inline void add(embedding_usage& to, const embedding_usage& more) {
  add(to.count, more.count);
  add(to.tokens, more.tokens);
}
template <class Part>
void add_part(std::optional<Part>& to, const std::optional<Part>& more) {
  if (!more) return;
  if (!to) to.emplace();
  add(*to, *more);
}
[[nodiscard]] constexpr std::int64_t or_zero(const std::optional<std::int64_t>& n) noexcept { return n ? *n : 0; }

}  // namespace detail

/// Adds number by number; what is absent on both sides stays absent. Image outputs of one quality and size
/// add their counts.
inline usage& operator+=(usage& to, const usage& more) {
  detail::add_part(to.text, more.text);
  detail::add_part(to.audio, more.audio);
  detail::add_part(to.image, more.image);
  detail::add_part(to.reasoning, more.reasoning);
  detail::add_part(to.embeddings, more.embeddings);
  detail::add(to.cost, more.cost);
  return to;
}

/// Tokens that went in.
[[nodiscard]] inline std::int64_t input_tokens(const usage& u) noexcept {
  using detail::or_zero;
  return (u.text ? or_zero(u.text->input) : 0) + (u.audio ? or_zero(u.audio->input) : 0) +
         (u.image ? or_zero(u.image->input) : 0) + (u.reasoning ? or_zero(u.reasoning->input) : 0) +
         (u.embeddings ? or_zero(u.embeddings->tokens) : 0);
}
/// Tokens that came out. Generated images are no tokens.
[[nodiscard]] inline std::int64_t output_tokens(const usage& u) noexcept {
  using detail::or_zero;
  return (u.text ? or_zero(u.text->output) : 0) + (u.audio ? or_zero(u.audio->output) : 0) +
         (u.reasoning ? or_zero(u.reasoning->output) : 0);
}
/// Input, output and cached.
[[nodiscard]] inline std::int64_t total_tokens(const usage& u) noexcept {
  using detail::or_zero;
  return input_tokens(u) + output_tokens(u) + (u.text ? or_zero(u.text->cached) : 0) +
         (u.reasoning ? or_zero(u.reasoning->cached) : 0);
}

}  // namespace prompt
}  // namespace v0_1
}  // namespace codemode
