package library

import (
	"errors"
	"fmt"
	"math"
	"unsafe"
)

// addSolvers adds the functions that take a problem.
func addSolvers(to map[string]function) {
	const none, count, factor = "", "count", "factor" // what comes before the parameters
	to["orthant_eigsh_of"] = solverOf("eigsh", "orthant_eigsh_problem", count, func(p *eigshProblem) (problem, error) {
		return problem{a: kept(p.a), dense: kept(p.aDense), products: p.aProducts.operator(), m: kept(p.m), mDense: kept(p.mDense), nullVectors: kept(p.nullVectors), start: kept(p.start)}, nil
	})
	to["orthant_largest_of"] = solverOf("largest", "orthant_largest_problem", count, func(p *largestProblem) (problem, error) {
		return problem{a: kept(p.a), dense: kept(p.aDense), products: p.aProducts.operator()}, nil
	})
	to["orthant_svds_of"] = solverOf("svds", "orthant_svds_problem", count, func(p *svdsProblem) (problem, error) {
		return problem{a: kept(p.a), dense: kept(p.aDense), products: p.aProducts.operator()}, nil
	})
	for name, of := range map[string]struct{ solver, first string }{
		"orthant_cholesky_of": {"cholesky", none}, "orthant_ldlt_of": {"ldlt", none}, "orthant_laplacian_of": {"laplacian", none},
		"orthant_update_values_of": {"update_values", factor}, "orthant_update_rank_of": {"update_rank", factor},
	} {
		to[name] = solverOf(of.solver, "orthant_factor_problem", of.first, func(p *factorProblem) (problem, error) {
			return problem{a: kept(p.a), dense: kept(p.aDense)}, nil
		})
	}
	to["orthant_shortest_paths_of"] = solverOf("shortest_paths", "orthant_paths_problem", none, func(p *pathsProblem) (problem, error) {
		q := problem{a: kept(p.graph)}
		if p.sources == nil && p.sourcesCount == 0 {
			return q, nil
		}
		if p.sources == nil || p.sourcesCount < 1 || p.sourcesCount > math.MaxInt32 || uintptr(p.sources)%8 != 0 {
			return q, fmt.Errorf("the problem: %d sources at %p; give at least one, aligned to 8 bytes, or neither", p.sourcesCount, p.sources)
		}
		q.sources = unsafe.Slice((*int64)(p.sources), int(p.sourcesCount))
		return q, nil
	})
	for name, of := range map[string]struct{ solver, first string }{
		"orthant_connected_components_of": {"connected_components", none}, "orthant_spectral_init_of": {"spectral_init", count},
	} {
		to[name] = solverOf(of.solver, "orthant_graph_problem", of.first, func(p *graphProblem) (problem, error) { return problem{a: kept(p.graph)}, nil })
	}
	to["orthant_lloyd_of"] = solverOf("lloyd", "orthant_lloyd_problem", none, func(p *lloydProblem) (problem, error) {
		return problem{a: kept(p.samples), dense: kept(p.samplesDense), weights: kept(p.weights), centers: kept(p.centers), draws: kept(p.draws)}, nil
	})
	to["orthant_nearest_of"] = solverOf("nearest", "orthant_nearest_problem", count, func(p *nearestProblem) (problem, error) {
		return problem{a: kept(p.samples), dense: kept(p.samplesDense), queries: kept(p.queries), queriesDense: kept(p.queriesDense)}, nil
	})
	to["orthant_inverse_of"] = function{arguments: 6, call: func(s slots) error {
		return s.begun(3, func(o *options) (work, error) {
			return s.prepared("inverse", 0, 1, problem{a: kept(at[csrView](s, 2))}, o)
		})
	}}
	to["orthant_parts_of"] = function{arguments: 5, call: func(s slots) error {
		return s.begun(2, func(o *options) (work, error) { return s.prepared("parts", 0, 1, problem{}, o) })
	}}
}

// solverOf makes the function of a solver: first what comes before the parameters, then these, the problem, which is a T,
// the options, the place of the result and that of the error. structure names T in the header.
func solverOf[T any, P interface {
	*T
	size() uintptr
}](solver, structure, first string, read func(p P) (problem, error)) function {
	parameters := 0
	if first != "" {
		parameters = 1
	}
	return function{arguments: parameters + 5, call: func(s slots) error {
		return s.begun(parameters+2, func(o *options) (work, error) {
			p := P(at[T](s, parameters+1))
			if p == nil {
				return nil, errors.New("the problem is NULL")
			}
			if size, needed := p.size(), unsafe.Sizeof(*p); size < needed {
				return nil, fmt.Errorf("the problem: struct_size is %d where version %d has %d; set it to sizeof(%s)", size, ABI, needed, structure)
			}
			q, err := read(p)
			if err != nil {
				return nil, err
			}
			if first == "count" {
				q.count = s.number(0)
			}
			return s.prepared(solver, 0, parameters, q, o)
		})
	}}
}

// prepared prepares the work of a solver. A solver that is about a factor has it as the argument of that number.
func (s slots) prepared(name string, factor, parameters int, q problem, o *options) (work, error) {
	if said, there := s.given(parameters); there {
		q.parameters = []byte(said)
	}
	number := problemNumber(name)
	if problems[number].ofFactor {
		r, err := find[*result](s.handle(factor))
		if err == nil {
			q.factor, err = r.factorOf()
		}
		if err != nil {
			return nil, err
		}
	}
	if err := following(o); err != nil {
		return nil, err
	}
	return prepareProblem(number, q)
}

// operator is the matrix of which the caller gives the products; nil: none.
func (p *products) operator() *operator {
	if p == nil {
		return nil
	}
	of := &operator{rows: p.rows, cols: p.cols}
	if multiply, user := p.multiply, p.user; multiply != 0 {
		of.multiply = func(transposed bool, width int, x, y []float64) int {
			return Caller.Multiply(multiply, user, transposed, width, x, y)
		}
	}
	return of
}

// ask asks the factor that the first argument is.
func (s slots) ask(what askedOf, parts string, x *view) ([]float64, error) {
	r, err := find[*result](s.handle(0))
	if err != nil {
		return nil, err
	}
	return r.ask(what, parts, x)
}

func callSolveMeasured(s slots) error {
	found, err := s.ask(askMeasured, "", at[view](s, 1))
	if found == nil {
		return err
	}
	if iterations := at[int64](s, 2); iterations != nil {
		*iterations = int64(found[0])
	}
	if residual := at[float64](s, 3); residual != nil {
		*residual = found[1]
	}
	return err
}

func callApply(s slots) error {
	if _, err := find[*result](s.handle(0)); err != nil {
		return err
	}
	parts, given := s.given(1)
	if !given {
		return errors.New("the parts are NULL; give their names, such as \"P^T L\"")
	}
	_, err := s.ask(askApply, parts, at[view](s, 2))
	return err
}

func callLogDet(s slots) error {
	found, err := s.ask(askLogDet, "", nil)
	if found == nil {
		return err
	}
	if sign := at[float64](s, 1); sign != nil {
		*sign = found[0]
	}
	if logarithm := at[float64](s, 2); logarithm != nil {
		*logarithm = found[1]
	}
	return err
}
