// Package limits knows what a process may take of the machine it runs on, and who
// says so: memory (control groups, RLIMIT_AS, RLIMIT_DATA, what is available) and
// threads (the environment, the affinity mask, the quota of control groups). What the
// kernel reports is read below a root folder, so that tests can describe other machines by
// files. On systems where the kernel is not asked, nothing is known and nothing is bounded.
package limits
