// The program codemode from outside: what it answers, what it ends with, how much memory it takes.

#include "subprocess.hpp"

#include <codemode/config.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using test::outcome;
using namespace std::literals;

const std::string program = CODEMODE_PROGRAM;

[[maybe_unused]] const auto sigpipe_ignored = std::signal(SIGPIPE, SIG_IGN);

/// Runs `codemode plan ARGUMENTS` over `input`.
outcome plan(std::vector<std::string> arguments, std::string_view input = {},
             std::size_t piece = std::string_view::npos) {
  std::vector<std::string> command{program, "plan"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return test::run(command, input, piece);
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    REQUIRE_MESSAGE(end != std::string_view::npos, "an answer has no line end");
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

bool is_rejection(std::string_view answer, std::string_view id, std::string_view code) {
  std::string start = "{";
  if (!id.empty()) start += "\"id\":" + std::string{id} + ",";
  start += "\"diagnostic\":\"";
  const std::string end = "\",\"code\":\"" + std::string{code} + "\"}";
  return answer.starts_with(start) && answer.ends_with(end) && answer.size() > start.size() + end.size();
}

constexpr std::string_view tools =
    R"("tools":[{"name":"get_user","arguments":{"id":"number","note":"string"},"required":["id"],)"
    R"("returns":{"kind":"object","properties":["id","name"]}}])";

std::string record(std::string_view id, std::string_view instruction) {
  std::string line = "{";
  if (!id.empty()) line += "\"id\":" + std::string{id} + ",";
  line += "\"instruction\":\"" + std::string{instruction} + "\"," + std::string{tools} + "}";
  return line;
}

std::string answer(std::string_view id, int user) {
  std::string line = "{";
  if (!id.empty()) line += "\"id\":" + std::string{id} + ",";
  return line + R"("plan":{"mode":"single","calls":[{"tool":"get_user","args":{"id":)" +
         std::to_string(user) + R"(}}],"output":{"kind":"last"}}})";
}

std::string call(int user) { return "Call get_user with id " + std::to_string(user) + "."; }

/// A file of the test's own that disappears with it.
class scratch_file {
 public:
  scratch_file() {
    std::string pattern = (std::filesystem::temp_directory_path() / "codemode-cli-XXXXXX").string();
    const int number = ::mkstemp(pattern.data());
    REQUIRE(number >= 0);
    ::close(number);
    path_ = pattern;
  }
  scratch_file(const scratch_file&) = delete;
  scratch_file& operator=(const scratch_file&) = delete;
  ~scratch_file() { std::filesystem::remove(path_); }

  void write(std::string_view text) const {
    std::ofstream{path_, std::ios::binary}.write(text.data(), static_cast<std::streamsize>(text.size()));
  }
  [[nodiscard]] std::string text() const {
    std::ifstream file{path_, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

TEST_CASE("a record is answered by its plan") {
  const outcome o = plan({}, record("1", call(7)) + "\n");
  CHECK(o.exit_code == 0);
  CHECK(o.out == answer("1", 7) + "\n");
  CHECK(o.err.empty());
}

TEST_CASE("--js adds the code as the last member") {
  const outcome o = plan({"--js"}, record("1", call(7)) + "\n");
  CHECK(o.exit_code == 0);
  std::string start = answer("1", 7);
  start.pop_back();
  CHECK(o.out.starts_with(start + ",\"js\":\""));
  CHECK(o.out.ends_with("\"}\n"));
  CHECK(o.out.find("get_user", start.size()) != std::string::npos);
}

TEST_CASE("ids come back as they were written") {
  for (const std::string_view id : {"0", "-0", "1e2", "1.50", "12345678901234567890123", "\"\"", "\"a b\"",
                                    "\"\\u00e9\\n\"", "\"\xC3\xA9\"", "\"\\ud83d\\ude00\""}) {
    CAPTURE(id);
    CHECK(plan({}, record(id, call(3)) + "\n").out == answer(id, 3) + "\n");
    CHECK(is_rejection(lines_of(plan({}, record(id, "Do nothing.") + "\n").out).at(0), id, "no_call"));
  }
  SUBCASE("without an id there is none") {
    CHECK(plan({}, record("", call(3)) + "\n").out == answer("", 3) + "\n");
  }
  SUBCASE("an id of another type is refused") {
    for (const std::string_view id : {"null", "true", "[1]", "{}"}) {
      CAPTURE(id);
      CHECK(is_rejection(lines_of(plan({}, record(id, call(3)) + "\n").out).at(0), "", "invalid_record"));
    }
  }
}

TEST_CASE("malformed lines are answered in their place") {
  const std::string good = record("1", call(1));
  const std::string nul = good.substr(0, 20) + '\0' + good.substr(20);
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "invalid_json"},
      {"   \t", "invalid_json"},
      {"nonsense", "invalid_json"},
      {"{", "invalid_json"},
      {"[]", "invalid_json"},
      {"\"text\"", "invalid_json"},
      {good + good, "invalid_json"},
      {good + "x", "invalid_json"},
      {good.substr(0, good.size() - 1), "invalid_json"},
      {nul, "invalid_json"},
      {std::string(1, '\0'), "invalid_json"},
      {"{\"instruction\":\"\xFF\"}", "invalid_json"},
      {"\xEF\xBB\xBF" + good, "invalid_json"},  // a byte order mark inside the file
      {"{\"instruction\":\"a\",\"instruction\":\"a\"," + std::string{tools} + "}", "invalid_json"},
      {"{}", "invalid_record"},
      {"{\"instruction\":\"Call x.\"}", "invalid_record"},
      {"{\"instruction\":1," + std::string{tools} + "}", "invalid_record"},
      {"{\"instruction\":\"Call x.\",\"tools\":[]}", "invalid_record"},
      {"{\"instruction\":\"Call x.\",\"tools\":[{}]}", "invalid_catalog"},
  };
  std::string input = good + "\n";
  for (const auto& [line, code] : cases) input += line + "\n" + good + "\n";
  const outcome o = plan({}, input);
  CHECK(o.exit_code == 0);
  const std::vector<std::string> answers = lines_of(o.out);
  REQUIRE(answers.size() == 1 + 2 * cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CAPTURE(cases[i].first);
    CAPTURE(answers[2 * i + 1]);
    CHECK(is_rejection(answers[2 * i + 1], "", cases[i].second));
    CHECK(answers[2 * i + 2] == answer("1", 1));
  }
}

TEST_CASE("line ends") {
  const std::string a = record("1", call(1)), b = record("2", call(2));
  const std::string both = answer("1", 1) + "\n" + answer("2", 2) + "\n";
  CHECK(plan({}, a + "\n" + b + "\n").out == both);
  CHECK(plan({}, a + "\n" + b).out == both);  // no last line end
  CHECK(plan({}, a + "\r\n" + b + "\r\n").out == both);
  CHECK(plan({}, a + "\r\n" + b).out == both);
  CHECK(plan({}, "\xEF\xBB\xBF" + a + "\r\n" + b + "\n").out == both);
  CHECK(plan({}, "").out.empty());
  CHECK(plan({}, "\xEF\xBB\xBF").out.empty());
  CHECK(lines_of(plan({}, "\n").out).size() == 1);
  CHECK(lines_of(plan({}, "\r\n").out).size() == 1);
  CHECK(lines_of(plan({}, "\n\n").out).size() == 2);
  CHECK(lines_of(plan({}, "\n\xEF\xBB\xBF").out).size() == 2);
  CHECK(lines_of(plan({}, a + "\n\n" + b).out).size() == 3);
}

TEST_CASE("lines of any length, cut anywhere") {
  const std::string note(1'000'000, 'x');
  std::string input, expected;
  for (int i = 0; i < 40; ++i) {
    const std::string id = std::to_string(i);
    const bool is_long = i % 17 == 3;
    const std::string with_note = is_long ? " and note \\\"" + note + "\\\"" : "";
    input += record(id, "Call get_user with id " + id + with_note + ".") + "\n";
    std::string line = answer(id, i);
    if (is_long) line.insert(line.find("}}]"), ",\"note\":\"" + note + "\"");
    expected += line + "\n";
  }
  CHECK(plan({}, input).out == expected);
  CHECK(plan({"--jobs", "4"}, input).out == expected);
  CHECK(plan({}, input, 65'521).out == expected);
  CHECK(plan({}, std::string_view{input}.substr(0, 3'000), 1).out ==
        plan({}, std::string_view{input}.substr(0, 3'000)).out);

  // Line ends and byte order mark around the first read.
  for (std::size_t piece = 1; piece < 6; ++piece)
    CHECK(plan({}, "\xEF\xBB\xBF\r\n" + record("1", call(1)), piece).out ==
          plan({}, "\r\n").out + answer("1", 1) + "\n");
}

TEST_CASE("any number of jobs gives the same bytes") {
  // More lines than batches hold; few of them need the network.
  std::string input;
  for (int i = 0; i < 3'000; ++i) {
    switch (i % 60) {
      case 0:
        input += record(std::to_string(i), "Call get_user.") + "\n";
        break;
      case 20:
      case 41:
        input += record(std::to_string(i), call(i)) + "\n";
        break;
      default:
        input += i % 2 == 0 ? "\n" : "{\"id\":" + std::to_string(i) + "}\n";
    }
  }
  const outcome one = plan({"--js"}, input);
  CHECK(lines_of(one.out).size() == 3'000);
  for (const char* jobs : {"2", "3", "16"}) {
    const outcome many = plan({"--js", "--jobs", jobs}, input);
    CHECK(many.exit_code == 0);
    CHECK(many.out == one.out);
  }
}

TEST_CASE("a line that arrives is answered before the next one comes") {
  for (const char* jobs : {"1", "4"}) {
    test::pipe_pair in, out;
    const test::descriptor err{::open("/dev/null", O_WRONLY | O_CLOEXEC)};
    test::child program_run{
        {program, "plan", "--jobs", jobs}, in.read_end.get(), out.write_end.get(), err.get()};
    in.read_end.close();
    out.write_end.close();
    for (int i = 0; i < 3; ++i) {
      const std::string line = record("1", call(i)) + "\n";
      REQUIRE(::write(in.write_end.get(), line.data(), line.size()) == static_cast<::ssize_t>(line.size()));
      const std::string expected = answer("1", i) + "\n";
      std::string got;
      while (got.size() < expected.size()) {
        ::pollfd wait{out.read_end.get(), POLLIN, 0};
        REQUIRE_MESSAGE(::poll(&wait, 1, 60'000) == 1, "no answer while the input is still open");
        std::array<char, 4096> buffer{};
        const ::ssize_t n = ::read(out.read_end.get(), buffer.data(), buffer.size());
        REQUIRE(n > 0);
        got.append(buffer.data(), static_cast<std::size_t>(n));
      }
      CHECK(got == expected);
    }
    in.write_end.close();
    CHECK(program_run.wait().exit_code == 0);
  }
}

TEST_CASE("a file, standard input by name, and -- before a file") {
  const scratch_file file;
  file.write(record("5", call(5)));
  CHECK(plan({file.path()}).out == answer("5", 5) + "\n");
  CHECK(plan({"--js", file.path()}).out == plan({file.path(), "--js"}).out);
  CHECK(plan({"--", file.path()}).out == answer("5", 5) + "\n");
  CHECK(plan({"-"}, record("6", call(6))).out == answer("6", 6) + "\n");
}

TEST_CASE("input that cannot be read ends with 3 and says which and why") {
  const outcome missing = plan({"/no/such/file.jsonl"});
  CHECK(missing.exit_code == 3);
  CHECK(missing.out.empty());
  CHECK(missing.err.find("/no/such/file.jsonl") != std::string::npos);
  CHECK(missing.err.find("No such file") != std::string::npos);

  const outcome folder = plan({"/"});
  CHECK(folder.exit_code == 3);
  CHECK(folder.err.find("directory") != std::string::npos);
}

TEST_CASE("output that cannot be written ends with 3") {
  std::string input;  // its answers are more than a pipe holds
  for (int i = 0; i < 2'000; ++i) input += "{\"id\":" + std::to_string(i) + "}\n";
  const scratch_file file;
  file.write(input);
  const test::descriptor in{::open("/dev/null", O_RDONLY | O_CLOEXEC)};

  SUBCASE("a full disk") {
    const test::descriptor full{::open("/dev/full", O_WRONLY | O_CLOEXEC)};
    REQUIRE(full.get() >= 0);
    for (const std::vector<std::string>& command : {std::vector<std::string>{program, "plan", file.path()},
                                                    {program, "plan", "--jobs", "3", file.path()},
                                                    {program, "--help"},
                                                    {program, "--version"},
                                                    {program, "plan", "--help"}}) {
      test::pipe_pair err;
      test::child run{command, in.get(), full.get(), err.write_end.get()};
      err.write_end.close();
      CHECK(run.wait().exit_code == 3);
      std::array<char, 4096> text{};
      const ::ssize_t n = ::read(err.read_end.get(), text.data(), text.size());
      REQUIRE(n > 0);
      CHECK(std::string_view{text.data(), static_cast<std::size_t>(n)}.find("No space left") !=
            std::string_view::npos);
    }
  }
  SUBCASE("a reader that goes away") {
    for (const char* jobs : {"1", "3"}) {
      test::pipe_pair out, err;
      test::child run{
          {program, "plan", "--jobs", jobs, file.path()}, in.get(), out.write_end.get(), err.write_end.get()};
      out.write_end.close();
      err.write_end.close();
      std::array<char, 10> some{};
      REQUIRE(::read(out.read_end.get(), some.data(), some.size()) == 10);
      out.read_end.close();
      const outcome o = run.wait();
      CHECK(o.exit_code == 3);
      CHECK(o.signal == 0);
    }
  }
  SUBCASE("a closed descriptor") {
    const outcome o = test::run({"/bin/sh", "-c", "exec \"$0\" plan \"$1\" >&-", program, file.path()});
    CHECK(o.exit_code == 3);
    CHECK(file.text() == input);
  }
}

TEST_CASE("command lines that are wrong end with 2 and say the mend") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"plan", "--thresold", "0.5"}, "--threshold"},
      {{"plan", "--frobnicate"}, "--frobnicate"},
      {{"plan", "-x"}, "-x"},
      {{"plan", "--js=yes"}, "--js"},
      {{"plan", "--threshold"}, "0.8"},
      {{"plan", "--threshold", "high"}, "from 0 to 1"},
      {{"plan", "--threshold", "1.5"}, "from 0 to 1"},
      {{"plan", "--threshold", "-0.1"}, "from 0 to 1"},
      {{"plan", "--threshold", "nan"}, "from 0 to 1"},
      {{"plan", "--threshold="}, "from 0 to 1"},
      {{"plan", "--jobs", "0"}, "--jobs"},
      {{"plan", "--jobs", "many"}, "--jobs"},
      {{"plan", "--explain=xml"}, "json"},
      {{"plan", "--call-style", "what ever"}, "--call-style"},
      {{"plan", "a.jsonl", "b.jsonl"}, "b.jsonl"},
      {{"plna"}, "plan"},
      {{"--vresion"}, "--help"},
      {{}, "--help"},
  };
  for (const auto& c : cases) {
    std::vector<std::string> command{program};
    command.insert(command.end(), c.first.begin(), c.first.end());
    const outcome o = test::run(command);
    CAPTURE(c.second);
    CAPTURE(o.err);
    CHECK(o.exit_code == 2);
    CHECK(o.out.empty());
    CHECK(o.err.find(c.second) != std::string::npos);
    CHECK(o.err.ends_with("\n"));
  }
}

TEST_CASE("help and version") {
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{program, "--help"}, {program, "-h"}, {program, "help"}}) {
    const outcome o = test::run(command);
    CHECK(o.exit_code == 0);
    CHECK(o.err.empty());
    CHECK(o.out.find("plan") != std::string::npos);
  }
  const outcome version = test::run({program, "--version"});
  CHECK(version.exit_code == 0);
  CHECK(version.out == "codemode " CODEMODE_VERSION_STRING "\n");

  const outcome help = plan({"--help"});
  CHECK(help.exit_code == 0);
  for (const char* option :
       {"--js", "--threshold", "--explain", "--call-style", "--weights", "--jobs", "--help"})
    CHECK_MESSAGE(help.out.find(option) != std::string::npos, option);
}

TEST_CASE("--threshold moves the border of low_confidence and nothing else") {
  const std::string input = record("1", call(7)) + "\n";
  CHECK(plan({"--threshold", "0"}, input).out == answer("1", 7) + "\n");
  CHECK(plan({"--threshold=0.0"}, input).out == answer("1", 7) + "\n");
  CHECK(is_rejection(lines_of(plan({"--threshold", "1"}, input).out).at(0), "1", "low_confidence"));
  CHECK(plan({"--threshold", "1"}, "{}\n").out == plan({}, "{}\n").out);
}

TEST_CASE("--explain leaves the answers alone") {
  const std::string input = record("1", call(7)) + "\n" + record("2", "Do nothing.") + "\n\n";
  const outcome plain = plan({"--js"}, input);
  SUBCASE("text goes to standard error, without colour where that is no terminal") {
    for (const char* option : {"--explain", "--explain=text"})
      for (const char* jobs : {"1", "2"}) {
        const outcome o = plan({"--js", "--jobs", jobs, option}, input);
        CHECK(o.out == plain.out);
        CHECK(o.err.starts_with("-- line 1, id 1\n"));
        CHECK(o.err.find("\n-- line 2, id 2\n") != std::string::npos);
        CHECK(o.err.find("get_user") != std::string::npos);
        CHECK(o.err.find('\x1B') == std::string::npos);
      }
  }
  SUBCASE("JSON is one more member at the end") {
    const outcome o = plan({"--js", "--explain=json"}, input);
    CHECK(o.err.empty());
    const std::vector<std::string> with = lines_of(o.out), without = lines_of(plain.out);
    REQUIRE(with.size() == 3);
    for (std::size_t i = 0; i < 2; ++i) {
      CAPTURE(with[i]);
      CHECK(with[i].starts_with(without[i].substr(0, without[i].size() - 1) + ",\"explain\":{"));
      CHECK(with[i].ends_with("}}"));
    }
    CHECK(with[2] == without[2]);  // nothing was looked at
  }
}

TEST_CASE("--call-style") {
  const std::string input = record("1", call(7)) + "\n";
  const auto code = [&](const char* style) {
    const outcome o = plan({"--js", "--call-style", style}, input);
    CHECK(o.exit_code == 0);
    return o.out;
  };
  CHECK(code("tools[]") == plan({"--js"}, input).out);
  CHECK(code("host[]").find("host[\\\"get_user\\\"]") != std::string::npos);
  CHECK(code("codemode.").find("codemode.get_user(") != std::string::npos);
  CHECK(code("external_").find("external_get_user(") != std::string::npos);
}

TEST_CASE("--weights refuses what is no weights file") {
  const scratch_file file;
  file.write("not weights");
  const outcome damaged = plan({"--weights", file.path()}, record("1", call(1)));
  CHECK(damaged.exit_code == 3);
  CHECK(damaged.out.empty());
  CHECK(damaged.err.find(file.path()) != std::string::npos);
  const outcome missing = plan({"--weights", "/no/such/weights"}, record("1", call(1)));
  CHECK(missing.exit_code == 3);
  CHECK(missing.err.find("/no/such/weights") != std::string::npos);
}

TEST_CASE("progress is for a terminal only") {
  std::string input;
  for (int i = 0; i < 20'000; ++i) input += "{}\n";
  const scratch_file in, out;
  in.write(input);
  CHECK(plan({in.path()}).err.empty());
  if (std::system("command -v script >/dev/null 2>&1") != 0) {
    MESSAGE("skipped: no program `script` to make a terminal");
    return;
  }
  const std::string command = "'" + program + "' plan '" + in.path() + "' >'" + out.path() + "'";
  const outcome o = test::run({"/usr/bin/env", "script", "-qec", command, "/dev/null"});
  CHECK(o.exit_code == 0);
  CHECK(o.out.find("lines") != std::string::npos);
  CHECK(out.text() == plan({in.path()}).out);
}

TEST_SUITE("memory") {
  TEST_CASE("memory follows the longest line, not the file") {
#ifdef CODEMODE_TEST_LONG
    constexpr std::size_t size = 1'000'000'000;
#else
    constexpr std::size_t size = 100'000'000;
#endif
    constexpr std::size_t longest = 1'048'576;
    const scratch_file file, answers;
    std::size_t count = 0;
    {
      // Lines up to 1 MiB of the kinds that cost most: a long value, a long ignored member of many
      // small elements or levels, a long instruction, a long catalog; short records between them.
      std::ofstream stream{file.path(), std::ios::binary};
      std::size_t written = 0;
      while (written < size) {
        const std::string id = std::to_string(count);
        std::string line;
        const auto fill = [&](std::string_view head, std::string_view unit, std::string_view tail) {
          line = head;
          while (line.size() + unit.size() + tail.size() <= longest) line += unit;
          line += tail;
        };
        const std::string rest =
            "\"instruction\":\"" + call(1) + "\"," + std::string{tools} + ",\"id\":" + id + "}";
        switch (count % 40) {
          case 3:
            fill("{\"instruction\":\"Call get_user with id 1 and note \\\"", "x",
                 "\\\".\"," + std::string{tools} + "}");
            break;
          case 11:
            fill("{\"other\":[0", ",1", "]," + rest);
            break;
          case 19:
            fill("{\"instruction\":\"Call get_user with id 1", " and", "\"," + std::string{tools} + "}");
            break;
          case 27:
            fill("{\"other\":[{}", ",{\"a\":[]}", "]," + rest);
            break;
          case 31: {
            const std::size_t levels = (longest - rest.size() - 20) / 2;
            line = "{\"other\":" + std::string(levels, '[') + std::string(levels, ']') + "," + rest;
            break;
          }
          case 35:
            fill("", "\\\"", "");
            break;
          default:
            line = record(id, call(static_cast<int>(count % 1000)));
        }
        line += '\n';
        REQUIRE(line.size() <= longest + 1);
        stream << line;
        written += line.size();
        ++count;
      }
      REQUIRE(stream.flush().good());
    }
    const test::descriptor in{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
    for (const std::vector<std::string>& options :
         {std::vector<std::string>{}, {"--js"}, {"--js", "--jobs", "2"}}) {
      const test::descriptor out{::open(answers.path().c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC)};
      std::vector<std::string> command{program, "plan", file.path()};
      command.insert(command.end(), options.begin(), options.end());
      test::child run{command, in.get(), out.get(), STDERR_FILENO};
      const outcome o = run.wait();
      CHECK(o.exit_code == 0);
      MESSAGE("peak " << o.peak_kib << " KiB");
      CHECK(o.peak_kib < 64 * 1024);

      std::ifstream stream{answers.path(), std::ios::binary};
      std::size_t lines = 0;
      std::array<char, 65536> buffer{};
      while (stream.read(buffer.data(), buffer.size()), stream.gcount() > 0)
        lines += static_cast<std::size_t>(std::count(buffer.begin(), buffer.begin() + stream.gcount(), '\n'));
      CHECK(lines == count);
#ifdef CODEMODE_TEST_LONG
      break;  // once is enough for a gigabyte
#endif
    }
  }
}
