#pragma once

// Answers of `codemode schema VERB`: one JSON record in, one JSON object out.

#include <codemode/json/reader.hpp>
#include <codemode/schema/budget.hpp>
#include <codemode/schema/consistency.hpp>
#include <codemode/schema/descriptor_json.hpp>
#include <codemode/schema/express.hpp>
#include <codemode/schema/import.hpp>
#include <codemode/schema/lint.hpp>
#include <codemode/schema/parse.hpp>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cli {

namespace json = codemode::json;
namespace schema = codemode::schema;

/// Writes JSON objects and arrays piece by piece.
class json_writer {
 public:
  explicit json_writer(std::string& out) noexcept : out_(out) {}
  void open(char bracket) {
    separate();
    out_.push_back(bracket);
    first_ = true;
  }
  void close(char bracket) {
    out_.push_back(bracket);
    first_ = false;
  }
  void key(std::string_view name) {
    separate();
    codemode::text::append_json_string(out_, name);
    out_.push_back(':');
    first_ = true;
  }
  void string(std::string_view s) {
    separate();
    codemode::text::append_json_string(out_, s);
  }
  void raw(std::string_view s) {
    separate();
    out_.append(s);
  }
  void boolean(bool b) { raw(b ? "true" : "false"); }
  void number(double x) {
    const codemode::text::number_text t = codemode::text::format_number(x);
    raw(t.view());
  }
  void count(std::uint64_t n) { raw(std::to_string(n)); }
  std::string& value() {
    separate();
    return out_;
  }
  void member(std::string_view name, std::string_view s) {
    key(name);
    string(s);
  }

 private:
  void separate() {
    if (!first_) out_.push_back(',');
    first_ = false;
  }
  std::string& out_;
  bool first_ = true;
};

/// Answers records of one verb. Keeps its memory.
class schema_answers {
 public:
  /// Whether there is such a verb.
  [[nodiscard]] static bool knows(std::string_view verb) {
    for (const auto& v : verbs)
      if (v.name == verb) return true;
    return false;
  }

  /// Appends the answer to a line, without a line end.
  void answer(std::string_view verb, std::string_view line, std::string& out) {
    const auto read = reader_.read(line);
    json_writer w{out};
    w.open('{');
    if (!read || !read->root().is_object()) {
      problem(w, read ? "record" : "json", read ? std::string_view{"a record is a JSON object"} : read.error().what);
      w.close('}');
      return;
    }
    const json::element record = read->root();
    if (const auto id = record.find("id")) {
      w.key("id");
      json::write_compact(*id, w.value());
    }
    for (const auto& v : verbs)
      if (v.name == verb) (this->*v.run)(record, w);
    w.close('}');
  }

 private:
  using element = json::element;
  struct entry {
    std::string_view name;
    void (schema_answers::*run)(const element&, json_writer&);
  };
  static const entry verbs[8];

  static void problem(json_writer& w, std::string_view kind, std::string_view message) {
    w.key("error");
    w.open('{');
    w.member("kind", kind);
    if (!message.empty()) w.member("message", message);
    w.close('}');
  }

  /// The record's source as a tree; nothing, and an error in the answer, where it cannot be taken.
  std::optional<schema::tree> source(const element& record, json_writer& w, std::string_view name = "source") {
    const auto s = record.find(name);
    if (!s) {
      problem(w, "record", "the record has no source");
      return std::nullopt;
    }
    auto t = schema::import_schema(*s);
    if (t) return std::move(*t);
    problem(w, "import", std::string{t.error().what} + (t.error().subject.empty() ? "" : ": " + t.error().subject));
    return std::nullopt;
  }
  static std::optional<schema::descriptor> dialect(const element& record, std::string_view name, json_writer& w) {
    std::optional<schema::descriptor> d;
    if (const auto e = record.find(name)) d = schema::read_descriptor(*e);
    if (!d) problem(w, "record", "the record has no descriptor that can be read");
    return d;
  }
  static schema::emit_options options(const element& record) {
    schema::emit_options o;
    if (const auto u = record.find("use"); u && u->is_string() && u->equals("output")) o.purpose = schema::use::output;
    if (const auto given = record.find("options"); given && given->is_object()) {
      if (const auto d = given->find("describeLosses"); d && d->kind() == json::kind::boolean) o.describe_losses = d->is_true();
      if (const auto n = given->find("maxEmittedNodes"); n && n->kind() == json::kind::number)
        o.max_emitted_nodes = json::to_double(n->raw());
    }
    return o;
  }

