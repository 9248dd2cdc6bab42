#include "ni/issue/gradient_queue_module.h"

#include <utility>

namespace coppice::ni {

GradientQueueModule::GradientQueueModule(const sc_core::sc_module_name& name, ContextId collective,
                                         const schedule::FinalChunks& chunks, schedule::NodeId accelerator,
                                         std::vector<std::int64_t> layer_chunks)
    : sc_module(name),
      collective_(collective),
      counter_(chunks, accelerator),
      queue_(std::move(layer_chunks)) {
  arrived.bind(*this);
}

void GradientQueueModule::write(const MessageRecord& message) {
  if (message.context != collective_) return;
  const std::size_t before = counter_.in_order();
  counter_.arrived(message.entry->flow);
  for (std::size_t chunk = before; chunk < counter_.in_order(); ++chunk) queue_.enqueue();
  if (counter_.in_order() > before && queue_.released() && on_release) on_release(message.completed);
}

}  // namespace coppice::ni
