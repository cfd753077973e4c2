package bench

// Env is what a run finds around it.
type Env struct {
	Data   string // folder of the real data sets; empty: none
	Quick  bool   // the small version of every suite
	Tapkee string // path of Tapkee's command; empty: not at hand
}
