#pragma once

/// @file
/// Input lines: one JSON object each, with an instruction and the catalog that it is planned against.

#include <codemode/catalog.hpp>
#include <codemode/detail/text_arena.hpp>
#include <codemode/json/document.hpp>
#include <codemode/json/reader.hpp>
#include <codemode/plan.hpp>
#include <codemode/result.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace codemode {
inline namespace v0_1 {

/// One line of input, reused line after line:
///
///     codemode::record r;
///     while (next_line(line)) {
///       if (auto bad = r.assign(line)) refuse(r.id(), *bad);
///       else answer(r.id(), planner.plan(r.instruction(), r.tools()));
///     }
///
/// Everything in it borrows the line and this object: valid until the next `assign` and while the line is.
/// No allocation once the longest line has been met. Movable; one record for each thread.
class record {
 public:
  /// Reads `line` (no byte order mark; a carriage return at its end is white space). Nothing is returned if it is
  /// a record, else the reason:
  ///
  /// - `invalid_json`: not one JSON object in UTF-8, or a member of the object is repeated, whichever it is;
  /// - `invalid_record`: `instruction` is missing or no string, `tools` is missing, no array, or has 0 or more than
  ///   8 entries, or `id` is neither string nor number;
  /// - `invalid_catalog`: an entry of `tools` breaks the contract (see `catalog`);
  /// - `bad_string`: the instruction has a surrogate escape (`\uD800`) without its partner, so that it is no
  ///   Unicode text and has no UTF-8 form.
  ///
  /// Other members, and what is inside them, need only be well-formed. The diagnostic's views point into
  /// `line`, its range counts bytes of `line`. After a failure only `id` is of use.
  [[nodiscard]] std::optional<diagnostic> assign(std::string_view line) {
    id_ = {};
    instruction_ = {};
    auto bad = read_line(line);
    if (bad) tools_.clear();
    return bad;
  }

  /// JSON text of the member `id`, as it is written, to be echoed; empty if there is none. Known also after
  /// a failure, if the line is an object whose `id` is a string or a number and is not repeated.
  [[nodiscard]] std::string_view id() const noexcept { return id_; }
  /// The instruction, decoded: valid UTF-8 that may hold any character, U+0000 included.
  [[nodiscard]] std::string_view instruction() const noexcept { return instruction_; }
  [[nodiscard]] const catalog& tools() const noexcept { return tools_; }

 private:
  [[nodiscard]] static diagnostic refuse(errc code, std::string_view member, const json::element& at,
                                         std::string_view what) noexcept {
    diagnostic d;
    d.code = code;
    d.argument = member;
    d.found = at.raw();
    d.what = what;
    d.begin = at.begin_offset();
    d.end = at.end_offset();
    return d;
  }

  [[nodiscard]] std::optional<diagnostic> read_line(std::string_view line) {
    const auto document = reader_.read(line);
    if (!document) return document.error();
    const json::element root = document->root();
    if (!root.is_object()) return refuse(errc::invalid_json, {}, root, "a line must be one JSON object");
    return read_members(root);
  }

  [[nodiscard]] std::optional<diagnostic> read_members(const json::element& root) {
    std::optional<json::element> id;
    std::optional<json::element> instruction;
    std::optional<json::element> tools;
    std::size_t ids = 0;
    for (const json::member m : root.members()) {
      if (m.key.equals("id")) {
        id = m.value;
        ++ids;
      } else if (m.key.equals("instruction")) {
        instruction = m.value;
      } else if (m.key.equals("tools")) {
        tools = m.value;
      }
    }
    const bool id_fits = id && (id->is_string() || id->kind() == json::kind::number);
    if (id_fits && ids == 1) id_ = id->raw();
    if (const auto repeated = duplicates_.find_key(root))
      return refuse(errc::invalid_json, repeated->content(), *repeated,
                    "a member of a record must not be repeated");
    if (id && !id_fits) return refuse(errc::invalid_record, "id", *id, "the id must be a string or a number");
    if (!instruction || !tools) {
      diagnostic d = refuse(errc::invalid_record, instruction ? "tools" : "instruction", root,
                            "this member of the record is missing");
      d.found = {};  // it would be the whole line
      return d;
    }
    if (!instruction->is_string())
      return refuse(errc::invalid_record, "instruction", *instruction, "the instruction must be a string");
    if (!tools->is_array())
      return refuse(errc::invalid_record, "tools", *tools, "tools must be an array of tools");
    if (tools->size() == 0 || tools->size() > max_tools) {
      diagnostic d = refuse(errc::invalid_record, "tools", *tools, "a record must have 1 to 8 tools");
      d.needed = tools->size();
      return d;
    }
    if (auto bad = tools_.assign(*tools)) return bad;
    if (instruction->lone_surrogate())
      return refuse(errc::bad_string, {}, *instruction,
                    "a surrogate escape in the instruction lacks its partner; write the character itself or "
                    "both escapes");
    instruction_ = instruction->content();
    if (instruction->escaped()) {
      text_.reset(instruction->content().size());
      instruction->decode(text_);
      instruction_ = text_.since(0);
    }
    return std::nullopt;
  }

  json::reader reader_;
  json::duplicate_finder duplicates_;
  detail::text_arena text_;
  catalog tools_;
  std::string_view id_{};
  std::string_view instruction_{};
};

}  // namespace v0_1
}  // namespace codemode
