package papers

import "github.com/orthant-go/orthant/bench"

// All lists the papers in the order in which reports show their claims.
func All() []bench.Publication {
	return []bench.Publication{
		{Name: "NEML", Source: NEML},
		{Name: "LNP", Source: LNP},
		{Name: "Nonnegative embeddings", Source: Nonnegative},
		{Name: "RNPA", Source: RNPA},
		{Name: "SMRMF", Source: SMRMF},
	}
}
