#include "ni/memory/contribution_sets.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace coppice::ni {
namespace {

void insert(std::uint64_t* set, std::size_t accelerator) {
  set[accelerator / 64] |= std::uint64_t{1} << (accelerator % 64);
}

}  // namespace

ContributionSets::ContributionSets(std::size_t segments, int accelerators, int self)
    : segments_(segments),
      words_((static_cast<std::size_t>(accelerators) + 63) / 64),
      accelerators_(accelerators),
      self_(self) {
  if (!few_words()) {
    handles_.resize(segments, Handle(Form::kSelf));
    return;
  }
  sets_.resize(segments * words_, 0);
  for (std::size_t segment = 0; segment < segments; ++segment) {
    insert(&sets_[segment * words_], static_cast<std::size_t>(self));
  }
}

std::uint64_t ContributionSets::full_word(std::size_t word) const {
  const std::size_t left = static_cast<std::size_t>(accelerators_) - word * 64;
  return left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
}

bool ContributionSets::all_in(const std::uint64_t* set) const {
  for (std::size_t word = 0; word < words_; ++word) {
    if (set[word] != full_word(word)) return false;
  }
  return true;
}

void ContributionSets::read(std::size_t segment, std::uint64_t* into) const {
  if (few_words()) {
    std::copy_n(&sets_[segment * words_], words_, into);
    return;
  }
  const Handle handle = handles_[segment];
  if (handle.form() == Form::kWords) {
    std::copy_n(&sets_[handle.place() * words_], words_, into);
    return;
  }
  if (handle.form() == Form::kAll) {
    for (std::size_t word = 0; word < words_; ++word) into[word] = full_word(word);
    return;
  }
  std::fill_n(into, words_, 0);
  if (handle.form() == Form::kSelf) insert(into, static_cast<std::size_t>(self_));
  if (handle.form() == Form::kList) {
    const std::uint16_t* const list = &lists_[handle.place() * kListSize];
    for (std::size_t i = 1; i <= list[0]; ++i) insert(into, list[i]);
  }
}

ContributionSets::Form ContributionSets::form_of(const std::uint64_t* set) const {
  std::size_t count = 0;
  for (std::size_t word = 0; word < words_ && count <= kListed; ++word) {
    if (set[word] != 0) count += static_cast<std::size_t>(std::popcount(set[word]));
  }
  // Sets that are too long for a list are stored as words. Sets of few words have no other form.
  if (count > kListed) return all_in(set) ? Form::kAll : Form::kWords;
  if (count == 0) return Form::kNone;
  if (count == 1 && (set[self_ / 64] >> (self_ % 64) & 1U) != 0) return Form::kSelf;
  return accelerators_ - 1 <= std::numeric_limits<std::uint16_t>::max() ? Form::kList : Form::kWords;
}

void ContributionSets::release(Handle handle) {
  if (handle.form() == Form::kWords) free_sets_.push_back(handle.place());
  if (handle.form() == Form::kList) free_lists_.push_back(handle.place());
}

std::uint32_t ContributionSets::take(std::vector<std::uint32_t>& free, std::size_t end) {
  if (free.empty()) return static_cast<std::uint32_t>(end);
  const std::uint32_t place = free.back();
  free.pop_back();
  return place;
}

void ContributionSets::assign(std::size_t segment, const std::uint64_t* set) {
  if (few_words()) {
    std::copy_n(set, words_, &sets_[segment * words_]);
    return;
  }
  Handle& handle = handles_[segment];
  const Form form = form_of(set);
  if (form != handle.form()) {
    release(handle);
    handle = Handle(form);
    if (form == Form::kWords) {
      handle = Handle(form, take(free_sets_, sets_.size() / words_));
      if (handle.place() * words_ == sets_.size()) sets_.resize(sets_.size() + words_);
    }
    if (form == Form::kList) {
      handle = Handle(form, take(free_lists_, lists_.size() / kListSize));
      if (handle.place() * kListSize == lists_.size()) lists_.resize(lists_.size() + kListSize);
    }
  }
  if (form == Form::kWords) std::copy_n(set, words_, &sets_[handle.place() * words_]);
  if (form != Form::kList) return;
  std::uint16_t* const list = &lists_[handle.place() * kListSize];
  list[0] = 0;
  for (std::size_t word = 0; word < words_; ++word) {
    for (std::uint64_t bits = set[word]; bits != 0; bits &= bits - 1) {
      list[++list[0]] =
          static_cast<std::uint16_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
    }
  }
}

std::ptrdiff_t ContributionSets::unite(std::size_t segment, const std::uint64_t* set) {
  constexpr std::size_t kOnStack = 64;
  std::uint64_t on_stack[kOnStack];
  std::vector<std::uint64_t> larger(few_words() || words_ <= kOnStack ? 0 : words_);
  const bool in_place = few_words() || handles_[segment].form() == Form::kWords;
  std::uint64_t* mine = larger.empty() ? on_stack : larger.data();
  if (in_place) {
    mine = &sets_[(few_words() ? segment : std::size_t{handles_[segment].place()}) * words_];
  } else {
    read(segment, mine);
  }
  for (std::size_t word = 0; word < words_; ++word) {
    const std::uint64_t twice = mine[word] & set[word];
    if (twice != 0) return static_cast<std::ptrdiff_t>(word * 64) + std::countr_zero(twice);
  }
  for (std::size_t word = 0; word < words_; ++word) mine[word] |= set[word];
  if (!in_place || (!few_words() && all_in(mine))) assign(segment, mine);
  return -1;
}

bool ContributionSets::is_full(std::size_t segment) const {
  return few_words() ? all_in(&sets_[segment * words_]) : handles_[segment].form() == Form::kAll;
}

void ContributionSets::fill(std::size_t segment) {
  if (few_words()) {
    for (std::size_t word = 0; word < words_; ++word) sets_[segment * words_ + word] = full_word(word);
    return;
  }
  std::vector<std::uint64_t> all(words_);
  for (std::size_t word = 0; word < words_; ++word) all[word] = full_word(word);
  assign(segment, all.data());
}

void ContributionSets::clear(std::size_t segment) {
  if (few_words()) {
    std::fill_n(&sets_[segment * words_], words_, 0);
    return;
  }
  assign(segment, std::vector<std::uint64_t>(words_, 0).data());
}

std::size_t ContributionSets::bytes() const {
  return handles_.size() * sizeof(Handle) + sets_.size() * sizeof(std::uint64_t) +
         lists_.size() * sizeof(std::uint16_t);
}

}  // namespace coppice::ni
