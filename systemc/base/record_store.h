#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include <sys/mman.h>

namespace coppice {

// Records that several threads open, pass to each other and close. A record has a fixed address and is
// identified by an ID. IDs are allocated in blocks to the Shelf of each thread and are reused.
//
// A thread that passes an ID to another thread must synchronise with it, so that the other thread sees all
// earlier writes to the record.
template <typename Record>
class RecordStore {
 public:
  static constexpr std::size_t kBlock = 256;
  static constexpr std::size_t kMostBlocks = std::size_t{1} << 20;

  RecordStore()
      : blocks_(static_cast<Record**>(::mmap(nullptr, kMostBlocks * sizeof(Record*), PROT_READ | PROT_WRITE,
                                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    if (blocks_.get() != MAP_FAILED) return;
    (void)blocks_.release();
    throw std::bad_alloc();
  }

  Record& operator[](std::uint64_t id) { return blocks_.get()[id / kBlock][id % kBlock]; }
  const Record& operator[](std::uint64_t id) const { return blocks_.get()[id / kBlock][id % kBlock]; }

  // Returns the first of kBlock new IDs. May be called from several threads at the same time.
  std::uint64_t add_block() {
    const std::lock_guard lock(adding_);
    if (owned_.size() == kMostBlocks) throw std::bad_alloc();
    owned_.push_back(std::make_unique<Record[]>(kBlock));
    blocks_.get()[owned_.size() - 1] = owned_.back().get();
    return (owned_.size() - 1) * kBlock;
  }

 private:
  struct Free {
    void operator()(Record** blocks) const { ::munmap(blocks, kMostBlocks * sizeof(Record*)); }
  };

  // Reserves address space for the largest possible table, so that the table never moves. Unlike in a heap
  // allocation, unused pages are guaranteed to occupy no memory.
  std::unique_ptr<Record*, Free> blocks_;
  std::mutex adding_;
  std::vector<std::unique_ptr<Record[]>> owned_;
};

// The free IDs of one thread.
template <typename Record>
class Shelf {
 public:
  // `store` must outlive this object.
  explicit Shelf(RecordStore<Record>& store) : store_(&store) {}

  std::uint64_t take() {
    if (free_.empty()) {
      if (fresh_ == end_) {
        fresh_ = store_->add_block();
        end_ = fresh_ + RecordStore<Record>::kBlock;
      }
      return fresh_++;
    }
    const std::uint64_t id = free_.back();
    free_.pop_back();
    return id;
  }
  void release(std::uint64_t id) { free_.push_back(id); }

  // Rebalances free records if one shelf has many more than the other. This can happen if all messages begin
  // in one thread and end in another. Call this while no thread uses the shelves.
  static void level(Shelf& one, Shelf& other) {
    Shelf& more = one.free_.size() < other.free_.size() ? other : one;
    Shelf& less = &more == &one ? other : one;
    const std::size_t surplus = more.free_.size() - less.free_.size();
    if (surplus < 16 * RecordStore<Record>::kBlock) return;
    const auto from = more.free_.end() - static_cast<std::ptrdiff_t>(surplus / 2);
    less.free_.insert(less.free_.end(), from, more.free_.end());
    more.free_.erase(from, more.free_.end());
  }

 private:
  RecordStore<Record>* store_;
  std::vector<std::uint64_t> free_;
  std::uint64_t fresh_ = 0;  // next unused ID of the latest block, up to end_
  std::uint64_t end_ = 0;
};

}  // namespace coppice
