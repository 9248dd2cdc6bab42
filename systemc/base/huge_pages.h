#pragma once

namespace coppice {

// Makes the heap grow in large steps and requests huge pages for it (madvise, 2 MiB on x86-64). This is
// useful because the state of a large machine exceeds the memory that the processor's TLB covers with 4 KiB
// pages. If the system has no huge pages, only the growth of the heap changes. Nothing changes if the address
// space is limited (ulimit -v) or if the C library is not glibc. Call this once, before any large allocation
// and before creating threads.
void use_huge_pages();

}  // namespace coppice
