package trust

import (
	"fmt"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/blas"
)

// trial is one map of the suite.
type trial struct {
	shape  *shape
	method string
	set    [][2]string
	n      int
	seed   uint64
}

func (t *trial) name() string {
	var set []string
	for _, s := range t.set {
		set = append(set, s[0]+"="+s[1])
	}
	return strings.TrimSuffix(fmt.Sprintf("%s/%s/n=%d,seed=%d,%s", t.shape.name, t.method, t.n, t.seed, strings.Join(set, ",")), ",")
}

// perShape maps are drawn of each shape, by streams of their own; of the unseen half, by streams from which none was drawn before the thresholds
// were chosen.
const perShape, seenStream, unseenStream = 24, 5900, 7700

// What is drawn from, each as often as it is listed; "" is the default.
var (
	sizes    = []int{300, 500, 800, 1200, 2000}
	settings = map[string][][]string{
		"umap":   {{"neighbors", "", "", "", "30", "8", "3", "2"}, {"min_dist", "", "", "0", "0.5"}, {"epochs", "", "", "", "20", "3", "1"}, {"init", "", "", "pca", "random"}},
		"tsne":   {{"perplexity", "", "", "", "50", "15", "4", "1.5"}, {"iterations", "", "", "", "", "30", "10"}, {"init", "", "", "random"}},
		"pacmap": {{"neighbors", "", "", "", "20", "5", "2", "1"}, {"init", "", "", "", "random"}, {"iterations", "", "", "", "20", "5"}},
	}
)

// trials draws them all.
func trials() []trial {
	var all []trial
	for s := range shapes {
		from := seenStream + s
		if !shapes[s].seen {
			from = unseenStream + s
		}
		rng := blas.NewStream(uint64(from))
		for t := range perShape {
			one := trial{shape: &shapes[s], method: []string{"umap", "tsne", "pacmap"}[t%3], n: pick(rng, sizes), seed: uint64(from + 100*t)}
			for _, from := range settings[one.method] {
				if v := pick(rng, from[1:]); v != "" {
					one.set = append(one.set, [2]string{from[0], v})
				}
			}
			if one.method == "tsne" && slices.ContainsFunc(one.set, func(s [2]string) bool { return s[0] == "iterations" }) {
				one.set = append(one.set, [2]string{"early_iterations", "5"})
			}
			all = append(all, one)
		}
	}
	return all
}
