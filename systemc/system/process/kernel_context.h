#pragma once

#include <memory>
#include <systemc>

namespace coppice::system {

// A separate SystemC kernel: modules created while it is in use belong to it, with its own time, hierarchy
// and elaboration. A process may have several, one after another or side by side, besides its initial kernel;
// SystemC 2.3 keeps all state of a kernel in its sc_simcontext. All are used by one thread.
class KernelContext {
 public:
  KernelContext() : own_(std::make_unique<sc_core::sc_simcontext>()) {}
  KernelContext(const KernelContext&) = delete;
  KernelContext& operator=(const KernelContext&) = delete;
  // Requires that all its modules have been destroyed.
  ~KernelContext() {
    const Use use(*this);
    own_.reset();
  }

  // Makes this context's kernel the current one during its lifetime, and then restores the previous one.
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

  // During its lifetime, makes the kernel current that was so when the context was created: for calls out of
  // the context's processes.
  Use leave() const { return {outer_, outer_global_}; }

 private:
  std::unique_ptr<sc_core::sc_simcontext> own_;
  sc_core::sc_simcontext* outer_ = sc_core::sc_curr_simcontext;
  sc_core::sc_simcontext* outer_global_ = sc_core::sc_default_global_context;
};

}  // namespace coppice::system
