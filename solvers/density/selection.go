package density

import (
	"fmt"
	"math"
)

// The rules by which clusters are chosen among the components.
const (
	ExcessOfMass = "eom"  // the components, none inside another, whose stabilities have the largest sum
	Leaves       = "leaf" // the components that contain no other
)

// SelectOptions say which components become clusters. The zero value is the excess of mass.
type SelectOptions struct {
	Method      string  // [ExcessOfMass] or [Leaves]; "": ExcessOfMass
	Epsilon     float64 // clusters born at a smaller distance are replaced by the component that contains them and was born above it (Malzer, Baum 2020); 0: none
	MaxSize     int     // larger components are no clusters of the excess of mass; 0: any size
	AllowSingle bool    // all samples may be the only cluster
}

// Select returns the components that are clusters, ascending. O(components).
func (t *Condensed) Select(o SelectOptions) ([]int32, error) {
	if !(o.Epsilon >= 0) || math.IsInf(o.Epsilon, 1) || o.MaxSize < 0 {
		return nil, fmt.Errorf("density: epsilon %v and largest size %d; give finite numbers ≥ 0", o.Epsilon, o.MaxSize)
	}
	var chosen []bool
	switch o.Method {
	case "", ExcessOfMass:
		chosen = t.byMass(o)
	case Leaves:
		chosen = t.leaves(o)
	default:
		return nil, fmt.Errorf("density: no rule %q; give %s or %s", o.Method, ExcessOfMass, Leaves)
	}
	if o.Epsilon > 0 && !chosen[0] {
		chosen = t.above(chosen, o)
	}
	var list []int32
	for c, is := range chosen {
		if is {
			list = append(list, int32(c))
		}
	}
	return list, nil
}

// byMass maximises the sum of the stabilities from the leaves up. A component that does no better than those inside it is chosen over them
// on a tie.
func (t *Condensed) byMass(o SelectOptions) []bool {
	own, inside := t.Stabilities(), make([]float64, len(t.Parent))
	chosen := make([]bool, len(t.Parent))
	for c := len(own) - 1; c >= 0; c-- {
		may := (c > 0 || o.AllowSingle) && (o.MaxSize == 0 || int(t.Size[c]) <= o.MaxSize)
		best := inside[c]
		if chosen[c] = may && !(inside[c] > own[c]); chosen[c] {
			best = own[c]
		}
		if up := t.Parent[c]; up >= 0 {
			inside[up] += best
		}
	}
	t.outermost(chosen)
	return chosen
}

// outermost drops those inside another.
func (t *Condensed) outermost(chosen []bool) {
	covered := make([]bool, len(chosen))
	for c, up := range t.Parent {
		if up < 0 {
			continue
		}
		if covered[c] = covered[up] || chosen[up]; covered[c] {
			chosen[c] = false
		}
	}
}

func (t *Condensed) leaves(o SelectOptions) []bool {
	leaf := make([]bool, len(t.Parent))
	for c, up := range t.Parent {
		leaf[c] = true
		if up >= 0 {
			leaf[up] = false
		}
	}
	leaf[0] = leaf[0] && o.AllowSingle
	return leaf
}

// above replaces clusters born at a distance below epsilon by the first component around them that was born above it.
func (t *Condensed) above(chosen []bool, o SelectOptions) []bool {
	wide := make([]bool, len(chosen))
	for c, is := range chosen {
		if !is {
			continue
		}
		at := int32(c)
		for low := 1/t.Birth[c] < o.Epsilon; low; low = 1/t.Birth[at] <= o.Epsilon {
			up := t.Parent[at]
			if up > 0 || o.AllowSingle {
				at = up
			}
			if up == 0 {
				break
			}
		}
		wide[at] = true
	}
	t.outermost(wide)
	return wide
}
