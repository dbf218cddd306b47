#pragma once

/// @file
/// Descriptors by id and by family (schema.md 8).

#include <codemode/schema/consistency.hpp>
#include <codemode/schema/dialects.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string_view>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace schema {

/// A table of descriptors. A new one holds the built-in ones, without work at start-up. Any number of threads may use it:
/// lookups see completed registrations, and what they answer stays valid as long as the registry.
class descriptor_registry {
 public:
  /// Stores a descriptor under its id and as its family's member of its strictness, and answers what is wrong with it; it is
  /// stored nevertheless.
  consistency_report add(const descriptor& d) {
    const std::unique_lock lock(mutex_);
    own_.push_back(std::make_unique<descriptor>(d));
    return check_consistency(d);
  }

  /// The member of a family; `lenient` where there is none.
  [[nodiscard]] const descriptor& get(std::string_view family, bool strict) const {
    const std::shared_lock lock(mutex_);
    for (std::size_t i = own_.size(); i-- > 0;)
      if (own_[i]->family.view() == family && own_[i]->strict == strict) return *own_[i];
    // The older Gemini wire has one dialect, which is both.
    if (family == google_openapi.family.view()) return google_openapi;
    for (const descriptor* d : built_in_dialects)
      if (d->family.view() == family && d->strict == strict) return *d;
    return lenient;
  }

  /// The descriptor with an id; `lenient` where there is none.
  [[nodiscard]] const descriptor& by_id(std::string_view id) const {
    const std::shared_lock lock(mutex_);
    for (std::size_t i = own_.size(); i-- > 0;)
      if (own_[i]->id.view() == id) return *own_[i];
    const descriptor* const d = find_built_in(id);
    return d != nullptr ? *d : lenient;
  }

  /// Whether anything is registered under a family.
  [[nodiscard]] bool has_family(std::string_view family) const {
    const std::shared_lock lock(mutex_);
    for (const auto& d : own_)
      if (d->family.view() == family) return true;
    for (const descriptor* d : built_in_dialects)
      if (d->family.view() == family) return true;
    return false;
  }

  /// What a caller's `strict` and `format` mean: absent is strict, and OpenAI's family.
  [[nodiscard]] const descriptor& resolve(std::optional<bool> strict, std::string_view family = {}) const {
    if (family.empty() && !strict.value_or(true)) return lenient;
    return get(family.empty() ? std::string_view{"openai"} : family, strict.value_or(true));
  }

 private:
  mutable std::shared_mutex mutex_;
  std::vector<std::unique_ptr<descriptor>> own_;  // later ones win; none is ever forgotten
};

}  // namespace schema
}  // namespace v0_1
}  // namespace codemode
