// codemode contract json|render: values of the agent contract as JSON and as text.

#include "arguments.hpp"
#include "command.hpp"
#include "io.hpp"
#include "jsonl.hpp"

#include <codemode/contract/json.hpp>
#include <codemode/contract/read.hpp>
#include <codemode/contract/render.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace cli {
namespace {

namespace contract = codemode::contract;
using codemode::json::element;

constexpr std::string_view usage =
    "usage: codemode contract json|render [FILE]\n"
    "\n"
    "Reads lines {\"id\",\"type\",\"value\",\"format\"} and answers {\"id\",\"text\"}.\n"
    "\n"
    "  json    compact JSON; with \"format\":\"json\" the indented form\n"
    "  render  the human form, or with \"format\" the concise or the indented JSON one;\n"
    "          with \"raw\":true foreign text is not escaped\n";

/// Bytes of a base64 text, without its padding; what is no base64 is passed over.
std::string decode_base64(std::string_view text) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const std::size_t digit = alphabet.find(c);
    if (digit == std::string_view::npos) continue;
    bits = (bits << 6U | static_cast<unsigned>(digit)) & 0xFFFFFFU;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(static_cast<unsigned char>(bits >> count & 0xFFU));
  }
  return bytes;
}

/// Puts raw bytes into the top-level string members that "bytes" names: JSON cannot carry what is no UTF-8.
template <class T>
void set_bytes(T& value, const element& bytes) {
  const auto set = [&](const auto& member) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value.*(member.at))>, std::string>)
      for (const codemode::json::member m : bytes.members())
        if (m.key.equals("/" + std::string(member.name)) && m.value.is_string())
          value.*(member.at) = decode_base64(m.value.content());
  };
  std::apply([&](const auto&... member) { (set(member), ...); }, T::wire_members());
}

void append_text(std::string& reply, std::string_view text) {
  reply += ",\"text\":";
  codemode::text::append_json_string(reply, text);
}

void append_error(std::string& reply, std::string_view message) {
  reply += ",\"error\":";
  codemode::text::append_json_string(reply, message);
}

void answer(const element& line, bool rendered, std::string& reply) {
  const std::string type = string_of(line, "type");
  const std::string format = string_of(line, "format");
  // `"numbers":"float64"` or nothing: every number of an open value is a double. Ours keep 64 bits (2.12.5), which
  // is the same up to 2^53; "float64" alone asks for the double beyond.
  const auto whole = string_of(line, "numbers") == "float64" ? contract::whole_numbers::as_doubles
                                                              : contract::whole_numbers::exact;
  const bool known = contract::with_wire_type(type, [&]<class T>(std::type_identity<T>) {
    T value;
    if (const auto given = member_of(line, "value")) {
      auto got = contract::read<T>(*given, whole);
      if (!got) {
        std::string message;
        codemode::write_message(got.error(), message);
        return append_error(reply, message);
      }
      value = std::move(*got);
    }
    if (const auto bytes = member_of(line, "bytes"); bytes && bytes->is_object()) set_bytes(value, *bytes);
    std::string text;
    if (format == contract::format_json) {
      contract::write_indented_json(value, text);
    } else if (!rendered) {
      contract::write_json(value, text);
    } else if constexpr (contract::renderable<T>) {
      contract::render_options options;
      if (is_true(line, "raw")) options.foreign = contract::foreign_text::raw;
      contract::render(value, format, text, options);
    } else {
      contract::write_indented_json(value, text);
    }
    append_text(reply, text);
  });
  if (!known) append_error(reply, "there is no type of that name in the contract");
}

}  // namespace

exit_code run_contract(std::span<const std::string_view> arguments) {
  std::array<std::string_view, 2> operands{};
  std::size_t count = 0;
  argument_reader reader{arguments, std::array{option{"--help", option::flag}}};
  for (argument a = reader.next(); a.what != argument::end; a = reader.next()) {
    if (a.what == argument::known) {
      output out{STDOUT_FILENO};
      out.append(usage);
      out.flush();
      return exit_done;
    }
    if (a.what != argument::operand || count == operands.size()) count = operands.size() + 1;
    else operands[count++] = a.text;
    if (count > operands.size()) break;
  }
  const bool rendered = operands[0] == "render";
  if (count == 0 || count > operands.size() || (!rendered && operands[0] != "json")) {
    output err{STDERR_FILENO};
    err.append(usage);
    err.flush();
    return exit_usage;
  }
  const std::string path{count == 2 ? operands[1] : std::string_view{"-"}};
  return answer_lines(path.c_str(), [&](const element& line, std::string& reply) { answer(line, rendered, reply); });
}

}  // namespace cli
