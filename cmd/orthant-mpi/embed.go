//go:build mpi

package main

import (
	"context"
	"math"
	"os"
	"runtime"

	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/cmd/internal/outcome"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/eigen"
)

// embed takes the four steps on the rows of this process.
func (inv *invocation) embed(ctx context.Context, flags *pflag.FlagSet) error {
	method, err := inv.prepare(flags)
	if err = inv.agree(err); err != nil {
		return err
	}
	out, err := inv.create(nil)
	if err == nil && out != nil && out.File() != "" {
		out.Discard() // it can be made; until there is something to write, a killed process leaves nothing
		out = nil
	}
	if err = inv.agree(err); err != nil {
		return err
	}
	d, err := inv.read()
	if err = inv.agree(err); err != nil {
		return err
	}
	if inv.in != "" {
		d.all.Row, d.all.Col, d.all.Largest = farthestFromZero(inv.processes, d.x, d.all.Features, d.where)
	}
	shared, err := engine.Share(ctx, method, inv.options, d.all, inv.processes)
	if err = inv.agree(outcome.FromWork(err)); err != nil {
		return err
	}
	inv.explains("data: %d × %d on %d processes", d.all.Samples, d.all.Features, inv.size)
	r := &result{data: d, shared: shared}
	if err := inv.lists(ctx, r); err != nil {
		return err
	}
	p, scale, err := inv.align(r)
	if err != nil {
		return err
	}
	if err := inv.solve(p, r); err != nil {
		return err
	}
	for _, x := range r.vectors {
		for i, s := range scale {
			x[i] *= s
		}
	}
	p.fixSigns(r.vectors)
	if err := inv.write(out, r); err != nil {
		return err
	}
	if err := inv.report(r); err != nil {
		return err
	}
	if !r.converged {
		return &outcome.NotConverged{Text: missed(method.Name(), r)}
	}
	return nil
}

// data are the own rows, and what is known of all.
type data struct {
	x     []float64
	graph *neighbors.Graph // given, by the numbers among all; nil: none was
	where spread
	all   engine.Whole
}

// result is what a run finds.
type result struct {
	*data
	shared     *engine.Shared
	part       *part
	sizes      []int // of components, on process 0
	duplicates int
	plan       eigen.Plan
	estimate   int64 // of a process
	*found
}

// read reads the own rows, and the graph.
func (inv *invocation) read() (*data, error) {
	defer inv.phase("read")()
	d := &data{}
	o := files.Options{MaxBytes: int64(inv.memory)}
	var err error
	if inv.graph != "" {
		if d.graph, d.where, err = readGraph(inv.processes, inv.graph, o, &d.all); err != nil {
			return nil, err
		}
	}
	if inv.in == "" {
		return d, nil
	}
	n := d.all.Samples
	if d.x, d.all.Features, d.where, err = readOwn(inv.processes, inv.in, o); err != nil {
		return nil, err
	}
	if d.all.Samples = d.where.all(); d.graph != nil && d.all.Samples != n {
		return nil, outcome.Wrong("%s lists %d samples and %s has %d; give the graph of these samples", inv.graph, n, inv.in, d.all.Samples)
	}
	return d, nil
}

// lists finds the neighbours, and gets the rows of others that they name.
func (inv *invocation) lists(ctx context.Context, r *result) error {
	end := inv.phase("neighbors")
	r.shared.ScaleDown(r.x)
	g := r.graph
	if g == nil {
		var err error
		o := neighbors.Options{Kernels: inv.kernels, Threads: inv.threads}
		progress := func(done float64) { inv.show("neighbors", done) }
		if g, err = ring(ctx, inv.processes, r.x, r.all.Features, r.where, r.shared.Neighbors(), o, progress); err != nil {
			return err
		}
	} else {
		r.shared.ScaleDown(g.Dist)
	}
	r.part, r.graph = partOf(inv.processes, r.where, g), g
	r.sizes = r.part.components(g)
	if r.all.Features > 0 {
		r.duplicates = r.part.duplicates(r.x, r.all.Features, hashed)
	}
	end()
	inv.explains("neighbours: %d lists, %d component(s)", r.all.Samples, len(r.sizes))
	var err error
	if len(r.sizes) > 1 {
		err = outcome.Wrong("%s: the neighbour graph has %d components (the largest of %d samples, the next of %d); take more neighbours, or embed the components on one machine (\"orthant embed --set components=…\")",
			inv.method, len(r.sizes), r.sizes[0], r.sizes[1])
	}
	return inv.agree(err)
}

