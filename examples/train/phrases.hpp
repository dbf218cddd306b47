#pragma once

// Phrases that can stand for one another without changing what an instruction asks for.

#include <codemode/frontend/lexer.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace train {

struct phrase_group {
  std::string_view only_for;  // a code, or empty for every frame
  std::vector<std::vector<std::string>> phrases;
};

inline std::vector<std::string> split_words(std::string_view s) {
  std::vector<std::string> out;
  std::size_t i = 0;
  while (i < s.size()) {
    const auto e = s.find(' ', i);
    out.emplace_back(s.substr(i, e == std::string_view::npos ? e : e - i));
    if (e == std::string_view::npos) break;
    i = e + 1;
  }
  return out;
}

inline const std::vector<phrase_group>& phrase_groups() {
  static const std::vector<phrase_group> groups = [] {
    std::vector<phrase_group> g;
    const auto add = [&](std::string_view code, std::initializer_list<std::string_view> list) {
      phrase_group x;
      x.only_for = code;
      for (const auto p : list) x.phrases.push_back(split_words(p));
      g.push_back(std::move(x));
    };
    add("", {"in parallel", "concurrently", "simultaneously", "at the same time", "side by side", "all at once",
             "at once", "at one and the same time", "in one go and together", "all together", "in concert",
             "at the very same moment", "without waiting for one another"});
    add("", {"then", "after that", "afterwards", "subsequently", "thereafter", "and then", "next up", "following that"});
    add("", {"please", "kindly", "pls", "plz", "if you could", "if you would be so kind", "if you don't mind"});
    add("", {"do not", "don't", "dont", "never"});
    add("", {"skip", "leave out", "omit", "leave alone"});
    add("", {"instead of", "rather than", "in place of"});
    add("", {"at most", "no more than", "up to", "max", "not more than", "a maximum of"});
    add("", {"the last result", "the final result", "the last answer", "the final output", "the last reply",
             "the last call's result", "the final answer"});
    add("", {"all results", "every result", "all the results", "all of the results", "all outputs", "every answer"});
    add("", {"just", "only", "merely", "solely"});
    add("", {"because", "since", "as"});
    add("", {"i need", "i want", "i would like", "i'd like", "we need", "we want", "could i have", "may i get"});
    add("", {"can you", "could you", "would you", "will you", "can u"});
    add("", {"call", "run", "invoke", "execute", "trigger", "fire off"});
    add("", {"followed by", "and after it", "and then", "succeeded by"});
    add("", {"both", "the two", "the pair"});
    add("", {"thanks", "thank you", "cheers", "many thanks", "thx", "ta"});
    add("", {"hi", "hello", "hey", "good morning", "dear all", "morning"});
    add("", {"as well as", "and also", "along with", "and", "plus"});
    add("", {"show me", "give me", "return", "hand me", "let me see", "let me have"});
    add("", {"prior to", "before", "ahead of", "in advance of", "earlier than"});
    add("", {"first of all", "firstly", "first off", "to begin with", "to start with"});
    add("", {"finally", "lastly", "to finish", "at the end", "in the end", "last of all"});
    add("unsupported_condition", {"if", "in case", "provided that", "only if", "on condition that", "as long as", "assuming",
                                  "supposing that", "in the event that", "so long as"});
    add("unsupported_condition", {"unless", "except if", "except when", "save if", "but not if"});
    add("unsupported_condition", {"only when", "only once", "when and only when", "only after"});
    add("unsupported_condition", {"depending on", "according to", "subject to", "contingent on", "conditional on"});
    add("unsupported_condition", {"as soon as", "the moment", "whenever", "when", "any time"});
    add("unsupported_loop", {"for each", "for every", "for each and every", "for all of the", "per"});
    add("unsupported_loop", {"until", "till", "up until"});
    add("unsupported_loop", {"twice", "two times", "three times", "thrice", "several times", "a few times", "again and again",
                             "over and over", "repeatedly"});
    add("unsupported_loop", {"every hour", "every day", "hourly", "daily", "every morning", "each night", "every five minutes",
                             "once a week", "weekly", "every Monday"});
    add("unsupported_loop", {"retry", "try again", "keep trying", "try it again"});
    add("unsupported_dependency", {"that it returns", "it gives back", "that comes back", "it returns", "that it gives you",
                                   "from its result", "out of its answer", "it finds"});
    add("ambiguous", {"or", "or else", "or alternatively", "or possibly", "or maybe"});
    add("ambiguous", {"you choose", "your choice", "up to you", "whichever you like", "you decide", "take your pick",
                      "as you see fit"});
    add("unsupported_shaping", {"sorted by", "ordered by", "sort by", "ranked by", "in order of", "arranged by"});
    add("unsupported_shaping", {"the average", "the sum", "the total", "the count", "the number", "the maximum", "the mean"});
    add("unsupported_shaping", {"the most recent", "the latest", "the newest", "the oldest", "the last"});
    return g;
  }();
  return groups;
}

}  // namespace train
