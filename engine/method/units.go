package method

import "github.com/orthant-go/orthant/engine/internal/cluster"

// Units are the powers of the unit of the data in a method's parameters and
// results: 1 for lengths, 2 for their squares, 0 for dimensionless numbers.
type Units struct {
	Coordinates float64 // Y
	Values      float64 // Values, Next
	Objective   float64

	// Affinities is the power of the unit of given affinities in the coordinates, under
	// YᵀDY = I; 0: affinities of unusual magnitude are refused.
	Affinities float64

	Parameters map[string]float64 // by key
	Mixed      string             // see [factor.Units]
}

// UnitsOf returns the units of a method's row, or for a factorisation those of its solver.
func (r Row) UnitsOf() Units {
	if r.Factorize == nil {
		return r.Units
	}
	u := r.Factorize().Solve.Units()
	return Units{Objective: u.Objective(), Parameters: u.Parameters, Mixed: u.Mixed}
}

// edgeUnits returns the units of edges with the given weights, whose width has the given key: the square of
// the data's unit for exp(−d²/t).
func edgeUnits(weights, key string) Units {
	power := map[string]float64{"heat": 2, "heat_norm": 1}[weights]
	if power == 0 {
		return Units{}
	}
	return Units{Parameters: map[string]float64{key: power}}
}

// normalized returns the units of Y under YᵀDY = I.
func (u Units) normalized() Units {
	u.Affinities = -0.5
	return u
}

// projected returns the units of Y = XV with V of unit length, in addition to those of the edges:
// eigenvalues of XᵀΦX are squares.
func (u Units) projected() Units {
	u.Coordinates, u.Values = 1, 2
	return u
}

// quotients returns the units of Y = XV with V of unit length if the eigenvalues are
// quotients of squares.
func (u Units) quotients() Units {
	u = u.projected()
	u.Values = 0
	return u
}

// updated returns the units of nonnegative directions U, Y = XU, found by updates with a
// matrix of squares.
func (u Units) updated() Units {
	u.Coordinates, u.Objective = 1, 2
	u.Parameters = with(with(u.Parameters, "sigma", 2), "overlap_penalty", 2)
	return u
}

// productUnits are the units of coordinates whose products are fitted to the products of the
// samples.
var productUnits = Units{
	Coordinates: 1, Objective: 4,
	Parameters: map[string]float64{"overlap_penalty": 4},
}

// with returns the map with one more entry.
func with(m map[string]float64, key string, power float64) map[string]float64 {
	all := map[string]float64{key: power}
	for k, v := range m {
		all[k] = v
	}
	return all
}

// CostUnit returns the power of the k-means cost, a sum of squares: of the samples, of the
// rows of eigenvectors, which have no unit, or of coordinates.
func (g Grouping) CostUnit() float64 {
	switch {
	case g.Assign != nil || g.Neighbors != nil:
		return 0
	case g.Factors == nil:
		return 2
	case g.Argmax, g.Among != nil:
		return 0 // no cost, or of eigenvectors
	case g.Rows == cluster.Unit || g.Rows == cluster.UnitModel:
		return 0
	case g.Rows == cluster.Model:
		return 2
	}
	return 2 * g.Factors.Solve.Units().Codes
}
