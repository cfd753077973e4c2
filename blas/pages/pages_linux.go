package pages

import "syscall"

// inHugePages is MADV_HUGEPAGE.
const inHugePages = 14

// advise asks for huge pages. A system that has none, or that does not give them, refuses
// or ignores it, and the memory serves all the same.
func advise(b []byte) { _ = syscall.Madvise(b, inHugePages) }

// release drops the pages; anonymous memory is zero when it is touched again.
func release(b []byte) { _ = syscall.Madvise(b, syscall.MADV_DONTNEED) }
