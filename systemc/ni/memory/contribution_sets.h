#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace coppice::ni {

// Sets of accelerators, one for each segment of a gradient buffer. Sets are passed as words: bit a % 64 of
// word a / 64 is set if accelerator a is in the set. In systems with many accelerators, most sets contain
// only the owner, a few accelerators or all accelerators, so only the remaining sets are also stored as
// words.
class ContributionSets {
 public:
  // Initially, each set contains only accelerator `self`.
  ContributionSets(std::size_t segments, int accelerators, int self);

  std::size_t words() const { return words_; }
  std::size_t segments() const { return segments_; }
  // Copies a set to `into`, which must have words() words.
  void read(std::size_t segment, std::uint64_t* into) const;
  void assign(std::size_t segment, const std::uint64_t* set);
  // Adds `set` to the set of a segment and returns -1. If the two sets have an accelerator in common, adds
  // nothing and returns the lowest such accelerator.
  std::ptrdiff_t unite(std::size_t segment, const std::uint64_t* set);
  bool is_full(std::size_t segment) const;
  void fill(std::size_t segment);
  void clear(std::size_t segment);
  // The memory used by all sets, in bytes.
  std::size_t bytes() const;

 private:
  // Sets of at most kFewWords words are always stored as words.
  static constexpr std::size_t kFewWords = 4;
  static constexpr std::size_t kListed = 15;  // maximum number of accelerators in a list
  static constexpr std::size_t kListSize = kListed + 1;
  enum class Form : std::uint8_t { kSelf, kNone, kAll, kList, kWords };
  class Handle {
   public:
    explicit Handle(Form form, std::uint32_t place = 0)
        : bits_(place << 3U | static_cast<std::uint32_t>(form)) {}
    Form form() const { return static_cast<Form>(bits_ & 7U); }
    std::uint32_t place() const { return bits_ >> 3U; }  // index of a list or of a set of words

   private:
    std::uint32_t bits_;
  };

  bool few_words() const { return words_ <= kFewWords; }
  std::uint64_t full_word(std::size_t word) const;
  bool all_in(const std::uint64_t* set) const;
  // The form in which a set of more than kFewWords words is stored.
  Form form_of(const std::uint64_t* set) const;
  void release(Handle handle);
  static std::uint32_t take(std::vector<std::uint32_t>& free, std::size_t end);

  std::size_t segments_;
  std::size_t words_;
  int accelerators_;
  int self_;
  std::vector<Handle> handles_;  // [segment]; used for sets of many words
  // [place * words + word]; [segment * words + word] if sets have few words.
  std::vector<std::uint64_t> sets_;
  // [place * kListSize]: the number of accelerators in the list, followed by these accelerators.
  std::vector<std::uint16_t> lists_;
  std::vector<std::uint32_t> free_sets_;
  std::vector<std::uint32_t> free_lists_;
};

}  // namespace coppice::ni
