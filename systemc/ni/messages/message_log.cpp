#include "ni/messages/message_log.h"

#include <algorithm>
#include <tuple>

namespace coppice::ni {

MessageLog& MessageLog::of_thread(std::size_t thread) {
  while (others_.size() < thread) {
    others_.push_back(std::unique_ptr<MessageLog>(new MessageLog(store_)));
    others_.back()->keep_ = keep_;
  }
  return thread == 0 ? *this : *others_[thread - 1];
}

void MessageLog::keep(bool keep) {
  keep_ = keep;
  for (const auto& other : others_) other->keep_ = keep;
}

void MessageLog::report(const MessageRecord& record) const {
  for (MessageObserver* observer : observers_) observer->message_completed(record);
}

void MessageLog::flush() {
  std::vector<std::uint64_t> all = kept_;
  for (const auto& other : others_) all.insert(all.end(), other->kept_.begin(), other->kept_.end());
  // A stable sort suffices because the messages of each accelerator are already in order.
  const auto place = [this](std::uint64_t id) {
    const MessageRecord& record = (*store_)[id].record;
    return std::tuple(record.completed, record.dst);
  };
  std::stable_sort(all.begin(), all.end(),
                   [&place](std::uint64_t a, std::uint64_t b) { return place(a) < place(b); });
  for (const std::uint64_t id : all) report((*store_)[id].record);
  const auto forget_kept = [](MessageLog& log) {
    for (const std::uint64_t id : log.kept_) log.forget(id);
    log.kept_.clear();
  };
  forget_kept(*this);
  for (const auto& other : others_) {
    forget_kept(*other);
    Shelf<Slot>::level(shelf_, other->shelf_);
  }
}

std::int64_t MessageLog::open_count() const {
  std::int64_t open = open_;
  for (const auto& other : others_) open += other->open_;
  return open;
}

std::int64_t MessageLog::completed_count() const {
  std::int64_t completed = completed_;
  for (const auto& other : others_) completed += other->completed_;
  return completed;
}

}  // namespace coppice::ni