  void emit(const element& record, json_writer& w) {
    const auto d = dialect(record, "descriptor", w);
    if (!d) return;
    const auto t = source(record, w);
    if (!t) return;
    const schema::emit_options o = options(record);
    const schema::emission e = schema::emit(*t, *d, work_, o);
    if (!e) {
      problem(w, "emission-too-large", {});
    } else {
      w.key("schema");
      e.write(w.value());
      w.key("losses");
      w.open('[');
      for (const schema::named_loss& x : e.losses()) {
        w.open('{');
        w.member("path", x.pointer);
        w.member("keyword", x.keyword);
        w.member("action", to_string(x.done));
        w.close('}');
      }
      w.close(']');
    }
    w.key("sendable");
    w.boolean(schema::reasons_against(work_, o.purpose == schema::use::output, o.max_emitted_nodes).empty());
  }

  static void write_features(json_writer& w, const schema::features& f) {
    w.open('{');
    w.key("hasRecursion");
    w.boolean(f.has_recursion);
    for (const auto& [name, n] : std::initializer_list<std::pair<std::string_view, std::uint64_t>>{
             {"optionalParameterCount", f.optional_parameter_count},
             {"unionTypeCount", f.union_type_count},
             {"recordCount", f.record_count},
             {"tupleCount", f.tuple_count},
             {"objectPropertyCount", f.object_property_count},
             {"stringSizeChars", f.string_size_chars},
             {"maxNestingDepth", f.max_nesting_depth}}) {
      w.key(name);
      w.count(n);
    }
    w.key("enums");
    w.open('[');
    for (const auto& e : f.enums) {
      w.open('{');
      w.key("valueCount");
      w.count(e.value_count);
      w.key("stringValueChars");
      w.count(e.string_value_chars);
      w.close('}');
    }
    w.close(']');
    w.close('}');
  }

  void analyze(const element& record, json_writer& w) {
    const auto t = source(record, w);
    if (!t) return;
    const schema::features f = schema::analyze(*t);
    w.key("features");
    write_features(w, f);
    w.key("sizeProblems");
    w.open('{');
    for (const schema::descriptor* d : schema::built_in_dialects) {
      w.key(d->id.view());
      w.open('[');
      for (const schema::size_problem& p : schema::check_sizes(f, *d)) w.string(p.code);
      w.close(']');
    }
    w.close('}');
    w.key("sent");
    w.open('{');
    for (const schema::descriptor* d : schema::built_in_dialects) {
      work_.view().start(*t, *d, schema::use::tool);
      w.key(d->id.view());
      write_features(w, schema::analyze_sent(work_.view()));
    }
    w.close('}');
  }

  void express(const element& record, json_writer& w) {
    const auto d = dialect(record, "descriptor", w);
    if (!d) return;
    const auto t = source(record, w);
    if (!t) return;
    const schema::emit_options o = options(record);
    const auto reasons = o.purpose == schema::use::output ? schema::can_express(*t, *d, work_, o)
                                                           : schema::sendable(*t, *d, work_, o);
    w.key("expressible");
    w.boolean(reasons.empty());
    w.key("reasons");
    w.open('[');
    for (const schema::reason& r : reasons) {
      w.open('{');
      w.member("pointer", r.pointer);
      w.member("code", to_string(r.code));
      w.member("subject", r.subject);
      w.close('}');
    }
    w.close(']');
  }

