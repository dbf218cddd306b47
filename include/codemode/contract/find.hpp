#pragma once

/// @file
/// findTool: from a query to a decision (contract.md, 2.2 with 2.12.2 to 2.12.7).

#include <codemode/contract/json.hpp>
#include <codemode/contract/related.hpp>
#include <codemode/contract/search/decide.hpp>
#include <codemode/contract/search/search.hpp>
#include <codemode/contract/tool_catalog.hpp>
#include <codemode/contract/types.hpp>
#include <codemode/text/utf8.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace codemode {
inline namespace v0_1 {
namespace contract {

/// A tool that a semantic provider finds near a query.
struct semantic_hit {
  std::string tool_ref{};
  double score = 0;  ///< cosine
};

/// What a semantic provider answered.
struct semantic_answer {
  enum class state : std::uint8_t {
    absent,  ///< there is none, or it is not available now
    hits,    ///< `hits`, best first, perhaps none
    failed   ///< it was asked and gave nothing: the answer says so
  };
  state is = state::absent;
  std::vector<semantic_hit> hits{};
};

struct find_options {
  std::int64_t max_results = 5;          ///< selected, candidates and alternatives together; 0 or less acts as 5
  bool include_full_schemas = false;     ///< inlines schemas of any size and lifts `response_bytes`
  std::size_t response_bytes = 6000;     ///< of compact JSON, beside the query that is echoed
  std::optional<std::int64_t> catalog_age_seconds{};
};

/// Largest schema that is inlined, in bytes of compact JSON.
inline constexpr std::size_t inline_schema_bytes = 2048;
/// Most bytes of foreign text in one member of an answer (contract.md, 2.12.13).
inline constexpr std::size_t foreign_text_bytes = 2048;

/// The first `most` bytes of a text, cut at a code point and marked.
[[nodiscard]] inline std::string bounded(std::string_view text, std::size_t most = foreign_text_bytes) {
  if (text.size() <= most) return std::string(text);
  constexpr std::string_view mark = " [...]";
  std::size_t end = most > mark.size() ? most - mark.size() : 0;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) --end;
  return std::string(text.substr(0, end)) + std::string(mark);
}

/// A catalog with its index: what findTool and describeTool work on. Building allocates and copies nothing of the
/// catalog, which must outlive this and not change; then it is const and may be used from many threads, each
/// with its own `search::workspace`.
class tool_index {
 public:
  /// Indexes all tools of `catalog`. `lexicon` may come from another index (`lexicon()`), which saves its making.
  explicit tool_index(const tool_catalog& catalog, std::shared_ptr<const search::lexicon_map> lexicon = nullptr)
      : catalog_(&catalog), index_(std::move(lexicon)), revision_(catalog.revision()) {
    index_.build(catalog);
  }

  [[nodiscard]] const tool_catalog& catalog() const noexcept { return *catalog_; }
  [[nodiscard]] const search::inverted_index& index() const noexcept { return index_; }
  /// Whether the catalog has changed since.
  [[nodiscard]] bool outdated() const noexcept { return revision_ != catalog_->revision(); }
  [[nodiscard]] const std::shared_ptr<const search::lexicon_map>& lexicon() const noexcept { return index_.shared_lexicon(); }
  /// Bytes on the heap.
  [[nodiscard]] std::size_t memory() const noexcept { return index_.memory() + index_.lexicon().memory(); }

  /// The best tools for a query in `to.hits`. Does not allocate once `to` has met this catalog.
  void rank(std::string_view query, std::size_t limit, search::workspace& to) const {
    search::searcher(index_, *catalog_).find(query, limit, to);
  }

 private:
  const tool_catalog* catalog_;
  search::inverted_index index_;
  std::uint64_t revision_;
};

namespace detail {

/// Builds one answer of findTool.
class finder {
 public:
  finder(const tool_index& index, std::string_view query, const find_options& options, search::workspace& work)
      : catalog_(index.catalog()), search_(index.index(), index.catalog()), index_(index), query_(query),
        options_(options), work_(work),
        limit_(options.max_results > 0 ? static_cast<std::size_t>(options.max_results) : 5) {}

  [[nodiscard]] find_result run(const semantic_answer& semantic) {
    result_.query = query_;
    result_.catalog_stats = catalog_.stats(options_.catalog_age_seconds);
    if (catalog_.empty()) {
      result_.decision = decision_catalog_empty;
      result_.agent_instruction =
          "There are no tools in the catalog yet. Run the index and check that servers are configured and enabled, then "
          "use findTool again; do not conclude that nothing can do this.";
    } else {
      index_.rank(query_, (std::max)(limit_ + 3, std::size_t{8}), work_);
      if (semantic.is == semantic_answer::state::hits) fuse(semantic.hits);
      decide();
    }
    if (semantic.is == semantic_answer::state::failed)
      result_.agent_instruction.insert(
          0, "Semantic search was asked for and gave no answer, so this is found by words alone; run the doctor to see why and "
             "rebuild its index. ");
    if (!options_.include_full_schemas) fit();
    return std::move(result_);
  }

 private:
  [[nodiscard]] const tool_entry& entry(const search::hit& h) const noexcept { return catalog_.entries()[h.tool]; }

  /// Adds what the semantic provider found: evidence of both kinds is joined as if they were independent.
  void fuse(const std::vector<semantic_hit>& hits) {
    const float best = work_.hits.empty() ? 0 : (std::max)(work_.hits.front().score, 0.01F);
    const float unit = (std::max)(best, work_.mass > 0 ? work_.mass * 0.5F : 1.0F);
    for (const semantic_hit& s : hits) {
      const tool_entry* e = catalog_.find(s.tool_ref);
      const auto similarity = static_cast<float>((std::min)(1.0, (std::max)(0.0, (s.score - 0.2) / 0.5)));
      if (e == nullptr || !(similarity > 0)) continue;
      const auto number = static_cast<std::uint32_t>(e - catalog_.entries().data());
      auto at = std::find_if(work_.hits.begin(), work_.hits.end(), [&](const search::hit& h) { return h.tool == number; });
      if (at == work_.hits.end()) {
        search::hit h;
        h.tool = number;
        at = work_.hits.insert(work_.hits.end(), h);
      }
      at->score += unit * similarity;
      at->coverage = 1 - (1 - at->coverage) * (1 - 0.8F * similarity);
      at->direct = (std::max)(at->direct, 0.7F * similarity);
      at->action = (std::max)(at->action, similarity);
    }
    std::stable_sort(work_.hits.begin(), work_.hits.end(), [](const search::hit& a, const search::hit& b) {
      return a.score != b.score ? a.score > b.score : a.tool < b.tool;
    });
  }

  void decide() {
    const search::verdict v = search::decide(work_, catalog_);
    if (v.is == search::verdict::kind::nothing) return refuse();
    if (v.is == search::verdict::kind::several) return hedge((std::min)(v.count, (std::max)(limit_, std::size_t{2})));
    use(v.confidence);
  }

  void refuse() {
    result_.decision = decision_no_good_match;
    result_.reason = "no tool in the catalog answers enough of this query";
    result_.next_action = next_action{std::string(tool_find), {}, {}, "try other words for the task"};
    result_.agent_instruction =
        "Refine the query, naming the action and the thing it is done to, and use findTool again; check that the catalog is "
        "fresh and complete before you tell the user that no tool can do this.";
  }

  void use(std::string_view confidence) {
    const search::hit& top = work_.hits.front();
    const tool_entry& e = entry(top);
    result_.decision = decision_use;
    result_.selected_tool_ref = e.tool_ref;
    result_.confidence = confidence;
    result_.reason = reason(top);
    selected_tool& s = result_.selected.emplace(select(e));
    const recommended_call call = recommended_call_of(e);
    const bool inlined = !e.input_schema.empty() &&
                         (options_.include_full_schemas || e.input_schema.text().size() <= inline_schema_bytes);
    next_action& next = result_.next_action.emplace();
    next.tool_ref = e.tool_ref;
    if (inlined) {
      s.input_schema = e.input_schema;
      s.recommended_call = call;
      next.tool = tool_call;
      next.arguments = call.arguments;
      next.reason = "the schema is here";
      result_.agent_instruction =
          "Use callTool with this toolRef and arguments that fit the schema shown here; use describeTool only if something "
          "in it is unclear.";
    } else {
      s.schema_preview = preview_of(e.input_schema);
      object_builder b;
      b.set_string("toolRef", e.tool_ref);
      next.tool = tool_describe;
      next.arguments = b.finish();
      next.reason = "the schema is not shown here";
      result_.agent_instruction =
          "Use describeTool to see this tool's schema, then callTool with arguments that fit it.";
    }
    if (confidence == confidence_low)
      result_.agent_instruction += " The match is weak: check that the tool does what is wanted before you call it.";
    mention_status(e);
    result_.likely_followup_tools = followups_of(catalog_, e);
    result_.avoid = avoid_beside(catalog_, e);
    add_alternatives();
  }

  void hedge(std::size_t count) {
    const search::hit& top = work_.hits.front();
    const tool_entry& e = entry(top);
    result_.decision = decision_ambiguous;
    result_.selected_tool_ref = e.tool_ref;
    result_.reason = "several tools fit about as well: " + reason(top);
    selected_tool& s = result_.selected.emplace(select(e));
    s.schema_preview = preview_of(e.input_schema);
    for (std::size_t i = 0; i < count; ++i) {
      const tool_entry& c = entry(work_.hits[i]);
      candidate& to = result_.candidates.emplace_back();
      to.tool_ref = c.tool_ref;
      to.server_id = c.server_id;
      to.name = c.name;
      to.title = c.title;
      to.description = bounded(c.description);
      to.input_schema = c.input_schema;
    }
    result_.next_action = next_action{std::string(tool_call), {}, {}, "the candidates and their schemas are here"};
    result_.agent_instruction =
        "Compare the candidates shown here and use callTool with the better one; there is no need to describe them again. "
        "If nothing in the task tells them apart, ask the user which one is meant.";
    mention_status(e);
    add_alternatives();
  }

  [[nodiscard]] static selected_tool select(const tool_entry& e) {
    selected_tool s;
    s.tool_ref = e.tool_ref;
    s.title = e.title;
    s.callable_now = e.callable_now;
    s.server_status = e.server_status;
    return s;
  }

  void mention_status(const tool_entry& e) {
    if (!e.callable_now)
      result_.agent_instruction +=
          " Its server was not reachable when it was last indexed: if the call fails, check the server or choose another tool.";
    else if (!e.fresh)
      result_.agent_instruction += " Its catalog entry is old: refresh the index if the call is refused.";
  }

  void add_alternatives() {
    for (std::size_t i = 1; i < work_.hits.size() && i < limit_; ++i)
      result_.alternatives.push_back({entry(work_.hits[i]).tool_ref, reason(work_.hits[i])});
  }

  /// What of the query a tool meets, in the query's own words.
  [[nodiscard]] std::string reason(const search::hit& h) const {
    if (h.name == search::named::reference) return "the query names this toolRef";
    if (h.name == search::named::written) return "the query names this tool";
    std::string words[2];
    std::size_t shown = 0;
    bool names[2] = {false, false};
    for (std::size_t i = 0; i < work_.slot_count && shown < 4; ++i) {
      const search::slot& s = work_.slots[i];
      bool in_name = false;
      const int how = search_.meets(s, h.tool, in_name);
      if (how == 0) continue;
      std::string& list = words[how - 1];
      if (!list.empty()) list += ", ";
      list += query_.substr(s.begin, s.end - s.begin);
      names[how - 1] = names[how - 1] || in_name;
      ++shown;
    }
    if (shown == 0) return "its description is near the query";
    std::string text;
    if (!words[0].empty()) text = "matched " + words[0] + (names[0] ? " in its name" : " in its texts");
    if (!words[1].empty()) {
      if (!text.empty()) text += "; ";
      text += "other words for " + words[1] + (names[1] ? " in its name" : " in its texts");
    }
    return bounded(text, 240);
  }

  // --- the budget ---

  [[nodiscard]] std::size_t size() const {
    counting_sink echoed;
    append_wire_content(echoed, query_);
    std::size_t n = json_size(result_) - echoed.size();
    // Reasons quote the query; what they add beside it is small and bounded.
    return n;
  }

  /// Shortens an answer that is too long: descriptions of candidates first, then their schemas, then alternatives
  /// from the end, then what catalog rules added; the instruction says what was left out.
  void fit() {
    constexpr std::size_t reserve = 160;  // for the sentence that says so
    const std::size_t most = options_.response_bytes;
    if (size() <= most) return;
    std::string left_out;
    const auto too_long = [&] { return size() + reserve > most; };
    const auto say = [&](std::string_view what) {
      if (!left_out.empty()) left_out += ", ";
      left_out += what;
    };
    for (const std::size_t bytes : {std::size_t{400}, std::size_t{120}, std::size_t{0}}) {
      if (!too_long()) break;
      if (left_out.empty() && !result_.candidates.empty()) say("descriptions of candidates");
      for (candidate& c : result_.candidates) c.description = bytes == 0 ? std::string{} : bounded(c.description, bytes);
    }
    if (too_long() && !result_.candidates.empty()) {
      bool dropped = false;
      // The longest first, so that as many as possible stay.
      while (too_long()) {
        const auto longest = std::max_element(result_.candidates.begin(), result_.candidates.end(), [](const auto& a, const auto& b) {
          return a.input_schema.text().size() < b.input_schema.text().size();
        });
        if (longest->input_schema.absent()) break;
        longest->input_schema = open_object{};
        dropped = true;
      }
      if (dropped) say("schemas of candidates (describeTool shows them)");
    }
    bool dropped = false;
    while (too_long() && result_.alternatives.size() > (std::max)(result_.candidates.size(), std::size_t{1}) - 1) {
      result_.alternatives.pop_back();
      dropped = true;
    }
    if (dropped) say("some alternatives");
    if (too_long()) {
      result_.likely_followup_tools.clear();
      result_.avoid.clear();
    }
    if (too_long() && result_.selected && result_.selected->schema_preview) {
      result_.selected->schema_preview->properties.clear();
      if (result_.selected->schema_preview->required.empty()) result_.selected->schema_preview.reset();
      say("the list of properties");
    }
    if (!left_out.empty()) result_.agent_instruction += " Left out to keep this short: " + left_out + ".";
  }

  const tool_catalog& catalog_;
  search::searcher search_;
  const tool_index& index_;
  std::string_view query_;
  const find_options& options_;
  search::workspace& work_;
  std::size_t limit_;
  find_result result_{};
};

}  // namespace detail

/// Decides which tool fits a query. `semantic` is what a semantic provider answered for the same query, if the host
/// has one; its evidence is added to that of the words. Ranking does not allocate once `work` has met the
/// catalog; the answer itself owns its text.
[[nodiscard]] inline find_result find_tool(const tool_index& index, std::string_view query, const find_options& options,
                                           search::workspace& work, const semantic_answer& semantic = {}) {
  return detail::finder(index, query, options, work).run(semantic);
}
/// The same with scratch memory of its own.
[[nodiscard]] inline find_result find_tool(const tool_index& index, std::string_view query, const find_options& options = {}) {
  search::workspace work;
  return find_tool(index, query, options, work);
}

}  // namespace contract
}  // namespace v0_1
}  // namespace codemode
