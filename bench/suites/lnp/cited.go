package lnp

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/measures"
)

// The measures that the paper cites beside its own: the mean relative rank error, which it
// prints as MMRE, and the local continuity meta-criterion.

// compared is over how many nearest neighbours they are measured, whatever K is.
const compared = 10

// citedKeys are the series, with what a table calls them.
var citedKeys = []struct{ key, name string }{
	{"mrre", "rank error, embedding"}, {"mrre-of-data", "rank error, data"}, {"lcmc", "continuity"},
}

// citedMeasures compares an embedding with its data by them.
func citedMeasures(ctx context.Context, x, y *mat.Dense, o engine.Options) (map[string]float64, error) {
	kernels, err := blas.Select(o.Backend)
	if err != nil {
		return nil, err
	}
	values, with := map[string]float64{}, measures.Options{Kernels: kernels, Threads: o.Threads}
	for key, measure := range map[string]func(ctx context.Context, x, y mat.Matrix, k int, o measures.Options) (float64, error){
		"mrre": measures.MRRE, "mrre-of-data": measures.MRREOfData, "lcmc": measures.LCMC,
	} {
		if values[key], err = measure(ctx, x, y, compared, with); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// citedSection shows them, method by method.
func (q closedCurve) citedSection(r *bench.Records, title string, last int) bench.Section {
	table := &bench.Table{}
	for _, kind := range citedKeys {
		t := tableByK(r, kind.key, "%.3f", last, embedders, q.name)
		table.Columns = t.Columns
		for i, row := range t.Rows {
			row[0].Text = kind.name + ", " + embedders[i].name
			table.Rows = append(table.Rows, row)
		}
	}
	return bench.Section{
		Title: title + ": the measures that the paper cites",
		Text: fmt.Sprintf("Over the %d nearest neighbours of every sample, whatever K is: the mean relative rank error (Lee, Verleysen; the paper prints MMRE) of the neighbours in the embedding and of those in the data, 0 is best; and the local continuity meta-criterion (Chen, Buja), of which chance has 0 and an embedding that keeps all of them 1 − %d/(n − 1). The paper gives no figures of them.",
			compared, compared),
		Table: table, Plot: plotByK(r, "lcmc", "local continuity meta-criterion", embedders, q.name),
	}
}
