#pragma once

/// @file
/// The arguments text of a tool call to a value that the tool can use, with the one repair (schema.md 10).

#include <codemode/json/reader.hpp>
#include <codemode/schema/wire.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace schema {

enum class parse_errc : std::uint8_t {
  too_long,         ///< longer than the limit; not read at all
  json,             ///< no JSON
  validation,       ///< the source does not accept it
  malformed_inner   ///< fields hold JSON in quotes, and that is no JSON
};
[[nodiscard]] constexpr std::string_view to_string(parse_errc c) noexcept {
  constexpr std::string_view names[]{"too_long", "json", "validation", "malformed_inner"};
  return names[static_cast<std::size_t>(c)];
}

/// An attempted repair: the fields as the model wrote them, and whether it helped.
struct repair {
  std::vector<std::string> fields{};
  bool success = false;
};

/// Why arguments are refused.
struct parse_error {
  parse_errc code = parse_errc::json;
  std::vector<std::string> fields{};        ///< for `malformed_inner`
  std::vector<violation> violations{};      ///< for `validation`
  diagnostic json{};                        ///< for `json`
  std::size_t size = 0;                     ///< for `too_long`
};

/// Arguments that were read. `value` borrows the parser.
struct parsed_arguments {
  std::optional<json::element> value{};
  std::optional<parse_error> error{};
  std::optional<repair> attempted{};
};

/// Reads arguments of one tool after another. Keeps its memory; one for each thread.
class argument_parser {
 public:
  static constexpr std::size_t no_limit = static_cast<std::size_t>(-1);

  /// `d` null: the text is in natural form. `max_size` counts bytes.
  [[nodiscard]] parsed_arguments parse(const tree& source, const descriptor* d, std::string_view text,
                                       std::size_t max_size = no_limit) {
    parsed_arguments out;
    if (text.size() > max_size) {
      out.error.emplace();
      out.error->code = parse_errc::too_long;
      out.error->size = text.size();
      return out;
    }
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) text = "{}";
    const auto document = reader_.read(text);
    if (!document) {
      out.error.emplace();
      out.error->json = document.error();
      return out;
    }
    if (d != nullptr) wire_.start(source, *d);
    else wire_.start_natural(source);
    const json::element wire = document->root();
    json::element value = wire_.decode(wire);
    if (wire_.accepts(value)) {
      out.value = value;
      return out;
    }
    repair_fields(source, wire, value, out);
    return out;
  }

 private:
  void refuse(parsed_arguments& out, std::vector<violation> violations) {
    out.error.emplace();
    out.error->code = parse_errc::validation;
    out.error->violations = std::move(violations);
  }

  void repair_fields(const tree& source, const json::element& wire, const json::element& value, parsed_arguments& out) {
    std::vector<violation> original = wire_.violations(value);
    const std::vector<candidate> fields = candidates(source, wire);
    if (fields.empty()) {
      refuse(out, std::move(original));
      return;
    }
    repair attempt;
    fixed_.clear();
    const std::uint32_t at = fixed_.open(json::kind::object);
    for (const json::member m : wire.members()) {
      fixed_.copy(m.key);
      std::optional<json::element> inner;
      for (const candidate& c : fields)
        if (c.key.at() == m.key.at()) {
          inner = wire_.codec().json_of(m.value);
          if (inner) attempt.fields.push_back(name_of(m.key));
        }
      fixed_.copy(inner ? *inner : m.value);
    }
    fixed_.close(at, static_cast<std::uint32_t>(wire.size()));
    if (attempt.fields.empty()) {
      for (const candidate& c : fields) attempt.fields.push_back(name_of(c.key));
      out.error.emplace();
      out.error->code = parse_errc::malformed_inner;
      out.error->fields = attempt.fields;
      out.attempted = std::move(attempt);
      return;
    }
    const json::element again = wire_.decode(fixed_.root());
    attempt.success = wire_.accepts(again);
    if (attempt.success) out.value = again;
    else refuse(out, std::move(original));
    out.attempted = std::move(attempt);
  }

  struct candidate {
    json::element key;
  };
  [[nodiscard]] static std::string name_of(const json::element& key) {
    std::string s;
    key.decode(s);
    return s;
  }
  /// Fields whose value is quoted JSON that fails the schema of its property as a string.
  [[nodiscard]] std::vector<candidate> candidates(const tree&, const json::element& wire) {
    std::vector<candidate> out;
    perspective& v = wire_.work().view();
    const node root = v.parts().get_node(v.root());
    if (!wire.is_object() || root.kind != node_kind::object) return out;
    std::vector<std::string> natural;
    std::vector<std::string> names;
    wire_.codec().wire_names(root, natural, names);
    for (const json::member m : wire.members()) {
      if (!m.value.is_string()) continue;
      std::string text = name_of(m.value);
      const std::size_t first = text.find_first_not_of(" \t\r\n\f\v");
      if (first == std::string::npos || (text[first] != '{' && text[first] != '[')) continue;
      for (const bool by_wire : {false, true}) {
        bool found = false;
        for (index i = 0; i < root.count && !found; ++i) {
          if (!m.key.equals(by_wire ? names[i] : natural[i])) continue;
          found = true;
          if (!v.checks().accepts(v.parts().property(root.first + i).value, m.value)) out.push_back({m.key});
        }
        if (found) break;
      }
    }
    return out;
  }

  json::reader reader_;
  wire_decoder wire_;
  json::tape fixed_;
};

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
