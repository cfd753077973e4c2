// Package limits finds how much of the machine a process may use, and the source of each limit:
// memory (control groups, RLIMIT_AS, RLIMIT_DATA, available memory) and threads (the environment,
// the affinity mask, the quota of control groups). The kernel's reports are read below a root
// folder, so that tests can describe other machines by files. Windows is asked by calls (available
// memory, the limits of job objects, which containers are). On other systems where the kernel is not asked, nothing is known and nothing is bounded.
package limits
