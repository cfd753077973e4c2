package bench

// Env is what a run finds around it.
type Env struct {
	Data   string // folder of the real data sets; empty: none
	Quick  bool   // the small version of every suite
	Tapkee string // path of Tapkee's command; empty: not at hand
	Memory int64  // bytes that a case may take; 0: what the machine has available

	// Command is how the command that users have is called: the path of the binary, and
	// what comes before its arguments. Empty: the running binary and [UsersCommand].
	Command []string

	scratch string // folder for the files of the run; empty: the system's
}
