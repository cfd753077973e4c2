package solve

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/layout"
	"github.com/orthant-go/orthant/sparse"
)

// Layout is the solve of maps: forces between the samples move them from a start. Each layout has its own
// forces. The start, its scaling and the report are the same for all.
type Layout struct {
	Dim        int
	Init       string                           // auto, spectral, pca or random; auto: pca, or spectral without samples
	Scale      func(y *mat.Dense, size float64) // scales a computed start: [ScaleLargest] or [ScaleDeviation]; a given start is not scaled
	Size       float64
	Iterations int
	Reference  float64 // the weight of a given start as a reference: see [layout.Reference]
}

// tracked gets the objective after an iteration; iteration 0 is the start.
type tracked func(iteration int, objective float64)

// run computes the start and moves it.
func (l Layout) run(in Input, graph func() *sparse.CSR, arrange func(y *mat.Dense, reference *layout.Reference, progress func(float64), track tracked) error) (*Solution, error) {
	y, reference, err := l.start(in, graph)
	if err != nil {
		return nil, err
	}
	s := &Solution{Y: y, Next: math.NaN(), Angle: math.NaN(), KKT: math.NaN(), Converged: true, Iterations: l.Iterations}
	var at []int
	progress, objective := in.Iterating("solve", l.Iterations)
	in.Explain("solve: %d iterations of a layout of %d samples in %d columns", l.Iterations, in.X.N(), l.Dim)
	err = arrange(y, reference, progress, func(iteration int, v float64) {
		at = append(at, iteration)
		s.Objective = append(s.Objective, v)
		objective(v)
	})
	if far, is := errors.AsType[*layout.RangeError](err); is {
		return nil, wording.Errorf("%s: the coordinates overflow in iteration %d; use a ‹rate› and an exaggeration nearer to the defaults", in.Method(), far.Iteration)
	}
	if err != nil {
		return nil, layoutError(in, err)
	}
	if at != nil {
		in.Note("objective_iterations", at)
	}
	return s, in.Err()
}

// layoutError words an error of a layout for the method.
func layoutError(in Input, err error) error {
	if text, is := strings.CutPrefix(err.Error(), "layout: "); is {
		return fmt.Errorf("%s: %s", in.Method(), text)
	}
	return err
}

// room refuses a layout that needs more memory than the limit allows.
func (l Layout) room(in Input, bytes int64) error {
	n := in.X.N()
	coordinates := int64(n) * int64(l.Dim)
	if bytes += 16 * coordinates; l.Reference > 0 {
		bytes += 16 * coordinates
	}
	return in.Fit(bytes, fmt.Sprintf("the layout of %d samples needs", n), "take fewer neighbours or samples, or raise the limit")
}

// UMAP is the layout of UMAP. A density above 0 is the weight of the preservation of local radii.
func UMAP(l Layout, o layout.UMAP, density float64) Rule[*align.Graph, *Solution] {
	return func(in Input, g *align.Graph) (*Solution, error) {
		l := l
		if l.Iterations == 0 {
			l.Iterations = usualEpochs(in.X.N())
			if density > 0 {
				l.Iterations += densityEpochs
			}
		}
		if err := l.room(in, layout.UMAPBytes(in.X.N(), l.Dim, g.W.NNZ()/2, density > 0)); err != nil {
			return nil, err
		}
		return l.run(in, g.Matrix, func(y *mat.Dense, reference *layout.Reference, progress func(float64), track tracked) error {
			o := o
			o.Reference, o.Epochs, o.Seed, o.Threads, o.Progress, o.Objective = reference, l.Iterations, in.Seed(), in.Threads(), progress, track
			if density > 0 {
				o.Density = &layout.Density{Radii: g.Radii, Weight: density}
			}
			return o.Arrange(in.Context(), g.W, y)
		})
	}
}

// densityEpochs is the number of additional epochs with a density.
const densityEpochs = 200

// usualEpochs is the number of epochs for n samples.
func usualEpochs(n int) int {
	if n <= 10000 {
		return 500
	}
	return 200
}

