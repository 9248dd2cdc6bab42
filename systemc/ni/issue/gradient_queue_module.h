#pragma once

#include <cstdint>
#include <functional>
#include <systemc>
#include <tlm>
#include <vector>

#include "ni/issue/final_chunk_counter.h"
#include "ni/issue/gradient_queue.h"
#include "ni/issue/table_context.h"
#include "ni/memory/message_record.h"

namespace coppice::ni {

// The gradient queue between a network interface and its accelerator. It counts the chunks of a collective in
// order as their last messages reach memory. It releases the layers of the next forward pass in order, each
// in the cycle in which the layer's gradients become final at this accelerator. The Verilog implementation is
// rtl/ni/gradient_queue.v.
class GradientQueueModule final : public sc_core::sc_module, public tlm::tlm_analysis_if<MessageRecord> {
 public:
  // Receives the messages that the network interface has reduced or stored. NetworkInterface::completed must
  // be bound to it.
  sc_core::sc_export<tlm::tlm_analysis_if<MessageRecord>> arrived{"arrived"};

  // Called in every cycle in which chunks have arrived and a layer has been released.
  std::function<void(Cycles now)> on_release;

  // `chunks` describes the chunks of the collective and must outlive this module. `layer_chunks[l]` is the
  // number of chunks that contain the gradients of layers 0 to l.
  GradientQueueModule(const sc_core::sc_module_name& name, ContextId collective,
                      const schedule::FinalChunks& chunks, schedule::NodeId accelerator,
                      std::vector<std::int64_t> layer_chunks);

  // These functions are described in GradientQueue.
  bool released() const { return queue_.released(); }
  std::size_t layer() const { return queue_.layer(); }
  void take() { queue_.take(); }

 private:
  void write(const MessageRecord& message) override;

  ContextId collective_;
  FinalChunkCounter counter_;
  GradientQueue queue_;
};

}  // namespace coppice::ni
