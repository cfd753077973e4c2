package measures

import (
	"fmt"
	"math"
	"strings"

	"github.com/orthant-go/orthant/internal/suggest"
)

// Normalizations are the names that [NMI] knows.
var Normalizations = []string{"max", "min", "geometric", "arithmetic"}

// NMI is the mutual information of two labellings of the same samples over the
// max, min, geometric or arithmetic mean of their entropies ("" means "max"):
// 1 for labellings that are equal up to names, 0 for independent ones. Where
// the mean is 0, because a labelling has a single label, NMI is 1 if both have
// and 0 otherwise.
//
// Errors are about an unknown normalisation, and labels as in [Accuracy]. Time
// is O(n log n) and linear in pairs of a class and a cluster.
func NMI(truth, predicted []int64, normalise string) (float64, error) {
	c, err := contingencyOf("nmi", truth, predicted)
	if err != nil {
		return 0, err
	}
	class, cluster := c.margins()
	h, k := entropy(class, c.n), entropy(cluster, c.n)
	var over float64
	switch normalise {
	case "", "max":
		over = math.Max(h, k)
	case "min":
		over = math.Min(h, k)
	case "geometric":
		over = math.Sqrt(h) * math.Sqrt(k)
	case "arithmetic":
		over = (h + k) / 2
	default:
		return 0, fmt.Errorf("nmi: unknown normalisation %q%s, want %s",
			normalise, suggest.Hint(normalise, Normalizations), strings.Join(Normalizations, ", "))
	}
	if c.classes == 1 || c.clusters == 1 {
		if c.classes == c.clusters {
			return 1, nil
		}
		return 0, nil
	}
	mutual, n := 0.0, float64(c.n)
	for i, v := range c.counts {
		if v > 0 {
			expected := float64(class[i/c.clusters]) * float64(cluster[i%c.clusters])
			mutual += float64(v) / n * math.Log(float64(v)*n/expected)
		}
	}
	return math.Min(math.Max(mutual/over, 0), 1), nil
}

// entropy returns −Σ (s/n) ln(s/n), with every s > 0.
func entropy(sizes []int, n int) float64 {
	h := 0.0
	for _, s := range sizes {
		p := float64(s) / float64(n)
		h -= p * math.Log(p)
	}
	return h
}
