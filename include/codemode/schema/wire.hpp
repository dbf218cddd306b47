#pragma once

/// @file
/// What a model answered: from the dialect's spelling to the natural value, checked against the source; and the
/// arguments of a tool call with their one repair (schema.md 4 and 10).

#include <codemode/schema/decoder.hpp>
#include <codemode/schema/emit.hpp>
#include <codemode/schema/nesting.hpp>
#include <codemode/schema/validate.hpp>
#include <codemode/text/sink.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace schema {

/// Decodes answers of one dialect. Keeps its memory; one for each thread. Values borrow it, and are valid until its next
/// use.
class wire_decoder {
 public:
  /// Gets ready for answers to a schema that was sent in a dialect for a purpose. Borrows the tree and the descriptor.
  void start(const tree& source, const descriptor& d, use purpose = use::tool) {
    // Only JSON text in strings asks which references were cut; else the view alone is enough.
    if (d.any == any_encoding::json_string) (void)emit(source, d, work_, {.purpose = purpose});
    else work_.view().start(source, d, purpose);
    if (d.any != any_encoding::json_string || work_.state().failed) work_.state().cut.clear();
    decoder_.start(work_.view(), work_.state().cut);
    natural_ = false;
  }
  /// Gets ready for answers that are in natural form already.
  void start_natural(const tree& source) {
    start(source, natural_form);
    natural_ = true;
  }

  /// The natural value of an answer. Never fails: a part that makes no sense stays as it is, and validation tells.
  [[nodiscard]] json::element decode(const json::element& wire) {
    if (natural_) {
      value_.clear();
      value_.copy(wire);
    } else {
      decoder_.run(wire, value_);
    }
    return value_.root();
  }
  /// Whether the source accepts a natural value. One that is nested deeper than `max_depth` is accepted by none.
  [[nodiscard]] bool accepts(const json::element& natural) {
    return !detail::is_nested_deeper(natural, max_depth) && work_.view().checks().accepts(natural);
  }
  /// All that is wrong with a natural value; empty when nothing is.
  [[nodiscard]] std::vector<violation> violations(const json::element& natural) {
    std::vector<violation> out;
    if (detail::is_nested_deeper(natural, max_depth)) {
      out.emplace_back().expected = "less nesting";
      return out;
    }
    (void)work_.view().checks().violations(natural, out);
    return out;
  }

  /// @name For the other headers
  /// @{
  [[nodiscard]] workspace& work() noexcept { return work_; }
  [[nodiscard]] detail::decoder& codec() noexcept { return decoder_; }
  /// @}

 private:
  static constexpr descriptor natural_form{};
  workspace work_;
  detail::decoder decoder_;
  json::tape value_;
  bool natural_ = false;
};

/// Appends a sentence that a model can act on: where, what is wrong, what is expected and what was found.
template <text_sink S>
void write_message(const violation& v, S& sink) {
  const auto put = [&sink](std::string_view s) { sink.append(s); };
  put(v.instance.empty() ? std::string_view{"The value"} : std::string_view{v.instance});
  switch (v.said) {
    case keyword::type: put(" must be of type "); break;
    case keyword::required: put(" lacks a required property of "); break;
    case keyword::enum_: put(" must be one of "); break;
    case keyword::const_: put(" must be "); break;
    case keyword::additional_properties: put(" has a property that is not allowed; additionalProperties is "); break;
    case keyword::any_of: put(" fits none of the alternatives "); break;
    case keyword::one_of: put(" must fit exactly one of the alternatives "); break;
    default:
      put(" breaks ");
      put(to_string(v.said));
      put(" ");
      break;
  }
  put(v.expected);
  put(", found ");
  put(v.found);
  put(".");
}

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