  static void write_violations(json_writer& w, const std::vector<schema::violation>& all) {
    w.open('[');
    for (const schema::violation& v : all) {
      w.open('{');
      w.member("path", v.instance);
      w.member("keyword", to_string(v.said));
      std::string message;
      schema::write_message(v, message);
      w.member("message", message);
      w.close('}');
    }
    w.close(']');
  }

  void decode(const element& record, json_writer& w) {
    const auto d = dialect(record, "descriptor", w);
    if (!d) return;
    const auto wire = record.find("wire");
    if (!wire) return problem(w, "record", "the record has no wire value");
    const auto t = source(record, w);
    if (!t) return;
    decoder_.start(*t, *d, options(record).purpose);
    const element value = decoder_.decode(*wire);
    w.key("value");
    json::write_compact(value, w.value());
    const std::vector<schema::violation> wrong = decoder_.violations(value);
    w.key("valid");
    w.boolean(wrong.empty());
    w.key("errors");
    write_violations(w, wrong);
  }

  void budget(const element& record, json_writer& w) {
    const auto tool = dialect(record, "tool", w);
    if (!tool) return;
    const auto output = record.find("output") ? dialect(record, "output", w) : tool;
    if (!output) return;
    const auto steps = record.find("steps");
    if (!steps || !steps->is_array()) return problem(w, "record", "the record has no steps");
    schema::schema_budget b{*tool, *output, registry_};
    std::vector<schema::allocation> given;
    for (const element step : steps->items()) {
      const auto s = step.is_object() ? step.find("source") : std::nullopt;
      if (!s) return problem(w, "record", "a step has no source");
      const auto t = schema::import_schema(*s);
      if (!t) return problem(w, "import", t.error().what);
      const auto kind = step.find("kind");
      const bool is_output = kind && kind->is_string() && kind->equals("output");
      const schema::strict_request wish = request(step.find("requested"));
      given.push_back(is_output ? b.allocate_output(*t, wish) : b.allocate_tool(*t, wish));
    }
    w.key("descriptors");
    w.open('[');
    for (const schema::allocation& a : given) w.string(a.dialect->id.view());
    w.close(']');
    w.key("reasons");
    w.open('[');
    for (const schema::allocation& a : given) {
      if (a.why == schema::degraded_for::nothing) w.raw("null");
      else w.string(a.reason());
    }
    w.close(']');
    w.key("remaining");
    w.open('{');
    const auto left = [&w](std::string_view name, double n) {
      w.key(name);
      if (std::isfinite(n)) w.number(n);
      else w.raw("null");
    };
    left("strictTools", b.remaining().strict_tools);
    left("optionalParams", b.remaining().optional_params);
    left("unionTypes", b.remaining().union_types);
    w.close('}');
  }
  static schema::strict_request request(const std::optional<element>& e) {
    using form = schema::strict_request::form;
    if (!e || e->kind() == json::kind::null) return {};
    if (e->kind() == json::kind::boolean) return {e->is_true() ? form::required : form::never, 0};
    return {form::preferred, json::to_double(e->raw())};
  }