// TSNE is the layout of t-SNE.
func TSNE(l Layout, o layout.TSNE) Rule[*align.Graph, *Solution] {
	return func(in Input, g *align.Graph) (*Solution, error) {
		if err := l.room(in, layout.TSNEBytes(in.X.N(), l.Dim, g.W.NNZ())); err != nil {
			return nil, err
		}
		return l.run(in, g.Matrix, func(y *mat.Dense, reference *layout.Reference, progress func(float64), track tracked) error {
			o := o
			o.Reference, o.Iterations, o.Threads, o.Progress, o.Objective = reference, l.Iterations, in.Threads(), progress, track
			return o.Arrange(in.Context(), g.W, y)
		})
	}
}

// PaCMAP is the layout of PaCMAP, or of LocalMAP.
func PaCMAP(l Layout, o layout.PaCMAP, local bool) Rule[*align.Pairs, *Solution] {
	return func(in Input, p *align.Pairs) (*Solution, error) {
		if err := l.room(in, layout.PaCMAPBytes(in.X.N(), l.Dim, len(p.Near)+len(p.MidNear)+len(p.Further), local)); err != nil {
			return nil, err
		}
		near := func() *sparse.CSR { return p.Edges(in.X.N()) }
		return l.run(in, near, func(y *mat.Dense, reference *layout.Reference, progress func(float64), track tracked) error {
			o := o
			o.Reference, o.Threads, o.Progress, o.Objective = reference, in.Threads(), progress, track
			if local {
				o.Local = &layout.Local{Seed: in.Seed()}
			}
			return o.Arrange(in.Context(), p.Pairs, y)
		})
	}
}

// startNoise is the standard deviation of the noise of a start, as a share of its largest coordinate: without it, equal
// samples would stay in one place.
const startNoise = 1e-5

// startTolerance is the tolerance of the eigenvectors of a start. The layout moves the samples much farther.
const startTolerance = 1e-3

// start returns the initial coordinates, and the reference, if there is one.
func (l Layout) start(in Input, graph func() *sparse.CSR) (*mat.Dense, *layout.Reference, error) {
	switch {
	case in.Start != nil:
		return l.given(in, graph)
	case l.Reference > 0:
		return nil, nil, wording.Errorf("%s: ‹reference_weight› holds samples near given coordinates, and none are given; give a start, or leave it out", in.Method())
	}
	y, err := l.ownStart(in, graph)
	return y, nil, err
}

// ownStart returns the initial coordinates where none are given.
func (l Layout) ownStart(in Input, graph func() *sparse.CSR) (*mat.Dense, error) {
	n := in.X.N()
	random := blas.NewStream(in.Seed())
	y := mat.NewDense(n, l.Dim, nil)
	var err error
	switch init := l.Init; {
	case init == "random":
	case init == "pca" && in.X.Absent():
		return nil, wording.Errorf("%s: ‹init=pca› needs the samples, which are not given; choose ‹init=spectral›", in.Method())
	case init == "pca" || init == "auto" && !in.X.Absent():
		y, err = principalStart(in, l.Dim)
	default:
		var start *SpectralStart
		if start, err = NewSpectralStart(in.Within(), graph(), l.Dim, "each", in.X.M(), startTolerance); err == nil {
			y = start.Y
		}
	}
	if err != nil {
		return nil, err
	}
	if mat.Norm(y, math.Inf(1)) == 0 { // random, or all samples are equal
		random.Normals(y.RawMatrix().Data)
	}
	l.Scale(y, l.Size)
	noise := startNoise * max(mat.Max(y), -mat.Min(y))
	shift := make([]float64, n*l.Dim)
	random.Normals(shift)
	blas.Axpy(noise, shift, y.RawMatrix().Data)
	return y, in.Err()
}

// principalStart returns the samples on their principal axes. Columns beyond the number of features are 0.
func principalStart(in Input, dim int) (*mat.Dense, error) {
	n := in.X.N()
	found, err := PrincipalComponents(in, min(dim, in.X.M(), n-1))
	if err != nil {
		return nil, err
	}
	y := mat.NewDense(n, dim, nil)
	_, axes := found.Y.Dims()
	y.Slice(0, n, 0, axes).(*mat.Dense).Copy(found.Y)
	return y, nil
}
