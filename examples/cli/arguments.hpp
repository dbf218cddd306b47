#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>

namespace cli {

/// An option that a subcommand knows.
struct option {
  enum kind : unsigned char {
    flag,            ///< `--js`
    value,           ///< `--threshold 0.8` or `--threshold=0.8`
    optional_value,  ///< `--explain` or `--explain=json`
  };
  std::string_view name;
  kind takes = flag;
};

/// One step through a command line.
struct argument {
  enum kind : unsigned char {
    end,
    operand,
    known,          ///< an option of the list, with `text` as its value
    unknown,        ///< an option that is not in the list; `name` is the nearest that is, or empty
    missing_value,  ///< an option at the end of the line whose value is missing
    excess_value,   ///< `--js=yes`
  };
  kind what = end;
  std::string_view name{};
  std::string_view text{};
  bool has_value = false;
};

/// Number of letters to add, drop or change between two short words; long ones count as far apart.
inline std::size_t edit_distance(std::string_view a, std::string_view b) noexcept {
  constexpr std::size_t longest = 32;
  if (a.size() > longest || b.size() > longest) return longest;
  std::array<std::size_t, longest + 1> row{};
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = (std::min)({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row[b.size()];
}

/// Steps through a command line. Options and operands may be mixed, `--` ends the options and a lone
/// `-` is an operand.
class argument_reader {
 public:
  argument_reader(std::span<const std::string_view> arguments, std::span<const option> options) noexcept
      : arguments_(arguments), options_(options) {}

  argument next() noexcept {
    if (at_ == arguments_.size()) return {};
    const std::string_view word = arguments_[at_++];
    if (only_operands_ || word == "-" || !word.starts_with('-')) return {argument::operand, {}, word};
    if (word == "--") {
      only_operands_ = true;
      return next();
    }
    const std::size_t equals = word.find('=');
    const bool has_value = equals != std::string_view::npos;
    const std::string_view name = word.substr(0, equals);
    const std::string_view text = has_value ? word.substr(equals + 1) : std::string_view{};
    const auto found =
        std::find_if(options_.begin(), options_.end(), [&](const option& o) { return o.name == name; });
    if (found == options_.end()) return {argument::unknown, nearest(name), name};
    if (found->takes == option::flag && has_value) return {argument::excess_value, name, text};
    if (found->takes == option::value && !has_value) {
      if (at_ == arguments_.size()) return {argument::missing_value, name, {}};
      return {argument::known, name, arguments_[at_++], true};
    }
    return {argument::known, name, text, has_value};
  }

 private:
  [[nodiscard]] std::string_view nearest(std::string_view name) const noexcept {
    std::string_view best;
    std::size_t distance = 3;
    for (const option& o : options_) {
      const std::size_t d = edit_distance(o.name, name);
      if (d < distance) {
        distance = d;
        best = o.name;
      }
    }
    return best;
  }

  std::span<const std::string_view> arguments_;
  std::span<const option> options_;
  std::size_t at_ = 0;
  bool only_operands_ = false;
};

/// The whole of `text` as a number from `low` to `high`.
template <class T>
std::optional<T> parse_number(std::string_view text, T low, T high) noexcept {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || !(number >= low && number <= high))
    return std::nullopt;
  return number;
}

}  // namespace cli
