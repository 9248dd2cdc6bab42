#pragma once

#include <memory>
#include <systemc>

namespace coppice::system {

// A separate SystemC kernel with its own time, hierarchy and elaboration. Modules that are created while it
// is in use belong to it. A process may have several such kernels besides its initial one, in sequence or
// simultaneously, since SystemC 2.3 keeps all state of a kernel in its sc_simcontext. One thread must use
// them all.
class KernelContext {
 public:
  KernelContext() : own_(std::make_unique<sc_core::sc_simcontext>()) {}
  KernelContext(const KernelContext&) = delete;
  KernelContext& operator=(const KernelContext&) = delete;
  // All modules of the kernel must have been destroyed before.
  ~KernelContext() {
    const Use use(*this);
    own_.reset();
  }

  // Makes this context's kernel current as long as the Use exists, then restores the previous kernel.
  class Use {
   public:
    explicit Use(const KernelContext& context) : Use(context.own_.get(), context.own_.get()) {}
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use() {
      sc_core::sc_curr_simcontext = current_;
      sc_core::sc_default_global_context = global_;
    }

   private:
    friend class KernelContext;
    Use(sc_core::sc_simcontext* current, sc_core::sc_simcontext* global)
        : current_(sc_core::sc_curr_simcontext), global_(sc_core::sc_default_global_context) {
      sc_core::sc_curr_simcontext = current;
      sc_core::sc_default_global_context = global;
    }

    sc_core::sc_simcontext* current_;
    sc_core::sc_simcontext* global_;
  };

  // As long as the returned Use exists, the kernel that was current when this context was created is current
  // again. Processes of this context need it around calls of outside code.
  Use leave() const { return {outer_, outer_global_}; }

 private:
  std::unique_ptr<sc_core::sc_simcontext> own_;
  sc_core::sc_simcontext* outer_ = sc_core::sc_curr_simcontext;
  sc_core::sc_simcontext* outer_global_ = sc_core::sc_default_global_context;
};

}  // namespace coppice::system
