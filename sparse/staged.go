package sparse

import (
	"context"

	"github.com/orthant-go/orthant/blas/pages"
)

// stages makes a quotient graph eliminate its variables stage by stage.
type stages struct {
	of      []int32 // the stage of each variable
	members []int32 // the variables by stage
	next    int     // the first member of the stages to come
	now     int32
	// inner, if not 0, is the number of stages whose variables have all their entries in the
	// pattern: others have more of them elsewhere, and are never eliminated along with these.
	inner int32
}

// reachesOut tells whether variable i has entries beyond the pattern.
func (g *quotientGraph) reachesOut(i int32) bool {
	return g.stages != nil && g.stages.inner > 0 && g.stages.of[i] >= g.stages.inner
}

// stagedMinimumDegree is minimumDegree where variables of a lower stage come
// before those of a higher one, 0 ≤ stage < n, unless the other order makes no
// more fill. All variables count for the degrees, whatever their stage
// (minimum degree with constraints; Liu 1989).
func stagedMinimumDegree(ctx context.Context, a *CSR, stage []int32) ([]int32, error) {
	g := newQuotientGraph(a)
	g.impose(stage)
	return g.run(ctx)
}

// innerMinimumDegree is the order of the first so many variables where the others come
// later, and have entries beyond the pattern.
func innerMinimumDegree(ctx context.Context, a *CSR, inner int) ([]int32, error) {
	stage := pages.Make[int32](a.Rows)
	for i := inner; i < a.Rows; i++ {
		stage[i] = 1
	}
	g := newQuotientGraph(a)
	g.impose(stage)
	g.stages.inner = 1
	perm, err := g.run(ctx)
	if err != nil {
		return nil, err
	}
	order := perm[:0]
	for _, i := range perm {
		if int(i) < inner {
			order = append(order, i)
		}
	}
	return order, nil
}

// impose takes all variables out of the degree lists and sets the stages.
func (g *quotientGraph) impose(stage []int32) {
	g.stages = &stages{of: stage, members: orderByKey(stage, g.n), now: none}
	for i := range int32(g.n) {
		g.head[i] = none
		g.setAside(i)
	}
	g.lowest = g.n
}

// setAside makes a variable that is in no degree list safe to unfile.
func (g *quotientGraph) setAside(i int32) { g.next[i], g.prev[i] = i, i }

// openStage files the variables of the next stage. One that was merged stands
// for the variable that took it in, which may be of a later stage itself.
func (g *quotientGraph) openStage() {
	s := g.stages
	s.now = max(s.now, s.of[s.members[s.next]]) // a merger may have lowered the latter
	for ; s.next < g.n && s.of[s.members[s.next]] <= s.now; s.next++ {
		i := g.standsFor(s.members[s.next])
		if waiting := g.next[i] == i; waiting && g.weight[i] > 0 && g.elements[i] != isElement {
			g.file(i)
		}
	}
}

// standsFor returns the variable that i was merged into, i itself where it was not.
func (g *quotientGraph) standsFor(i int32) int32 {
	for g.weight[i] == 0 && g.parent[i] != none {
		i = g.parent[i]
	}
	return i
}
