#pragma once

/// @file
/// Results of read-only calls, kept for a while (contract.md, 2.5 and 2.12.13).

#include <codemode/contract/detail/sha256.hpp>
#include <codemode/contract/types.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace codemode {
inline namespace v0_1 {
namespace contract {

struct cache_options {
  std::chrono::milliseconds lifetime = std::chrono::seconds{300};  ///< 0 or less: nothing is kept
  std::size_t entries = 1024;                                      ///< 0: no bound
};

/// Keeps results by key. The clock is the caller's, so that tests need not wait. Not for several threads at once.
class result_cache {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  using key = detail::sha256_digest;

  explicit result_cache(const cache_options& options = {}) : options_(options) {}

  /// Digest of the parts, each ended by a zero byte.
  template <class... Part>
  [[nodiscard]] static key make_key(const Part&... parts) noexcept {
    detail::sha256 h;
    const auto add = [&](std::string_view part) {
      h.append(part);
      h.append(std::string_view{"\0", 1});
    };
    (add(std::string_view{parts}), ...);
    return h.finish();
  }

  /// A copy with its age, if it is there and not too old.
  [[nodiscard]] std::optional<call_result> find(const key& k, time_point now) {
    const auto at = by_key_.find(k);
    if (at == by_key_.end()) return std::nullopt;
    if (options_.lifetime.count() <= 0 || now > at->second->made + options_.lifetime) {
      entries_.erase(at->second);
      by_key_.erase(at);
      return std::nullopt;
    }
    call_result r = at->second->result;
    const auto age = std::chrono::duration_cast<std::chrono::seconds>(now - at->second->made).count();
    r.cached_age_seconds = (std::max)(std::int64_t{age}, std::int64_t{0});
    return r;
  }

  /// Keeps a result. Where the cache is full, what is too old goes first, then the oldest.
  void store(const key& k, std::string_view server_id, call_result result, time_point now) {
    if (options_.lifetime.count() <= 0) return;
    drop(k);
    if (options_.entries != 0 && entries_.size() >= options_.entries) {
      while (!entries_.empty() && now > entries_.front().made + options_.lifetime) pop();
      while (entries_.size() >= options_.entries) pop();
    }
    entries_.push_back({k, std::string(server_id), std::move(result), now});
    by_key_[k] = std::prev(entries_.end());
  }

  /// Forgets all results of a server: something was written there.
  void drop_server(std::string_view server_id) {
    for (auto at = entries_.begin(); at != entries_.end();) {
      const auto here = at++;
      if (here->server_id != server_id) continue;
      by_key_.erase(here->key);
      entries_.erase(here);
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

 private:
  struct entry {
    result_cache::key key;
    std::string server_id;
    call_result result;
    time_point made;
  };
  void drop(const key& k) {
    const auto at = by_key_.find(k);
    if (at == by_key_.end()) return;
    entries_.erase(at->second);
    by_key_.erase(at);
  }
  void pop() {
    by_key_.erase(entries_.front().key);
    entries_.pop_front();
  }

  cache_options options_;
  std::list<entry> entries_;  // oldest first
  std::map<key, std::list<entry>::iterator> by_key_;
};

}  // namespace contract
}  // namespace v0_1
}  // namespace codemode
