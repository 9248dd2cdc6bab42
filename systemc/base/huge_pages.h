#pragma once

namespace coppice {

// Makes the heap grow in large steps and requests huge pages for it (madvise, 2 MiB on x86-64): the state of
// a large machine exceeds the memory that the processor's TLB covers with 4 KiB pages. If the system has no
// huge pages, only the heap's growth changes; if the address space is limited (ulimit -v), or with a C
// library other than glibc, nothing changes. Call this once, before any large allocation and before threads
// are created.
void use_huge_pages();

}  // namespace coppice
