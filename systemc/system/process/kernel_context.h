#pragma once

#include <memory>
#include <systemc>

namespace coppice::system {

// A separate SystemC kernel with its own time, hierarchy and elaboration; modules created while it is in use
// belong to it. Besides its initial kernel, a process may have several of these, in sequence or
// simultaneously, since SystemC 2.3 keeps all state of a kernel in its sc_simcontext. All must be used by one
// thread.
class KernelContext {
 public:
  KernelContext() : own_(std::make_unique<sc_core::sc_simcontext>()) {}
  KernelContext(const KernelContext&) = delete;
  KernelContext& operator=(const KernelContext&) = delete;
  // All its modules must have been destroyed.
  ~KernelContext() {
    const Use use(*this);
    own_.reset();
  }

  // Makes this context's kernel current during the lifetime of the Use, then restores the previous kernel.
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

  // Restores, for the lifetime of the returned Use, the kernel that was current when this context was
  // created. Use this for calls from the context's processes to the outside.
  Use leave() const { return {outer_, outer_global_}; }

 private:
  std::unique_ptr<sc_core::sc_simcontext> own_;
  sc_core::sc_simcontext* outer_ = sc_core::sc_curr_simcontext;
  sc_core::sc_simcontext* outer_global_ = sc_core::sc_default_global_context;
};

}  // namespace coppice::system
