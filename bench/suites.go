package bench

// table is the list of suites, in the order in which they are run and shown.
var table = []Suite{
	nemlSuite,
}

// Suites lists all suites.
func Suites() []Suite { return table }
