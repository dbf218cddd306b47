// Any plan as JSON and JavaScript: whatever its names and values are, the text is valid UTF-8, ends where it
// should, and its structure is that of the same plan with harmless names and values.

#include "check.hpp"

#include <codemode/javascript.hpp>
#include <codemode/owned_plan.hpp>
#include <codemode/plan_check.hpp>
#include <codemode/plan_json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

using codemode::plan;
using fuzz::check;

/// Takes a plan out of bytes: small numbers from single bytes, text up to the next newline byte.
class source {
 public:
  explicit source(std::string_view bytes) : rest_(bytes) {}

  std::size_t below(std::size_t n) {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    return byte % n;
  }
  std::string_view text() {
    const std::string_view piece = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix((std::min)(piece.size() + 1, rest_.size()));
    return piece;
  }
  codemode::value value() {
    switch (below(4)) {
      case 0:
        return codemode::value::boolean(below(2) != 0);
      case 1: {
        const std::string_view bytes = text().substr(0, sizeof(double));
        double x = 0;
        std::memcpy(&x, bytes.data(), bytes.size());
        return codemode::value::number(x);
      }
      default:
        return codemode::value::string(text());
    }
  }
  plan make() {
    plan p;
    p.call_count = static_cast<std::uint8_t>(below(codemode::max_calls + 1));
    p.mode = static_cast<codemode::mode>(below(3));
    p.output.kind = static_cast<codemode::output_kind>(below(2));
    p.output.limit = static_cast<std::int16_t>(static_cast<int>(below(104)) - 2);
    for (std::size_t n = below(codemode::max_fields + 1); n > 0; --n) p.output.add_field(text());
    for (std::size_t i = 0; i < p.call_count; ++i) {
      p.call_list[i].tool = text();
      for (std::size_t n = below(codemode::max_arguments + 1); n > 0; --n) {
        const std::string_view name = text();
        p.call_list[i].add(name, value());
      }
    }
    return p;
  }

 private:
  std::string_view rest_;
};

/// The same plan with every string replaced, but for the names that have a form of their own.
plan harmless(plan p) {
  const auto plain = [](std::string_view& s) {
    if (s != "__proto__" && s != "constructor") s = "x";
  };
  for (auto& c : p.call_list) {
    plain(c.tool);
    for (auto& a : c.argument_list) {
      plain(a.name);
      if (a.value.type() == codemode::value_type::string) a.value = codemode::value::string(R"("x")");
    }
  }
  for (auto& f : p.output.field_list) plain(f);
  return p;
}

/// `code` with the content of its string literals left out. Checks that each literal ends, on its line.
std::string skeleton(std::string_view code) {
  std::string out;
  for (std::size_t i = 0; i < code.size(); ++i) {
    out += code[i];
    if (code[i] != '"') continue;
    for (++i; i < code.size() && code[i] != '"'; ++i) {
      check(static_cast<unsigned char>(code[i]) >= 0x20);
      if (code[i] == '\\') ++i;
    }
    check(i < code.size());
    out += '"';
  }
  return out;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

template <class Write>
void check_buffer(const std::string& whole, std::size_t size, Write write) {
  std::vector<char> room(size);  // of just this size, so that AddressSanitizer sees a byte too many
  const auto r = write(std::span<char>(room));
  check(r.has_value() == (size >= whole.size()));
  if (r) check(*r == whole);
  else check(r.error().code == codemode::errc::buffer_too_small && r.error().needed == whole.size());
}

void check_text(std::string_view text) {
  check(codemode::text::is_valid_utf8(text));
  check(!contains(text, "\u2028") && !contains(text, "\u2029"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::input in(data, size);
  source bytes(in.text());
  constexpr std::array<std::string_view, 6> styles{"tools[]", "codemode.", "external_",
                                                   "$need[]", "$",         "$te$"};
  const auto style = codemode::parse_call_style(styles[bytes.below(styles.size())]);
  check(style.has_value());
  const std::size_t room = bytes.below(256) * 16;
  const plan p = bytes.make();

  std::string json;
  codemode::write_json(p, json);
  check_text(json);
  check(!contains(json, "\n"));
  std::string plain;
  codemode::write_json(harmless(p), plain);
  check(skeleton(json) == skeleton(plain));
  for (const std::size_t n : {room, json.size(), json.size() - 1})
    check_buffer(json, n, [&](std::span<char> b) { return codemode::write_json(p, b); });

  std::string js;
  codemode::write_javascript(p, js, {.style = *style});
  check_text(js);
  check(js.ends_with('\n'));
  for (const std::string_view end : {"</", "<!--", "<script", "*/", "/*\n", "`", "${", "\r", "\u202E"})
    check(!contains(js, end));
  const std::string bones = skeleton(js);
  // A prefix and a member are identifiers: their names are part of the structure.
  if (style->form() == codemode::call_form::bracket) {
    plain.clear();
    codemode::write_javascript(harmless(p), plain, {.style = *style});
    check(bones == skeleton(plain));
  }
  for (const std::size_t n : {room, js.size(), js.size() - 1})
    check_buffer(js, n,
                 [&](std::span<char> b) { return codemode::write_javascript(p, b, {.style = *style}); });

  const codemode::owned_plan owned = codemode::own(p);
  std::string again;
  codemode::write_json(owned, again);
  check(again == json);

  const auto fault = codemode::check(p);
  if (fault) {
    check(fault->code == codemode::errc::invalid_plan && !fault->what.empty());
    const std::string message = codemode::to_message(*fault);
    check(codemode::text::is_valid_utf8(message));
  }
  for (const auto& c : p.calls()) {
    for (const auto& a : c.arguments()) {
      if (a.value.type() != codemode::value_type::string) continue;
      const std::string_view literal = a.value.json();
      std::vector<char> content(literal.size());
      const auto decoded = codemode::text::decode_json_string(literal, content);
      const auto bad = codemode::text::check_json_string(literal);
      check(decoded.has_value() == !bad.has_value());
      check(!bad || (fault && bad->begin <= bad->end && bad->end <= literal.size()));
      if (decoded) {
        std::string rewritten;
        std::string from_content;
        codemode::text::append_json_literal(rewritten, literal);
        codemode::text::append_json_string(from_content, *decoded);
        check(rewritten == from_content);
      }
    }
  }
  return 0;
}
