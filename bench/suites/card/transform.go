package card

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/measures"
)

// The model and the samples that it maps.
const (
	fittedSamples = 20000
	mappedColumns = 50
	quickRows     = 4000    // with --quick, by a model of as many
	fewRows       = 20000   // compared with scikit-learn, which holds all neighbourhoods at once
	manyRows      = 1000000 // of the README
)

func transformName(way string, rows int) string {
	return fmt.Sprintf("transform/rows=%d/%s", rows, way)
}

func transformCases() []bench.Case {
	var list []bench.Case
	add := func(way string, rows int, accuracy []bench.Accuracy, run func(ctx context.Context, t *mapping) (*bench.Outcome, error)) *bench.Case {
		list = append(list, bench.Case{
			Name: transformName(way, rows), Group: fmt.Sprintf("transform/rows=%d", rows), Data: "swiss-roll params=isometric, turned into 50 columns",
			N: rows, M: mappedColumns, Method: "lle", Params: map[string]any{"neighbors": 12, "dim": 2, "fitted": min(fittedSamples, rows), "rows": rows},
			Accuracy: accuracy, Full: rows > quickRows,
			Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
				return measureMapping(ctx, e, c, rows, run)
			},
		})
		return &list[len(list)-1]
	}
	same := bench.AtMost("differs", 0)
	for _, rows := range []int{quickRows, fewRows, manyRows} {
		dev := bench.Reported("dev")
		if rows <= fewRows {
			dev = dev.Against(transformName("scikit-learn", rows), bench.MaxErrorRatio)
		}
		add("file/orthant", rows, []bench.Accuracy{dev, same}, func(ctx context.Context, t *mapping) (*bench.Outcome, error) { return t.byCommand(ctx, false) })
		add("pipe/orthant", rows, []bench.Accuracy{dev, same}, func(ctx context.Context, t *mapping) (*bench.Outcome, error) { return t.byCommand(ctx, true) })
		if rows <= fewRows {
			c := add("scikit-learn", rows, []bench.Accuracy{bench.Reported("dev")}, bySklearn)
			c.Method, c.Needs = "scikit-learn lle", []string{"peer:sklearn"}
		}
	}
	return list
}

// mapping is a model's training samples, and new ones, in files.
type mapping struct {
	env                *bench.Env
	first              bool // repeat
	folder             string
	train, rows, model string
	out                string
	x, truth           *mat.Dense
}

// turned is a swiss roll in many columns: the roll by an orthonormal basis.
func turned(n int, seed uint64) (x, truth *mat.Dense, err error) {
	set, err := datasets.Generate("swiss-roll", n, seed, map[string]string{"params": "isometric"})
	if err != nil {
		return nil, nil, err
	}
	basis := mat.NewDense(3, mappedColumns, nil)
	blas.NewStream(1).Normals(basis.RawMatrix().Data)
	var rows [][]float64
	for i := range 3 {
		row := basis.RawRowView(i)
		blas.Orthogonalize(rows, row)
		blas.Scale(1/math.Sqrt(blas.Dot(row, row)), row)
		rows = append(rows, row)
	}
	x = mat.NewDense(n, mappedColumns, nil)
	x.Mul(set.X, basis)
	return x, set.Params, nil
}

func measureMapping(ctx context.Context, e *bench.Env, c *bench.Case, rows int, run func(context.Context, *mapping) (*bench.Outcome, error)) (*bench.Outcome, error) {
	dir, remove, err := e.Folder()
	if err != nil {
		return nil, err
	}
	defer remove()
	path := func(name string) string { return filepath.Join(dir, name) }
	t := &mapping{env: e, first: c.FirstRepeat(), folder: dir, train: path("train.npy"), rows: path("rows.npy"), model: path("fitted.model"), out: path("z.npy")}
	train, _, err := turned(min(fittedSamples, rows), 1)
	if err != nil {
		return nil, err
	}
	if t.x, t.truth, err = turned(rows, 2); err != nil {
		return nil, err
	}
	for file, x := range map[string]*mat.Dense{t.train: train, t.rows: t.x} {
		if err := bench.SaveMatrix(file, x); err != nil {
			return nil, err
		}
	}
	out, err := run(ctx, t)
	if err != nil {
		return nil, err
	}
	out.Samples, out.Features = rows, mappedColumns
	if !t.first {
		return out, nil
	}
	z, err := files.ReadMatrix(t.out, files.Options{})
	if err != nil {
		return nil, err
	}
	if out.Quality == nil {
		out.Quality = map[string]float64{}
	}
	if out.Quality["dev"], _, err = measures.Deviation(t.truth, z); err != nil {
		return nil, err
	}
	if _, ours := out.Seconds["process"]; !ours { // the peer has no model of ours
		out.Quality["differs"], err = t.differs(ctx, z)
	}
	return out, err
}

// byCommand fits by the command, and maps by it.
func (t *mapping) byCommand(ctx context.Context, pipe bool) (*bench.Outcome, error) {
	fit, err := t.env.Program("embed", "--method", "lle", "--neighbors", "12", "--threads", "1", "--in", t.train, "--out", filepath.Join(t.folder, "y.npy"), "--model", t.model, "--quiet")
	if err != nil {
		return nil, err
	}
	if _, err := (bench.External{Args: fit}).Run(ctx); err != nil {
		return nil, err
	}
	in := t.rows
	var stream io.Reader
	if pipe {
		file, err := os.Open(t.rows)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		in, stream = "-", struct{ io.Reader }{file} // no file to the other side, but a pipe
	}
	args, err := t.env.Program("transform", "--model", t.model, "--in", in, "--out", t.out, "--threads", "1", "--quiet", "--json")
	if err != nil {
		return nil, err
	}
	spent, err := bench.External{Args: args, In: stream}.Run(ctx)
	if err != nil {
		return nil, err
	}
	var said struct {
		Peak    int64  `json:"peak_rss_bytes"`
		Backend string `json:"backend"`
	}
	if err := json.Unmarshal(spent.Out, &said); err != nil {
		return nil, fmt.Errorf("transform printed %q: %w", spent.Out, err)
	}
	return &bench.Outcome{Seconds: engine.Seconds{"total": spent.Wall}, CPUSeconds: engine.Seconds{"total": spent.CPU}, PeakBytes: said.Peak, Backend: said.Backend}, nil
}

