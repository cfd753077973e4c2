package rnpa

import (
	"context"
	"fmt"
	"maps"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// coder is a method with its parameters that gives images coordinates.
type coder struct {
	key, title string
	method     string            // "" for the pixels themselves
	set        map[string]string // its parameters, as for --set
	embeds     bool              // by Embed; otherwise by Factorize
	labeled    bool
	byCIM      bool // codes are compared by the correntropy-induced metric
	quick      bool
	every      int // iterations from one point of the trace to the next; 0: the engine's
}

func factorCoder(key, method string, settings ...string) coder {
	c := coder{key: key, title: key, method: method, set: map[string]string{"protocol": "paper"}}
	for i := 0; i+1 < len(settings); i += 2 {
		c.set[settings[i]] = settings[i+1]
	}
	return c
}

func (c coder) titled(title string) coder { c.title = title; return c }
func (c coder) quickly() coder            { c.quick = true; return c }

var (
	pixels      = coder{key: "pixels", title: "pixels", quick: true}
	pcaCoder    = coder{key: "pca", title: "pca", method: "pca", embeds: true, quick: true}
	lppCoder    = coder{key: "lpp", title: "lpp", method: "lpp", embeds: true, quick: true, set: map[string]string{"neighbors": "5", "weights": "binary"}}
	ldaCoder    = coder{key: "lda", title: "lda", method: "lda", embeds: true, labeled: true, quick: true}
	nmfCoder    = factorCoder("nmf", "nmf").quickly()
	gnmfCoder   = factorCoder("gnmf", "gnmf", "neighbors", "5", "lambda", "100").quickly()
	cimShort    = factorCoder("cim-nmf-200", "cim-nmf", "iterations", "200").titled("cim-nmf, 200 iterations")
	cimLong     = factorCoder("cim-nmf", "cim-nmf", "iterations", "1500").titled("cim-nmf, 1500 iterations")
	printedRNA  = localRNA("100").quickly()
	betterRNA   = localRNA("10").quickly()
	gsgnmfCoder = factorCoder("gs-gnmf", "gs-gnmf", "neighbors", "100", "lambda", "100")
	l21Coder    = factorCoder("l21-nmf", "l21-nmf")
	clusterings = []coder{
		pixels, pcaCoder, lppCoder, nmfCoder, l21Coder, cimShort, cimLong, gnmfCoder,
		gsgnmfCoder, factorCoder("cim-gnmf", "cim-gnmf", "lambda", "100"),
		printedRNA, betterRNA, factorCoder("npaf", "npaf"),
	}
)

// localRNA is LP-RNA at one λ.
func localRNA(lambda string) coder {
	return factorCoder("lp-rna-"+lambda, "lp-rna", "lambda", lambda, "p", "100", "xi1", "0.01", "xi2", "0.01").titled("lp-rna, λ = " + lambda)
}

var (
	discriminativeRNA = func() coder {
		c := factorCoder("sp-rna", "sp-rna", "lambda", "0.0001", "k1", "6", "k2", "20").titled("sp-rna, CIM distance").quickly()
		c.labeled, c.byCIM = true, true
		return c
	}()
	plainSPRNA = func() coder {
		c := discriminativeRNA
		c.key, c.title, c.byCIM, c.quick = "sp-rna-euclidean", "sp-rna, Euclidean distance", false, false
		return c
	}()
	ndlaCoder = func() coder {
		c := factorCoder("ndla", "ndla", "lambda", "0.0001", "k1", "6", "k2", "20").quickly()
		c.labeled = true
		return c
	}()
	weakGNMF    = factorCoder("gnmf", "gnmf", "neighbors", "5", "lambda", "0.001")
	weakGSGNMF  = factorCoder("gs-gnmf", "gs-gnmf", "neighbors", "100", "lambda", "0.001")
	recognisers = []coder{
		pixels, pcaCoder, lppCoder, ldaCoder, nmfCoder, cimShort.titled("cim-nmf, 200 iterations").quickly(),
		weakGNMF, weakGSGNMF, ndlaCoder, discriminativeRNA, plainSPRNA,
	}
)

// with is a coder with another value of one of its parameters: itself where it has that.
func (c coder) with(parameter, value string) coder {
	if c.set[parameter] == value {
		return c
	}
	c.set = maps.Clone(c.set)
	c.set[parameter] = value
	c.key += "-" + parameter + "=" + value
	c.title += ", " + parameter + " = " + value
	c.quick = false
	return c
}

// named is what the record says of the method.
func (c coder) named() string {
	if c.method == "" {
		return "none"
	}
	return c.method
}

// settings are the parameters at a rank.
func (c coder) settings(rank int) map[string]string {
	set := map[string]string{}
	maps.Copy(set, c.set)
	if c.embeds {
		set["dim"] = fmt.Sprint(rank)
	}
	return set
}

// params are all that matters to the result.
func (c coder) params(rank int, more map[string]any) map[string]any {
	params := map[string]any{"rank": rank, "scaling": "unit rows"}
	if c.method != "" {
		maps.Copy(params, bench.MethodParams(c.method, c.settings(rank)))
	}
	delete(params, "labels") // of a clustering by the engine, which is not asked for
	delete(params, "rows")
	maps.Copy(params, more)
	return params
}

// coded is what a coder makes of the samples it is fitted to.
type coded struct {
	y        *mat.Dense
	parts    *mat.Dense // the components, one a row; nil of what is not a factorisation
	model    func() (*engine.Model, error)
	trace    []nmf.Point
	warnings []string
	backend  string
}

// fit gives the samples coordinates. An embedding gets as many dimensions as the
// samples allow, up to the rank.
func (c coder) fit(ctx context.Context, x *mat.Dense, rank int, o engine.Options) (*coded, error) {
	if c.method == "" {
		return &coded{y: x}, nil
	}
	m, err := bench.NewMethod(c.method, c.settings(rank))
	if err != nil {
		return nil, err
	}
	if c.embeds {
		o.Components = "joint"
		r, err := engine.Embed(ctx, x, m, o)
		if err != nil {
			return nil, err
		}
		return &coded{y: r.Y, model: r.Model, warnings: r.Warnings, backend: r.Backend}, nil
	}
	r, err := engine.Factorize(ctx, x, m, engine.FactorizeOptions{Options: o, Rank: rank, TraceEvery: c.every})
	if err != nil {
		return nil, err
	}
	return &coded{y: r.W, parts: r.H, model: r.Model, trace: r.Trace, warnings: r.Warnings, backend: r.Backend}, nil
}

// rankFor is the rank that a coder can have, up to the requested one.
func (c coder) rankFor(rank, samples, classes int) int {
	switch {
	case c.method == "lda":
		return min(rank, classes-1)
	case c.embeds:
		return min(rank, samples-1)
	}
	return rank
}
