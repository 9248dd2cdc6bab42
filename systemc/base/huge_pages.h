#pragma once

namespace coppice {

// Makes the heap grow in large steps and requests huge pages for it from the system (madvise, 2 MiB on
// x86-64): the state of a large machine is spread over more memory than the processor's TLB covers with pages
// of 4 KiB. If the system has no huge pages, only the end of the heap changes; if addresses are limited
// (ulimit -v), or with a library other than glibc, nothing changes. Call this once, before anything large is
// allocated and before there are threads.
void use_huge_pages();

}  // namespace coppice
