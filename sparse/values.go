package sparse

import (
	"sort"

	"github.com/orthant-go/orthant/blas/pages"
)

// values are those of a factor, panel by panel: of the first panels in storage that was there
// before, as far as it goes, and of the others in memory of their own. What is used
// again the system need not clear.
type values struct {
	given []float64 // of the panels before split
	own   []float64 // of those from split on
	split int32
	stale bool // there are other numbers in them
}

func newValues(s *Analysis, storage []float64) values {
	at := s.valueAt
	split := sort.Search(len(at), func(p int) bool { return at[p] > len(storage) }) - 1
	return values{
		given: storage[:at[split]], own: pages.MakeInRoom[float64](at[len(at)-1] - at[split]),
		split: int32(split), stale: split > 0,
	}
}

// panelValues returns the values of panel p, row-major.
func (f *Factor) panelValues(p int32) []float64 {
	v, at := &f.values, f.symbolic.valueAt
	if p < v.split {
		return v.given[at[p]:at[p+1]]
	}
	start := at[v.split]
	return v.own[at[p]-start : at[p+1]-start]
}

// zeroValues is panelValues for a panel that is not computed yet: all zero.
func (f *Factor) zeroValues(p int32) []float64 {
	values := f.panelValues(p)
	if f.values.stale {
		clear(values)
	}
	return values
}
