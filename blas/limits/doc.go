// Package limits knows what a process may take of the machine it runs on, and who
// says so: memory (control groups, RLIMIT_AS, RLIMIT_DATA, what is available) and
// threads (the environment, the affinity mask, the quota of control groups). What the
// kernel tells is read below a root, so that other machines can be written down as
// files. Where the kernel is not asked, nothing is known and nothing is bounded.
package limits
