package engine

import "github.com/orthant-go/orthant/engine/internal/cluster"

// units are the powers of the unit of the data that a method's parameters have, and what
// it finds: 1 for lengths, 2 for their squares, 0 for what has no unit.
type units struct {
	coordinates float64 // Y
	values      float64 // Values, Next
	objective   float64

	// affinities is the power of the unit of given affinities that coordinates have, by
	// YᵀDY = I; 0: those of no ordinary size are refused.
	affinities float64

	parameters map[string]float64 // by key
	details    map[string]float64 // by key of Details
	mixed      string             // see [factor.Units]
}

// unitsOf is what a method's row says, and of a factorisation what its solver does.
func (r row) unitsOf() units {
	if r.factorize == nil {
		return r.units
	}
	u := r.factorize().Solve.Units()
	return units{objective: u.Objective(), parameters: u.Parameters, details: u.Details, mixed: u.Mixed}
}

// edgeUnits are those of edges of these weights, whose width has that key: the square of
// the data's unit for exp(−d²/t).
func edgeUnits(weights, key string) units {
	power := map[string]float64{"heat": 2, "heat_norm": 1}[weights]
	if power == 0 {
		return units{}
	}
	width := map[string]float64{key: power}
	return units{parameters: width, details: width}
}

// normalized are the units of Y under YᵀDY = I.
func (u units) normalized() units {
	u.affinities = -0.5
	return u
}

// projected are the units of Y = XV with V of unit length, beside those of the edges:
// eigenvalues of XᵀΦX are squares.
func (u units) projected() units {
	u.coordinates, u.values = 1, 2
	u.details = with(u.details, "objective", 2)
	return u
}

// quotients are the units of Y = XV with V of unit length, where the eigenvalues are
// quotients of squares.
func (u units) quotients() units {
	u = u.projected()
	u.values = 0
	return u
}

// updated are the units of nonnegative directions U, Y = XU, found by updates with a
// matrix of squares.
func (u units) updated() units {
	u.coordinates, u.objective = 1, 2
	u.parameters = with(with(u.parameters, "sigma", 2), "alpha", 2)
	for _, key := range []string{"sigma", "alpha", "penalised", "rounded_objective"} {
		u.details = with(u.details, key, 2)
	}
	return u
}

// productUnits are those of coordinates whose products are fitted to the products of the
// samples.
var productUnits = units{
	coordinates: 1, objective: 4,
	parameters: map[string]float64{"alpha": 4},
	details:    map[string]float64{"squared_norm": 4, "rounded_objective": 4, "s": 2, "alpha": 4, "penalised": 4},
}

// with is the map with one more entry.
func with(m map[string]float64, key string, power float64) map[string]float64 {
	all := map[string]float64{key: power}
	for k, v := range m {
		all[k] = v
	}
	return all
}

// costUnit is the power of the cost of k-means, a sum of squares: of the samples, of the
// rows of eigenvectors, which have no unit, or of coordinates.
func (g grouping) costUnit() float64 {
	switch {
	case g.Assign != nil || g.Neighbors != nil:
		return 0
	case g.Factors == nil:
		return 2
	case g.Argmax, g.Among != nil:
		return 0 // there is none, or of eigenvectors
	case g.Rows == cluster.Unit || g.Rows == cluster.UnitModel:
		return 0
	case g.Rows == cluster.Model:
		return 2
	}
	return 2 * g.Factors.Solve.Units().Codes
}
