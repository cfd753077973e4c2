package sparse

// SolveLower replaces x by L⁻¹·P·x for nrhs right-hand sides, n × nrhs row-major: the
// first half of [Factor.Solve], with the result in the order of elimination (see
// [Analysis.Permutation]). With [Factor.SolveUpper] it turns a problem with A = PᵀLLᵀP
// into one with the identity. Speed, threads, bits and work are as for Solve.
func (f *Factor) SolveLower(x []float64, nrhs int, work *SolveWork) {
	f.solve(x, nrhs, work, "SolveLower", func(lo, n, lanes int, work *SolveWork) {
		f.gather(work.x, x, lo, n, nrhs, lanes)
		f.down(work.x, lanes, work)
		// Further columns of x are still in the order of the matrix, these no longer.
		for k := range f.symbolic.n {
			copy(x[k*nrhs+lo:k*nrhs+lo+n], work.x[k*lanes:])
		}
	})
}

// SolveUpper replaces x, in the order of elimination, by Pᵀ·L⁻ᵀ·x, in that of the
// matrix: the second half of [Factor.Solve].
func (f *Factor) SolveUpper(x []float64, nrhs int, work *SolveWork) {
	f.solve(x, nrhs, work, "SolveUpper", func(lo, n, lanes int, work *SolveWork) {
		for k := range f.symbolic.n {
			row := work.x[k*lanes : k*lanes+lanes]
			copy(row, x[k*nrhs+lo:k*nrhs+lo+n])
			clear(row[n:])
		}
		f.up(work.x, lanes, work)
		f.scatter(x, work.x, lo, n, nrhs, lanes)
	})
}

// SolveLowerEliminated is [Factor.SolveLower] for right-hand sides in the order of
// elimination. Four and eight of them are solved for in place, without a copy.
func (f *Factor) SolveLowerEliminated(x []float64, nrhs int, work *SolveWork) {
	f.eliminated(x, nrhs, work, "SolveLowerEliminated", f.down)
}

// SolveUpperEliminated is [Factor.SolveUpper] with the result left in the order of
// elimination.
func (f *Factor) SolveUpperEliminated(x []float64, nrhs int, work *SolveWork) {
	f.eliminated(x, nrhs, work, "SolveUpperEliminated", f.up)
}

// SolveEliminated is [Factor.Solve] for right-hand sides and solutions in the order of
// elimination. Four and eight of them are solved for in place, without a copy.
func (f *Factor) SolveEliminated(x []float64, nrhs int, work *SolveWork) {
	f.eliminated(x, nrhs, work, "SolveEliminated", f.sweeps)
}

// eliminated sweeps over right-hand sides in the order of elimination.
func (f *Factor) eliminated(x []float64, nrhs int, work *SolveWork, name string, sweeps func(b []float64, lanes int, work *SolveWork)) {
	if nrhs == 4 || nrhs == 8 {
		if len(x) < f.symbolic.n*nrhs {
			panic("sparse: " + name + ": x is shorter than n · nrhs")
		}
		if work == nil {
			work = new(SolveWork)
		}
		sweeps(x[:f.symbolic.n*nrhs], nrhs, work)
		return
	}
	f.solve(x, nrhs, work, name, func(lo, n, lanes int, work *SolveWork) {
		for k := range f.symbolic.n {
			row := work.x[k*lanes : k*lanes+lanes]
			copy(row, x[k*nrhs+lo:k*nrhs+lo+n])
			clear(row[n:])
		}
		sweeps(work.x, lanes, work)
		for k := range f.symbolic.n {
			copy(x[k*nrhs+lo:k*nrhs+lo+n], work.x[k*lanes:])
		}
	})
}
