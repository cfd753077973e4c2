package neml

import (
	"context"
	"fmt"
	"math"
	"path/filepath"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/measures"
)

// WDBC in one dimension (Fig. 8).

var (
	tumorMethods   = []string{"lle", "le", "mlle", "neml", "ltsa"}
	tumorReference = map[string]string{"raw lle": "0.863", "raw le": "0.962", "raw mlle": "0.969", "raw neml": "0.970", "raw ltsa": "0.963",
		"z-score le": "0.980", "z-score neml": "0.901", "min-max le": "0.984", "min-max neml": "0.968"}
	tumorScalings = []string{"raw", "z-score", "min-max"}
)

func tumorName(scaling, method string) string { return "wdbc/" + scaling + "/" + method }

func tumorCases() []bench.Case {
	var cases []bench.Case
	for _, scaling := range tumorScalings {
		for _, method := range tumorMethods {
			c := bench.SetEmbedding{
				Name: tumorName(scaling, method), Data: "wdbc", Method: method,
				Set: map[string]string{"neighbors": "10", "dim": "1"}, Measure: measureROC,
				Load: func(e *bench.Env) (*datasets.Set, error) {
					s, err := datasets.Load(filepath.Dir(bench.DataFile(e.Data, "wdbc.X.npy")), "wdbc")
					if err == nil {
						rescale(s.X, scaling)
					}
					return s, err
				},
			}.Case()
			c.Params["scaling"] = scaling
			cases = append(cases, c)
		}
	}
	return cases
}

// rescale brings every column to mean 0 and deviation 1, or to between 0 and 1.
func rescale(x *mat.Dense, scaling string) {
	n, m := x.Dims()
	for j := range m {
		c := mat.Col(nil, j, x)
		off, unit := 0.0, 1.0
		switch scaling {
		case "z-score":
			off, unit = stat.MeanStdDev(c, nil)
		case "min-max":
			low, high := math.Inf(1), math.Inf(-1)
			for _, v := range c {
				low, high = min(low, v), max(high, v)
			}
			off, unit = low, high-low
		}
		for i := range n {
			x.Set(i, j, (c[i]-off)/unit)
		}
	}
}

func measureROC(_ context.Context, s *datasets.Set, r *engine.Result, out *bench.Outcome) error {
	positive, score := make([]bool, len(s.Labels)), mat.Col(nil, 0, r.Y)
	for i, l := range s.Labels {
		positive[i] = l == 1
	}
	curve, err := measures.ROC(score, positive)
	if err != nil {
		return err
	}
	if curve.AUC < 0.5 { // a coordinate has no sign
		for i := range score {
			score[i] = -score[i]
		}
		if curve, err = measures.ROC(score, positive); err != nil {
			return err
		}
	}
	out.Quality["auc"] = curve.AUC
	out.Series = map[string][]float64{"fpr": curve.FPR, "tpr": curve.TPR}
	out.DrawEmbedding(s, r.Y, -1)
	return nil
}

var tumorClaims = []bench.Claim{{
	Name: "wdbc", Source: papers.NEML + ", Fig. 8",
	Statement: "One coordinate of NEML separates benign from malignant tumours best, Laplacian eigenmaps come close, LLE does poorly.",
	Paper:     "ROC curves",
	Check: func(r *bench.Records) bench.Finding {
		names := []string{tumorName("raw", "lle"), tumorName("raw", "le"), tumorName("raw", "neml")}
		auc, found := r.Qualities("auc", names...)
		if len(found) < 3 {
			return r.FindingWithout(names...)
		}
		f := bench.Finding{
			Verdict: bench.ReproducesIf(auc[2] > auc[1] && auc[1] > auc[0]+0.05 && auc[2]-auc[1] < 0.05), Cases: names,
			Ours: fmt.Sprintf("AUC of NEML %.3f, LE %.3f, LLE %.3f on the columns as they are", auc[2], auc[1], auc[0]),
		}
		scaled := []string{tumorName("z-score", "le"), tumorName("z-score", "neml"), tumorName("min-max", "le"), tumorName("min-max", "neml")}
		if auc, found := r.Qualities("auc", scaled...); len(found) == 4 {
			f.Why = fmt.Sprintf("The paper does not say whether it scaled the columns. Scaling changes the order: LE %.3f and NEML %.3f after standardising, %.3f and %.3f with columns from 0 to 1.", auc[0], auc[1], auc[2], auc[3])
			f.Cases = append(f.Cases, scaled...)
		}
		return f
	},
}}

func tumorSections(r *bench.Records) []bench.Section {
	s := bench.Section{
		Title: "Tumours by one coordinate (Fig. 8)",
		Text:  "WDBC: 569 samples of 30 measurements, k = 10, d = 1. The area under the ROC curve of the coordinate (a coordinate has no sign: the larger of the areas), on the columns as they are and on scaled ones.",
		Table: &bench.Table{Columns: []string{"method", "raw", "reference", "z-score", "reference", "min-max", "reference"}},
		Plot:  &bench.Plot{XLabel: "false positives", YLabel: "true positives"},
	}
	for _, method := range tumorMethods {
		row := []bench.Cell{bench.PlainCell(method)}
		for _, scaling := range tumorScalings {
			row = append(row, r.QualityCell(tumorName(scaling, method), "auc", "%.3f"), bench.PaperCell(tumorReference[scaling+" "+method]))
		}
		s.Table.Rows = append(s.Table.Rows, row)
		name := tumorName("raw", method)
		if one := r.Get(name); one != nil {
			s.Plot.Curves = append(s.Plot.Curves, bench.Curve{Name: method, X: one.Series["fpr"], Y: one.Series["tpr"], Cases: []string{name}})
		}
		s.Pictures = append(s.Pictures, bench.Figure{Case: name, Picture: "embedding", Caption: method + ", benign and malignant"})
	}
	return []bench.Section{s}
}
