// Parallel tools, nested runs, stops and time limits. Meant for ThreadSanitizer, too.

#include "prompt_fixture.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

using namespace fixture;
using namespace std::chrono_literals;

namespace {

/// A tool that waits until its call is stopped.
work waits_for_stop() {
  return [](const value&, const call_context& c) {
    std::mutex m;
    std::condition_variable_any stopped;
    std::unique_lock lock{m};
    (void)stopped.wait(lock, c.stop(), [] { return false; });
    return cp::tool_outcome::error("stopped");
  };
}

/// Lets callers through when `count` of them have come, or says that they did not.
class meeting {
 public:
  explicit meeting(std::size_t count) : missing_(count) {}
  bool arrive() {
    std::unique_lock lock{mutex_};
    if (--missing_ == 0) all_here_.notify_all();
    return all_here_.wait_for(lock, 10s, [this] { return missing_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_here_;
  std::size_t missing_;
};

}  // namespace

TEST_CASE("7.6: parallel tools run side by side") {
  meeting all{3};
  const work meets = [&all](const value&, const call_context&) {
    return cp::tool_outcome::value(all.arrive());
  };
  host h{{calls({call("c1", "a"), call("c2", "a"), call("c3", "a")}), text("done")}};
  cp::prompt_config<> c;
  c.tools = {tool("a", meets)};
  c.tool_execution = cp::tool_execution::parallel;
  const cp::outcome o = h.run(std::move(c));
  CHECK(o.status == cp::status::complete);
  for (const auto& r : o.tool_results) CHECK(*r.result == value{true});
  CHECK(pairing_fault(o.messages) == "");
}

TEST_CASE("7.6: the end of a fast call is told before a slow one ends") {
  std::atomic<bool> fast_was_told{false};
  const work slow = [&](const value&, const call_context&) {
    for (int i = 0; i < 10'000 && !fast_was_told; ++i) std::this_thread::sleep_for(1ms);
    return cp::tool_outcome::value(fast_was_told.load());
  };
  host h{{calls({call("c1", "slow"), call("c2", "fast")}), text("done")}};
  h.watch = [&](const cp::event& e) {
    if (const auto* o = std::get_if<cp::events::tool_output>(&e); o != nullptr && o->call_id == "c2") fast_was_told = true;
  };
  cp::prompt_config<> c;
  c.tools = {tool("slow", slow), tool("fast", returns(1))};
  const cp::outcome o = h.run(std::move(c));
  CHECK(answer_to(o.messages, "c1") == "true");
  CHECK(h.at("toolOutput c2") < h.at("toolOutput c1"));
  CHECK(o.messages[3]->tool_call_id == "c1");  // answers are in call order all the same
}

TEST_CASE("14.2: a stop while tools run ends them and starts nothing new") {
  std::stop_source stop;
  host h{{calls({call("c1", "wait"), call("c2", "wait")}), text("never")}};
  h.context.stop = stop.get_token();
  std::jthread stopper;
  h.watch = [&](const cp::event& e) {
    if (const auto* s = std::get_if<cp::events::tool_start>(&e); s != nullptr && s->call_id == "c2")
      stopper = std::jthread{[&stop] {
        std::this_thread::sleep_for(5ms);
        stop.request_stop();
      }};
  };
  cp::prompt_config<> c;
  c.tools = {tool("wait", waits_for_stop())};
  const cp::outcome o = h.run(std::move(c));
  CHECK(o.status == cp::status::aborted);
  CHECK(h.model.requests.size() == 1);
  CHECK(answer_to(o.messages, "c1") == cp::texts::aborted);
  CHECK(answer_to(o.messages, "c2") == cp::texts::aborted);
  CHECK(o.messages.back()->state == cp::call_state::aborted);
}

TEST_CASE("14.4: a deadline ends the run with its kind") {
  host h{{calls({call("c1", "wait")})}};
  h.context.deadline = cp::clock::now() + 30ms;
  cp::prompt_config<> c;
  c.tools = {tool("wait", waits_for_stop())};
  const cp::outcome o = h.run(std::move(c));
  CHECK(o.status == cp::status::aborted);
  REQUIRE(o.error);
  CHECK(o.error->kind == cp::error_kind::deadline);
  CHECK(pairing_fault(o.messages) == "");
}

TEST_CASE("14.3: a tool's time limit stops that call only") {
  host h{{calls({call("c1", "slow"), call("c2", "quick")}), text("done")}};
  cp::tool_config<> slow = tool_settings("slow", waits_for_stop());
  slow.timeout = 20ms;
  cp::prompt_config<> c;
  SUBCASE("in parallel") { c.tool_execution = cp::tool_execution::parallel; }
  SUBCASE("in sequence") { c.tool_execution = cp::tool_execution::sequential; }
  c.tools = {cp::make_tool<>(std::move(slow)), tool("quick", returns("ok"))};
  const cp::outcome o = h.run(std::move(c));
  CHECK(o.status == cp::status::complete);
  CHECK(answer_to(o.messages, "c1").find("20 ms") != std::string::npos);
  CHECK(answer_to(o.messages, "c2") == "ok");
}

TEST_CASE("decision Threads: nested runs cannot starve a pool of one thread") {
  host inner_host{{calls({call("i1", "leaf"), call("i2", "leaf")}), text("inner done")}};
  cp::prompt_config<> inner_config;
  inner_config.name = "inner";
  inner_config.content = std::string{"Inner."};
  inner_config.exclude_messages = true;
  inner_config.tools = {tool("leaf", returns(1))};
  inner_config.tool_execution = cp::tool_execution::parallel;
  const cp::prompt<> inner{std::move(inner_config)};
  std::atomic<int> model_calls{0};
  const work outer_work = [&](const value&, const call_context& site) {
    cp::context<> own = site.nested();
    own.execute = [n = 0, &model_calls](cp::request&, const auto&, const auto&, const std::stop_token&) mutable -> cp::model_result {
      ++model_calls;
      if (n++ == 0) return calls({call("i1", "leaf"), call("i2", "leaf")});
      return text("inner done");
    };
    const cp::outcome o = inner.run(own);
    return o.output ? cp::tool_outcome::value(*o.output) : cp::tool_outcome::error("no output");
  };
  host h{{calls({call("c1", "outer"), call("c2", "outer"), call("c3", "outer")}), text("done")}};
  h.context.executor = std::make_shared<cp::thread_pool>(1);
  cp::prompt_config<> c;
  c.tools = {tool("outer", outer_work)};
  c.tool_execution = cp::tool_execution::parallel;
  const cp::outcome o = h.run(std::move(c));
  CHECK(o.status == cp::status::complete);
  CHECK(answer_to(o.messages, "c3") == "inner done");
  CHECK(model_calls == 6);
}

TEST_CASE("many runs share one prompt, one pool and one history") {
  std::atomic<int> running{0};
  cp::prompt_config<> config;
  config.name = "shared";
  config.content = std::string{"You help {{user}}."};
  config.tools = {tool("a", [&](const value&, const call_context& c) {
    ++running;
    std::this_thread::yield();
    const std::size_t n = c.run().messages->size();  // the history may be read while the run goes on
    --running;
    return cp::tool_outcome::value(n);
  })};
  config.tool_execution = cp::tool_execution::parallel;
  const cp::prompt<> p{std::move(config)};
  const auto pool = std::make_shared<cp::thread_pool>(3);
  const auto history = cp::conversation({cp::make_message(cp::role::user, "q")});
  std::vector<std::jthread> threads;
  std::atomic<int> complete{0};
  std::stop_source stop;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 25; ++i) {
        host h{{calls({call("c1", "a"), call("c2", "a")}), calls({call("c3", "a")}), text("done")}};
        h.context.messages = history;
        h.context.executor = pool;
        if (t == 3) h.context.stop = stop.get_token();
        cp::run_options options = h.options();
        options.input.set("user", "Ada");
        const cp::outcome o = p.run(h.context, options);
        if (o.status == cp::status::complete) ++complete;
        if (pairing_fault(o.messages) != "") complete = -1000;
        if (t == 3 && i == 12) stop.request_stop();
      }
    });
  threads.clear();
  CHECK(complete == 75 + 13);
  CHECK(running == 0);
}

TEST_CASE("a run with a pool of its own leaves no thread behind") {
  for (int i = 0; i < 20; ++i) {
    host h{{calls({call("c1", "a"), call("c2", "a")}), text("done")}};
    cp::prompt_config<> c;
    c.tools = {tool("a", returns(1))};
    CHECK(h.run(std::move(c)).status == cp::status::complete);
  }
}