// align adds up the patches, and makes what the search for eigenvectors needs. scale turns
// eigenvectors into coordinates; nil: they are.
func (inv *invocation) align(r *result) (p *problem, scale []float64, err error) {
	inv.fault("patches")
	inv.show("patches", 0)
	g := r.graph
	if r.shared.Normalized() {
		g = r.part.withBack(g)
	}
	phi, factored, err := r.shared.Align(r.part.shared(r.x, r.all.Features, g))
	if err = inv.agree(outcome.FromWork(err)); err != nil {
		return nil, nil, err
	}
	defer inv.phase("alignment")()
	m, err := assembled(r.part, phi)
	if err = inv.agree(err); err != nil {
		return nil, nil, err
	}
	phi = nil
	runtime.GC()
	diagonal, sums, entries, all, err := m.about()
	if err = inv.agree(err); err != nil {
		return nil, nil, err
	}
	p = &problem{part: r.part, matrix: m, count: r.shared.Dim(), seed: inv.seed, restarts: inv.restarts(), factored: factored}
	if p.norm = inv.number(largest, maximum(sums)); math.IsNaN(p.norm) || math.IsInf(p.norm, 0) {
		return nil, nil, inv.agree(outcome.Wrong("%s: the alignment matrix holds NaN or infinities", inv.method))
	}
	level := eigen.RoundingLevel * p.norm
	if r.shared.Normalized() {
		level = 0 // however small a degree is, the scaling makes it 1
	}
	if err := inv.placed(r, sums, entries, level); err != nil {
		return nil, nil, err
	}
	n := float64(r.all.Samples)
	p.null = make([]float64, p.part.own)
	for i := range p.null {
		p.null[i] = 1 / math.Sqrt(n)
	}
	if r.shared.Normalized() {
		scale = make([]float64, len(diagonal))
		var total float64
		for i, degree := range diagonal {
			scale[i] = 1 / math.Sqrt(degree)
			total += degree
		}
		total = inv.number(sum, total)
		for i := range p.null {
			p.null[i] = 1 / (scale[i] * math.Sqrt(total))
		}
		err = m.scale(scale)
		if err == nil {
			diagonal, sums, _, _, err = m.about()
		}
		p.norm = inv.number(largest, maximum(sums))
	}
	p.shift = shiftScale * inv.number(largest, maximum(diagonal))
	if p.shift == 0 {
		p.shift = shiftScale
	}
	r.plan.MatrixEntries = int64(all)
	inv.explains("alignment: %d × %d, %.0f entries", r.all.Samples, r.all.Samples, all)
	return p, scale, inv.agree(err)
}

// shiftScale times the largest entry of the diagonal makes the matrix definite, as in
// [eigen.Smallest].
const shiftScale = 1e-14

// maximum is the largest of numbers ≥ 0; NaN where one is.
func maximum(x []float64) float64 {
	most := 0.0
	for _, v := range x {
		most = max(most, v)
	}
	return most
}

// placed refuses samples without an equation.
func (inv *invocation) placed(r *result, sums []float64, entries []int32, level float64) error {
	first, count := int64(math.MaxInt64), int64(0)
	lo, _ := r.where.of(inv.rank)
	for i, s := range sums {
		if s <= level {
			first, count = min(first, int64(lo+i)), count+1
		}
	}
	count = inv.counts(sum, count)[0]
	if count == 0 {
		return nil
	}
	var err error
	if all := inv.counts(least, first)[0]; all == first {
		err = outcome.FromWork(r.shared.Unplaced(int(count), int(first)+1, entries[int(first)-lo] > 0))
	}
	return inv.agree(err)
}

// write writes the coordinates.
func (inv *invocation) write(out *files.Output, r *result) error {
	defer inv.phase("write")()
	dim := r.shared.Dim()
	own := make([]float64, r.part.own*dim)
	for j, x := range r.vectors {
		for i, v := range x {
			own[i*dim+j] = v
		}
	}
	n := r.part.own
	if !inv.perProcess {
		n = r.all.Samples
		if inv.rank > 0 {
			send(0, own)
		} else {
			y := make([]float64, n*dim)
			copy(y, own)
			for from := 1; from < inv.size; from++ {
				lo, hi := r.where.of(from)
				receive(from, y[lo*dim:hi*dim])
			}
			own = y
		}
	}
	var err error
	if n > 0 { // else there are fewer rows than processes
		out, err = inv.create(out)
	}
	if err == nil && out != nil && n > 0 {
		err = out.WriteMatrix(mat.NewDense(n, dim, own), files.Options{Float32: inv.float32})
	}
	if err = inv.agree(err); err != nil {
		return err
	}
	if out != nil && n > 0 {
		err = out.Commit()
	}
	return inv.agree(err)
}

// create begins the output of this process, where it writes one and has not begun it.
func (inv *invocation) create(out *files.Output) (*files.Output, error) {
	path := inv.outPath()
	if out != nil || path == "" {
		return out, nil
	}
	return files.Create(path, os.Stdout)
}
