/// Writes the named plans of hazards.mjs, compiled, one JSON object a line: {"name": ..., "plan": ...,
/// "js": ...}.

#include <codemode/javascript.hpp>
#include <codemode/plan_json.hpp>

#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>

namespace {

using codemode::call;
using codemode::mode;
using codemode::output_kind;
using codemode::plan;
using codemode::value;

plan single(std::string_view tool) {
  plan p;
  p.call_count = 1;
  p.call_list[0].tool = tool;
  return p;
}

plan several(mode m, output_kind kind, std::initializer_list<std::string_view> tools) {
  plan p;
  p.mode = m;
  p.output.kind = kind;
  for (const auto tool : tools) {
    call& c = p.call_list[p.call_count++];
    c.tool = tool;
    c.add("n", value::number(p.call_count));
  }
  return p;
}

plan rows(std::initializer_list<std::string_view> fields, int limit) {
  plan p = single("list");
  for (const auto f : fields) p.output.add_field(f);
  p.output.limit = static_cast<std::int16_t>(limit);
  return p;
}

void write(std::string_view name, const plan& p, std::string_view style = "tools[]") {
  const auto parsed = codemode::parse_call_style(style);
  std::string line = "{\"name\":";
  codemode::text::append_json_string(line, name);
  line += ",\"plan\":";
  codemode::write_json(p, line);
  line += ",\"js\":";
  std::string js;
  codemode::write_javascript(p, js, {.style = parsed.value_or({})});
  codemode::text::append_json_string(line, js);
  line += "}\n";
  std::fwrite(line.data(), 1, line.size(), stdout);
}

}  // namespace

int main() {
  write("single", single("a"));
  const auto abc = {std::string_view{"a"}, std::string_view{"b"}, std::string_view{"c"}};
  write("serial all", several(mode::serial, output_kind::all, abc));
  write("serial last", several(mode::serial, output_kind::last, abc));
  write("parallel all", several(mode::parallel, output_kind::all, abc));
  write("parallel last", several(mode::parallel, output_kind::last, abc));
  write("member", several(mode::serial, output_kind::all, abc), "codemode.");
  write("prefix", several(mode::serial, output_kind::all, abc), "external_");

  const auto reserved = {std::string_view{"delete"}, std::string_view{"import"}, std::string_view{"class"}};
  write("reserved words", several(mode::serial, output_kind::all, reserved));
  write("reserved words as members", several(mode::serial, output_kind::all, reserved), "codemode.");
  write("reserved words behind a prefix", several(mode::serial, output_kind::all, reserved), "external_");
  write("name that is no identifier", several(mode::serial, output_kind::all, {"a", "a-b", "c"}),
        "external_");
  write("unicode names", several(mode::serial, output_kind::all, {"caf\u00e9", "\u65e5\u672c", "\u03b1"}),
        "codemode.");

  // What a body declares, as the host's object or as prefix and tool.
  for (const std::string_view object : {"$text", "$run", "$need", "$field", "$shape"})
    write(std::string(object) + " as object", rows({"id"}, -1), std::string(object) + "[]");
  write("tools called like locals", several(mode::parallel, output_kind::all, {"text", "run", "run$"}), "$");

  for (const std::string_view name :
       {"toString", "constructor", "valueOf", "hasOwnProperty", "isPrototypeOf", "then", "__proto__",
        "__defineGetter__", "toLocaleString", "call", "bind", "polluted"})
    write("call " + std::string(name), single(name));

  plan proto = single("a");
  proto.call_list[0].add("__proto__", value::string(R"("p")"));
  proto.call_list[0].add("x", value::number(1));
  write("__proto__ argument", proto);

  plan values = single("a");
  values.call_list[0].add(
      "text",
      value::string(
          R"("\u2028 \u2029 \ud800 \udc00 </script> <!-- --> */ /* // ` ${x} ' \" \\ \n \r \u0000 \u202e \ud83d\ude00")"));
  values.call_list[0].add("\"});\n//", value::string("\"\u2028\u2029<script>\U0001F600\""));
  values.call_list[0].add("zero", value::number(-0.0));
  values.call_list[0].add("small", value::number(5e-324));
  write("values", values);

  write("fields", rows({"id", "name"}, -1));
  write("fields and limit 1", rows({"id"}, 1));
  write("fields and limit 0", rows({"id"}, 0));
  write("limit 2", rows({}, 2));
  write("limit 0", rows({}, 0));
  write("hard fields", rows({"__proto__", "constructor", "length"}, -1));
  return std::fflush(stdout) == 0 ? 0 : 3;
}
