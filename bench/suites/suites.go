// Package suites lists the suites of benchmarks: a package for each paper and for each
// comparison. A package of a suite knows the harness, [bench], and none of the others.
package suites

import (
	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/backends"
	"github.com/orthant-go/orthant/bench/suites/card"
	"github.com/orthant-go/orthant/bench/suites/complexity"
	"github.com/orthant-go/orthant/bench/suites/components"
	"github.com/orthant-go/orthant/bench/suites/defaults"
	"github.com/orthant-go/orthant/bench/suites/groups"
	"github.com/orthant-go/orthant/bench/suites/lnp"
	"github.com/orthant-go/orthant/bench/suites/maps"
	"github.com/orthant-go/orthant/bench/suites/neighbours"
	"github.com/orthant-go/orthant/bench/suites/neml"
	"github.com/orthant-go/orthant/bench/suites/noise"
	"github.com/orthant-go/orthant/bench/suites/nonnegative"
	"github.com/orthant-go/orthant/bench/suites/peers"
	"github.com/orthant-go/orthant/bench/suites/restarts"
	"github.com/orthant-go/orthant/bench/suites/rnpa"
	"github.com/orthant-go/orthant/bench/suites/scaling"
	"github.com/orthant-go/orthant/bench/suites/smrmf"
	"github.com/orthant-go/orthant/bench/suites/solving"
	"github.com/orthant-go/orthant/bench/suites/starts"
	"github.com/orthant-go/orthant/bench/suites/timing"
	"github.com/orthant-go/orthant/bench/suites/trust"
	"github.com/orthant-go/orthant/bench/suites/verdict"
)

// All lists all suites, in the order in which they are run and shown.
func All() bench.Suites {
	return bench.Suites{
		timing.Suite,
		scaling.Suite,
		complexity.Suite,
		backends.Suite,
		peers.Suite,
		card.Suite,
		maps.Suite,
		groups.Suite,
		neighbours.Suite,
		restarts.Suite,
		noise.Suite,
		starts.Suite,
		solving.Suite,
		verdict.Suite,
		trust.Suite,
		components.Suite,
		defaults.Suite,
		neml.Suite,
		lnp.Suite,
		nonnegative.Suite,
		rnpa.Suite,
		smrmf.Suite,
	}
}
