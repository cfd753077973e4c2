//go:build bench

package main

import (
	"reflect"

	"github.com/orthant-go/orthant/bench"
)

// What the suites add to the tables of what is printed and kept.
func init() {
	printedBy = append(printedBy, []printed{
		{"bench-list", "bench list", "the suites", reflect.TypeFor[suitesReport]()},
		{"bench-data", "bench data", "the real data sets", reflect.TypeFor[setsReport]()},
		{"bench-run", "bench run", "a run of cases", reflect.TypeFor[casesReport]()},
		{"bench-report", "bench report", "claims and their verdicts", reflect.TypeFor[claimsReport]()},
		{"bench-compare", "bench compare", "two runs side by side", reflect.TypeFor[bench.Comparison]()},
	}...)
	printing = append(printing, []string{
		"bench-list: bench list",
		"bench-data: bench data",
		"bench-run: bench run --quick --out r timing/neml/triple-peak/lle",
		"bench-run: bench run --quick --out s timing/neml/triple-peak/lle",
		"bench-compare: bench compare r s",
		"bench-report: bench report r",
	}...)
	journaled = append(journaled, journal{"bench", "bench run --quick --out bench timing/neml/triple-peak/lle", `"kept":1`})
}
