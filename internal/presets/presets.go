// Package presets has the values of parameters with which the papers ran their methods, where they
// are not the defaults. The suites that check the papers' claims take them.
package presets

import "maps"

// OfPaper has these values of each such method, under their keys.
var OfPaper = map[string]map[string]string{
	"nmf":      with(squares, clustered),
	"nmf-kl":   with(updates, clustered),
	"nmf-beta": with(updates, clustered),
	"l21-nmf":  with(updates, clustered, setting{"warm": "0"}),
	"cim-nmf":  with(correntropy, clustered, setting{"iterations": "1500"}),
	"gnmf":     with(squares, clustered, regularized("100")),
	"npaf":     with(squares, clustered, regularized("1")),
	"gs-gnmf":  with(squares, clustered, regularized("100")),
	"ndla":     with(squares, regularized("0.0001")),
	"cim-gnmf": with(correntropy, updates, clustered, regularized("100")),
	"lp-rna":   with(correntropy, updates, clustered, regularized("100")),
	"sp-rna":   with(correntropy, updates, regularized("0.0001")),

	"rmnmf":     indicators("0.1"),
	"amrmf":     indicators("0.01"),
	"apmf":      indicators("0.01"),
	"smrmf":     indicators("0.1"),
	"f-smrmf":   indicators("0.1"),
	"smrmf-ns":  indicators("0.1"),
	"smrmf-euc": indicators("0.1"),
}

type setting = map[string]string

var (
	updates     = setting{"iterations": "200"}
	squares     = setting{"solver": "mu"}
	clustered   = setting{"labels": "kmeans", "rows": "codes"}
	correntropy = setting{"residual_scale": "mean", "theta": "0.5", "freeze_sigma_after": "0"}
)

// regularized is a plain graph term of a weight.
func regularized(lambda string) setting { return setting{"lambda": lambda, "term": "plain"} }

// indicators is the augmented Lagrangian of RMNMF and of the methods that follow it.
func indicators(lambda string) setting {
	return setting{"lambda": lambda, "offset": "none", "init": "nndsvd", "mu": "0.01", "hold": "0", "harden": "0"}
}

func with(groups ...setting) setting {
	all := setting{}
	for _, g := range groups {
		maps.Copy(all, g)
	}
	return all
}
