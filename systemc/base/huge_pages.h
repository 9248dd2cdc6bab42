#pragma once

namespace coppice {

// Lets the heap grow in large steps and asks the system for huge pages in it (madvise, 2 MiB on x86-64): the
// state of a large machine is spread over more memory than the table of addresses in the processor covers in
// pages of 4 KiB. Where the system has no huge pages, nothing changes but where the heap ends; where
// addresses are limited (ulimit -v), or with another library than glibc, nothing at all. To be called once,
// before anything large is allocated and before there are threads.
void use_huge_pages();

}  // namespace coppice
