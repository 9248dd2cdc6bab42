#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/record_store.h"
#include "ni/memory/message_record.h"

namespace coppice::ni {

// The records of all messages in flight. The ID of a completed message is reused. If several threads simulate
// network interfaces, each thread has its own log, and all logs share the same messages: one log may open a
// message that another log closes.
class MessageLog {
 public:
  MessageLog() : store_(std::make_shared<Store>()), shelf_(*store_) {}

  // The log of a thread. Thread 0 uses this log, which owns the logs of all other threads. Call this before
  // the simulation.
  MessageLog& of_thread(std::size_t thread);

  // Opens a record without data. Reuses the storage of an earlier message.
  std::uint64_t open() {
    ++open_;
    const std::uint64_t id = shelf_.take();
    MessageRecord& record = (*store_)[id].record;
    Payload payload = std::move(record.payload);
    payload.clear();
    record = MessageRecord{};
    record.payload = std::move(payload);
    return id;
  }
  void close(std::uint64_t id) {
    --open_;
    ++completed_;
    if (keep_) {
      kept_.push_back(id);
    } else {
      report((*this)[id]);
      forget(id);
    }
  }
  // Closes a message together with its images, which have no records of their own.
  void close(std::uint64_t id, ImagesOfMessage& images) {
    --open_;
    completed_ += static_cast<std::int64_t>(images.ports().size());
    for (MessageObserver* observer : observers_) observer->images_completed(images);
    forget(id);
  }
  // Stores a copy of the table entry of message `id` until the message completes, and returns the copy.
  const TableEntry& keep(std::uint64_t id, const TableEntry& entry) {
    std::unique_ptr<TableEntry>& kept = (*store_)[id].entry;
    if (kept == nullptr) kept = std::make_unique<TableEntry>();
    return *kept = entry;
  }
  // Prefetches a record into the processor's caches.
  void fetch(std::uint64_t id) const {
    constexpr std::size_t kLine = 64;
    const auto* const record = reinterpret_cast<const char*>(&(*this)[id]);
    for (std::size_t at = 0; at < sizeof(MessageRecord); at += kLine) __builtin_prefetch(record + at);
  }
  MessageRecord& operator[](std::uint64_t id) { return (*store_)[id].record; }
  const MessageRecord& operator[](std::uint64_t id) const { return std::as_const(*store_)[id].record; }

  // The following functions act on the logs of all threads. Call them for the log of thread 0 while no thread
  // runs.

  void add_observer(MessageObserver& observer) { observers_.push_back(&observer); }
  // Sets whether closed messages are kept until flush(), which reports them to observers in the order of
  // completion cycle and accelerator. This is necessary if interfaces run ahead of each other.
  void keep(bool keep);
  void flush();
  std::int64_t open_count() const;
  std::int64_t completed_count() const;

 private:
  // A message and its table entry, if the entry must be stored while the message is in flight.
  struct Slot {
    MessageRecord record;
    std::unique_ptr<TableEntry> entry;
  };
  using Store = RecordStore<Slot>;

  explicit MessageLog(std::shared_ptr<Store> store) : store_(std::move(store)), shelf_(*store_) {}

  void report(const MessageRecord& record) const;
  void forget(std::uint64_t id) { shelf_.release(id); }

  std::shared_ptr<Store> store_;
  Shelf<Slot> shelf_;
  bool keep_ = false;
  std::vector<std::uint64_t> kept_;
  std::vector<MessageObserver*> observers_;
  std::int64_t open_ = 0;  // messages opened minus messages closed in this log
  std::int64_t completed_ = 0;
  std::vector<std::unique_ptr<MessageLog>> others_;  // logs of threads 1 and up
};

}  // namespace coppice::ni