  void parse(const element& record, json_writer& w) {
    std::optional<schema::descriptor> d;
    if (const auto e = record.find("descriptor"); e && e->kind() != json::kind::null) d = schema::read_descriptor(*e);
    const auto args = record.find("args");
    if (!args || !args->is_string()) return problem(w, "record", "the record has no args");
    std::string text;
    args->decode(text);
    std::size_t most = schema::argument_parser::no_limit;
    if (const auto m = record.find("maxArgsLength"); m && m->kind() == json::kind::number)
      most = static_cast<std::size_t>(json::to_double(m->raw()));
    if (const auto s = record.find("source"); !s || s->kind() == json::kind::null) return problem(w, "no_schema", {});
    const auto t = source(record, w);
    if (!t) return;
    const schema::parsed_arguments p = parser_.parse(*t, d ? &*d : nullptr, text, most);
    if (p.attempted) {
      w.key("repair");
      w.open('{');
      w.key("fields");
      write_strings(w, p.attempted->fields);
      w.key("success");
      w.boolean(p.attempted->success);
      w.close('}');
    }
    if (p.value) {
      w.key("value");
      json::write_compact(*p.value, w.value());
      return;
    }
    w.key("error");
    w.open('{');
    w.member("kind", to_string(p.error->code));
    if (!p.error->fields.empty()) {
      w.key("fields");
      write_strings(w, p.error->fields);
    }
    if (!p.error->violations.empty()) {
      w.key("violations");
      write_violations(w, p.error->violations);
    }
    w.close('}');
  }
  static void write_strings(json_writer& w, const std::vector<std::string>& all) {
    w.open('[');
    for (const std::string& s : all) w.string(s);
    w.close(']');
  }

  void consistency(const element& record, json_writer& w) {
    const auto d = dialect(record, "descriptor", w);
    if (!d) return;
    w.key("problems");
    w.open('[');
    for (const schema::consistency_problem& p : schema::check_consistency(*d)) {
      w.open('{');
      w.member("code", p.code);
      w.member("message", p.what);
      w.close('}');
    }
    w.close(']');
  }

  static void write_finding(json_writer& w, const schema::finding& f) {
    w.member("pointer", f.pointer);
    w.member("code", to_string(f.code));
    w.member("subject", f.subject);
    w.member("action", to_string(f.done));
  }

  void lint(const element& record, json_writer& w) {
    const auto d = dialect(record, "descriptor", w);
    if (!d) return;
    if (const auto tools = record.find("tools")) return lint_request(*tools, *d, w);
    const auto t = source(record, w);
    if (!t) return;
    w.key("findings");
    w.open('[');
    for (const schema::finding& f : schema::lint(*t, *d, work_, options(record))) {
      w.open('{');
      write_finding(w, f);
      w.close('}');
    }
    w.close(']');
  }
  void lint_request(const element& tools, const schema::descriptor& d, json_writer& w) {
    if (!tools.is_array()) return problem(w, "record", "tools is no list");
    std::vector<std::string> names;
    std::vector<schema::tree> trees;
    for (const element tool : tools.items()) {
      const auto name = tool.is_object() ? tool.find("name") : std::nullopt;
      const auto s = tool.is_object() ? tool.find("source") : std::nullopt;
      if (!name || !s || !name->is_string()) return problem(w, "record", "a tool has a name and a source");
      auto t = schema::import_schema(*s);
      if (!t) return problem(w, "import", t.error().what);
      name->decode(names.emplace_back());
      trees.push_back(std::move(*t));
    }
    std::vector<schema::named_source> all;
    for (std::size_t i = 0; i < names.size(); ++i) all.push_back({names[i], &trees[i]});
    w.key("findings");
    w.open('[');
    for (const schema::request_finding& f : schema::lint_request(all, d, work_)) {
      w.open('{');
      w.key("tool");
      if (f.tool) w.string(*f.tool);
      else w.raw("null");
      write_finding(w, f.found);
      w.close('}');
    }
    w.close(']');
  }

  json::reader reader_;
  schema::workspace work_;
  schema::wire_decoder decoder_;
  schema::argument_parser parser_;
  schema::descriptor_registry registry_;
};

inline const schema_answers::entry schema_answers::verbs[8] = {
    {"emit", &schema_answers::emit}, {"analyze", &schema_answers::analyze}, {"express", &schema_answers::express},
    {"decode", &schema_answers::decode}, {"budget", &schema_answers::budget},   {"parse", &schema_answers::parse},
    {"consistency", &schema_answers::consistency}, {"lint", &schema_answers::lint}};

}  // namespace cli