func bySklearn(ctx context.Context, t *mapping) (*bench.Outcome, error) {
	p, err := bench.CallPeer(ctx, t.folder, bench.PeerCall{Method: "lle-transform", Params: map[string]any{"neighbors": 12, "dim": 2, "rows": t.rows}, In: t.train, Out: t.out, Threads: 1})
	if err != nil {
		return nil, err
	}
	return p.Outcome(), nil
}

// differs counts the coordinates that are not the bits of the samples mapped all at once.
func (t *mapping) differs(ctx context.Context, z *mat.Dense) (float64, error) {
	file, err := os.Open(t.model)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	model, err := engine.LoadModel(file)
	if err != nil {
		return 0, err
	}
	want, err := model.Transform(ctx, t.x, engine.Options{Threads: 1})
	if err != nil {
		return 0, err
	}
	return differing(z.RawMatrix().Data, want.RawMatrix().Data), nil
}

// differing counts the numbers whose bits are not the same.
func differing(a, b []float64) float64 {
	if len(a) != len(b) {
		return float64(max(len(a), len(b)))
	}
	count := 0
	for i := range a {
		if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
			count++
		}
	}
	return float64(count)
}

const transformWords = "a million samples of 50 columns with a model of 20 000 samples take 66 s of processor time and 86 MiB, from a pipe or a file, with the same bits as in one piece: error 0"

// The figures of transformWords.
const (
	transformSeconds = 2
	transformMiB     = 3
)

func transformClaims() []bench.Claim {
	return []bench.Claim{
		{
			Name: "readme/transform", Source: "orthant", Paper: transformWords,
			Statement: "A million new samples take the processor time and memory that the README prints, a tenth more at most, from a pipe as from a file, with the bits of all at once.",
			Check: func(r *bench.Records) bench.Finding {
				printed := bench.Figures(transformWords)
				names := []string{transformName("file/orthant", manyRows), transformName("pipe/orthant", manyRows)}
				f, ready := r.Sound(names...)
				if !ready {
					return f
				}
				var ours string
				var why []string
				for i, way := range []string{"file", "pipe"} {
					one := r.Get(names[i])
					seconds := one.CPUSeconds["total"].Median
					ours += fmt.Sprintf("%s: %.3g s, %s, %s; ", way, seconds, bench.PeakText(one), r.AccuracyCell(names[i]).Text)
					if seconds > printed[transformSeconds]*(1+bench.FigureTolerance) {
						why = append(why, fmt.Sprintf("%s takes %.3g s of the processor", way, seconds))
					}
					if float64(one.PeakBytes) > printed[transformMiB]*(1+bench.FigureTolerance)*(1<<20) {
						why = append(why, way+" takes "+bench.PeakText(one))
					}
				}
				return r.SpeedFinding(len(why) == 0, ours[:len(ours)-2], names, why...)
			},
		},
		{
			Name: "transform/scikit-learn", Source: "orthant", Paper: "no more time, no more memory",
			Statement: "Mapping 20 000 samples by a model of LLE takes no more processor time and memory than scikit-learn's transform, reading and all.",
			Check: func(r *bench.Records) bench.Finding {
				ours, theirs := transformName("file/orthant", fewRows), transformName("scikit-learn", fewRows)
				f, ready := r.Sound(ours, theirs)
				if !ready {
					return f
				}
				a, _ := r.CPU(ours)
				b, _ := r.CPU(theirs)
				var why []string
				if b < a {
					why = append(why, fmt.Sprintf("%.2f times as fast only", b/a))
				}
				if r.Get(ours).PeakBytes > r.Get(theirs).PeakBytes {
					why = append(why, "more memory")
				}
				return r.SpeedFinding(len(why) == 0, fmt.Sprintf("%.3g times as fast, %s to %s; %s to %s", b/a, bench.PeakText(r.Get(ours)), bench.PeakText(r.Get(theirs)),
					r.AccuracyCell(ours).Text, r.AccuracyCell(theirs).Text), f.Cases, why...)
			},
		},
	}
}

func transformSections(r *bench.Records) []bench.Section {
	t := &bench.Table{Columns: []string{"rows", "", "CPU and error", "rows a second by the clock", "peak of memory"}}
	for _, c := range transformCases() {
		if c.N == quickRows && r.Lookup(c.Name) == nil {
			continue
		}
		rows := func(*bench.Record) string { return fmt.Sprintf("%.3g", rate(r, c.Name)) }
		t.Rows = append(t.Rows, []bench.Cell{{Text: fmt.Sprint(c.N)}, {Text: c.Name[len(c.Group)+1:]}, r.TimedCell(c.Name, "total"), r.Cell(c.Name, rows), r.Cell(c.Name, bench.PeakText)})
	}
	return []bench.Section{{Title: "New samples by a model of 20 000, or of as many where they are fewer, 50 columns, one thread", Table: t,
		Text: "Ours is the whole command, which reads and writes; scikit-learn is timed around transform, after it has fitted and read."}}
}
