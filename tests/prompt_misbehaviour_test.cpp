// A model that does everything wrong, at random: every run ends within its budgets, pairs calls and answers, and
// loses no error (prompt.md, section 20).

#include <doctest/doctest.h>
#include "prompt_fixture.hpp"

#include <atomic>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <thread>

namespace {

using namespace fixture;

class dice {
 public:
  explicit dice(std::uint64_t seed) : engine_(seed) {}
  bool chance(unsigned percent) { return engine_() % 100 < percent; }
  std::size_t below(std::size_t n) { return engine_() % n; }
  template <class T>
  const T& pick(const std::vector<T>& list) { return list[below(list.size())]; }

 private:
  std::mt19937_64 engine_;
};

const std::vector<std::string> names{"alpha", "beta", "gamma", "alpha", "beta", "nope", ""};
const std::vector<std::string> ids{"c1", "c2", "c3", "", "c1"};
const std::vector<std::string> arguments{R"({"v":1})", R"({"v":2})", "{}", "", R"({"v":)", R"({"v":"x"})", "null",
                                         R"({"v":"{\"a\":1}"})", "[[[[", "\xFF\xFE", R"({"v":1e999})", " "};
const std::vector<std::string> contents{"", "", "text", R"({"n":1})", R"({"n":"x"})", R"(see {"n": 2})", R"({"n":)", "{{{{{[["};

struct run_facts {
  std::size_t requests = 0;
  std::size_t after_stop = 0;
  std::size_t tools_after_stop = 0;
  std::string fault{};
};

class chaos {
 public:
  chaos(std::uint64_t seed, std::shared_ptr<cp::executor> pool) : dice_(seed), pool_(std::move(pool)) {}

  void check() {
    cp::prompt_config<> config = settings();
    cp::context<> context = make_context();
    const std::size_t budget = *config.output_retries + *config.forget_retries + config.tool_iterations + *config.tool_retries + 1;
    const bool lenient = !config.tools_complete;
    const bool has_schema = config.schema.is_set();
    const std::size_t forget = *config.forget_retries;
    const cp::prompt<> p{std::move(config)};
    cp::run_options options;
    options.mode = dice_.chance(80) ? cp::mode::stream : cp::mode::tools;
    const auto stop_at = dice_.chance(12) ? dice_.below(14) : 1000;
    std::string text;
    std::size_t mark = 0;
    std::string completed;
    std::multiset<std::string> started;
    std::multiset<std::string> ended;
    std::size_t seen = 0;
    bool closed = false;
    bool says_complete = false;
    bool says_suspend = false;
    options.visitor = [&](const cp::event& e) {
      if (closed && (std::holds_alternative<cp::events::request>(e) || std::holds_alternative<cp::events::message>(e)))
        facts_.fault = "an event behind textComplete";
      if (std::holds_alternative<cp::events::request>(e)) {
        if (started != ended) facts_.fault = "a start without its end";
        started.clear();
        ended.clear();
        mark = text.size();
      } else if (const auto* t = std::get_if<cp::events::text_partial>(&e)) text += t->content;
      else if (std::holds_alternative<cp::events::text_reset>(e)) text.resize(mark);
      else if (const auto* c = std::get_if<cp::events::text_complete>(&e)) {
        completed = c->content;
        closed = true;
      } else if (const auto* s = std::get_if<cp::events::tool_start>(&e)) {
        started.insert(std::string{s->call_id});
        if (stopped_) ++facts_.tools_after_stop;
      } else if (const auto* o = std::get_if<cp::events::tool_output>(&e)) ended.insert(std::string{o->call_id});
      else if (const auto* x = std::get_if<cp::events::tool_error>(&e)) {
        if (x->arguments != nullptr) ended.insert(std::string{x->call_id});
      } else if (const auto* i = std::get_if<cp::events::tool_interrupt>(&e)) ended.insert(std::string{i->call_id});
      else if (const auto* u = std::get_if<cp::events::tool_suspend>(&e)) ended.insert(std::string{u->call_id});
      else if (std::holds_alternative<cp::events::complete>(e)) says_complete = true;
      else if (std::holds_alternative<cp::events::suspend>(e)) says_suspend = true;
      if (++seen == stop_at) stop();
    };
    const cp::outcome o = p.run(context, options);

    CHECK(facts_.fault == "");
    CHECK(facts_.requests <= budget + forget);
    CHECK(facts_.after_stop == 0);
    CHECK(facts_.tools_after_stop == 0);
    CHECK(started == ended);
    CHECK(closed);
    CHECK(completed == text);
    CHECK((o.status != cp::status::failed || o.error));
    CHECK(says_suspend == (o.status == cp::status::suspended));
    CHECK(says_complete == (o.output || o.status == cp::status::complete));
    CHECK((o.status == cp::status::suspended) == !o.pending.empty());
    CHECK(pairing_fault(o.messages, o.pending, lenient) == "");
    CHECK(running_ == 0);
    if (has_schema && o.output) {
      const value* n = o.output->find("n");
      CHECK((n != nullptr && n->is_number()));
    }
  }

 private:
  /// Asks for a stop on the loop's own thread, which then must start nothing more. A tool on another thread may ask
  /// between the loop's look at the token and the start that it announces.
  void stop() {
    stop_.request_stop();
    stopped_ = true;
  }
  cp::tool_outcome work(std::uint64_t roll, const call_context& c) {
    ++running_;
    if (roll % 7 == 0) std::this_thread::yield();
    if (roll % 31 == 0) stop_.request_stop();
    --running_;
    switch (roll % 10) {
      case 0: return cp::tool_outcome::error("it broke");
      case 1: return roll % 3 == 0 ? cp::tool_outcome::interrupt("look") : cp::tool_outcome::interrupt();
      case 2: return roll % 4 == 0 ? cp::tool_outcome::suspend() : cp::tool_outcome::nothing();
      case 3: return cp::tool_outcome::value(std::string{c.call().id});
      default: return cp::tool_outcome::value(value::make_object({{"a", 1}}));
    }
  }
  std::shared_ptr<const cp::tool<>> make(std::string name) {
    cp::tool_config<> c = tool_settings(std::move(name), [this, n = dice_.below(1000)](const value&, const call_context& site) {
      return work(n + 7919 * ++calls_, site);
    });
    if (dice_.chance(10)) c.max_args_length = 6;
    if (dice_.chance(10))
      c.validate = [](const value& v, const cp::context<>&) -> std::optional<cp::hook_error> {
        if (v.find("v")->number() == 2) return cp::hook_error{"not two"};
        return std::nullopt;
      };
    return cp::make_tool<>(std::move(c));
  }
  cp::prompt_config<> settings() {
    cp::prompt_config<> c;
    c.name = "p";
    c.content = std::string{dice_.chance(80) ? "S" : ""};
    c.tools = {make("alpha"), make("beta"), make("gamma")};
    c.tool_execution = dice_.pick<cp::tool_execution>(
        {cp::tool_execution::sequential, cp::tool_execution::parallel, cp::tool_execution::immediate});
    c.tool_retries = dice_.below(3);
    c.output_retries = dice_.below(3);
    c.forget_retries = dice_.below(3);
    c.tool_iterations = dice_.below(4);
    if (dice_.chance(20)) c.tools_max = 1 + dice_.below(2);
    if (dice_.chance(10)) c.tool_rounds = 1 + dice_.below(2);
    c.tools_only = dice_.chance(10);
    c.tools_complete = dice_.chance(70);
    c.dynamic = dice_.chance(20);
    if (dice_.chance(40)) c.schema = cp::json_schema{object_schema({"n"})};
    cp::request_fields fields;
    if (dice_.chance(15)) fields.tools_one_at_a_time = true;
    if (dice_.chance(10)) fields.tool_choice = cp::tool_choice{cp::tool_choice::kind::required, {}};
    if (dice_.chance(10)) fields.max_tokens = 5;
    c.config = fields;
    if (dice_.chance(15))
      c.validate = [n = std::size_t{0}](const value&, const cp::context<>&) mutable -> std::optional<cp::hook_error> {
        if (++n % 2 == 1) return cp::hook_error{"bad"};
        return std::nullopt;
      };
    if (dice_.chance(15))
      c.on_tool_result = [](const cp::call_info&, const std::optional<value>& v,
                            const cp::context<>&) -> std::variant<std::optional<value>, cp::hook_error> {
        if (!v) return cp::hook_error{"nothing to show"};
        return v;
      };
    return c;
  }
  cp::context<> make_context() {
    cp::context<> c;
    c.messages = cp::conversation({cp::make_message(cp::role::user, "q")});
    c.stop = stop_.get_token();
    c.executor = pool_;
    if (dice_.chance(30)) {
      c.context_window = dice_.chance(50) ? 40 : 200;
      c.estimate = cp::estimate_by_bytes;
    }
    const bool streams = dice_.chance(60);
    if (streams)
      c.stream = [this](cp::request& r, const auto&, const auto&, const std::stop_token&, const cp::chunk_sink& sink) {
        note(r);
        return stream(sink);
      };
    else
      c.execute = [this](cp::request& r, const auto&, const auto&, const std::stop_token&) {
        note(r);
        return whole();
      };
    return c;
  }
  void note(const cp::request& r) {
    ++facts_.requests;
    if (stop_.stop_requested()) ++facts_.after_stop;
    const std::string fault = pairing_fault(r.messages);
    if (!fault.empty()) facts_.fault = fault;
    if (r.tools.empty() && (r.tool_choice || r.tools_one_at_a_time)) facts_.fault = "a choice without tools";
  }
  cp::tool_call random_call() { return {dice_.pick(ids), dice_.pick(names), dice_.pick(arguments)}; }
  std::optional<cp::finish_reason> finish() {
    using f = cp::finish_reason;
    if (dice_.chance(15)) return std::nullopt;
    return dice_.pick<f>({f::stop, f::stop, f::stop, f::tool_calls, f::tool_calls, f::length, f::content_filter, f::refusal});
  }
  cp::usage some_usage() {
    cp::usage u;
    u.text = cp::token_usage{static_cast<std::int64_t>(dice_.below(50)), static_cast<std::int64_t>(dice_.below(9)), {}};
    return u;
  }
  cp::model_result whole() {
    if (dice_.chance(6)) return cp::model_error{"boom", {}, {}};
    cp::response r;
    r.content = dice_.pick(contents);
    for (std::size_t n = dice_.below(4); n > 0; --n) r.tool_calls.push_back(random_call());
    r.finish = finish();
    if (dice_.chance(50)) r.usage = some_usage();
    if (dice_.chance(5)) r.refusal = "no";
    if (dice_.chance(3)) stop();
    return r;
  }
  cp::model_result stream(const cp::chunk_sink& sink) {
    const auto say = [&](auto fill) {
      cp::chunk c;
      fill(c);
      (void)sink(c);
    };
    for (std::size_t n = dice_.below(4); n > 0; --n) {
      const cp::tool_call t = random_call();
      const cp::chunk::call_view view{t.id, t.name, t.arguments, true};
      if (dice_.chance(75)) say([&](cp::chunk& c) { c.named = view; });
      if (dice_.chance(75)) {
        // Deltas that are cut anywhere, inside a code point too.
        for (std::size_t i = 0; i < t.arguments.size();) {
          const std::size_t size = 1 + dice_.below(3);
          const std::string piece = t.arguments.substr(i, size);
          say([&](cp::chunk& c) {
            c.arguments = cp::chunk::call_view{t.id, {}, piece, true};
            c.arguments_are_delta = true;
          });
          i += size;
        }
      }
      if (dice_.chance(70)) say([&](cp::chunk& c) { c.call = dice_.chance(50) ? view : cp::chunk::call_view{t.id, t.name, {}, false}; });
      if (dice_.chance(30)) say([&](cp::chunk& c) { c.content = dice_.pick(contents); });
    }
    for (std::size_t n = dice_.below(3); n > 0; --n) say([&](cp::chunk& c) { c.content = dice_.pick(contents); });
    if (dice_.chance(5)) say([&](cp::chunk& c) { c.refusal = "no"; });
    const cp::usage u = some_usage();
    if (dice_.chance(40)) say([&](cp::chunk& c) { c.usage = &u; });
    if (const auto f = finish()) say([&](cp::chunk& c) { c.finish = f; });
    if (dice_.chance(7)) return cp::model_error{"cut off", {}, {}};
    return cp::response{};
  }

  dice dice_;
  std::shared_ptr<cp::executor> pool_;
  std::stop_source stop_;
  bool stopped_ = false;
  std::atomic<int> running_{0};
  std::atomic<std::uint64_t> calls_{0};
  run_facts facts_;
};

}  // namespace

TEST_CASE("20: runs with a misbehaving model keep the invariants") {
#ifdef CODEMODE_TEST_LONG
  constexpr std::uint64_t runs = 100'000;
#else
  constexpr std::uint64_t runs = 1'500;
#endif
  auto pool = std::make_shared<cp::thread_pool>(4);
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    CAPTURE(seed);
    chaos{seed, pool}.check();
  }
}
