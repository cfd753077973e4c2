// Package tasks ends a process that may start too few threads with one line. Go's runtime would end it by a
// dump of some hundred lines as soon as the system refuses a thread. Whoever imports the package is checked. A control
// group that has no room for the runtime's first threads ends the process before any check.
package tasks
