package bench

import (
	"testing"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/must"
)

// WDBC comes with the program: its cases need no data folder, and read all of it.
func TestShippedSet(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	if what := checkData(&Env{}, "wdbc.X.npy"); what != "" {
		t.Fatal(what)
	}
	x := must.Get(files.ReadMatrix(DataFile("", "wdbc.X.npy"), files.Options{}))(t)
	labels := must.Get(files.ReadLabels(DataFile(t.TempDir(), "wdbc.y.npy"), files.Options{}))(t)
	malignant := 0
	for _, y := range labels {
		malignant += int(y)
	}
	if n, m := x.Dims(); n != 569 || m != 30 || len(labels) != 569 || malignant != 212 || x.At(0, 0) != 17.99 {
		t.Errorf("%d × %d with %d labels, of them %d malignant, begins with %g", n, m, len(labels), malignant, x.At(0, 0))
	}
	if what := checkData(&Env{}, "usps.X.npy"); what == "" {
		t.Error("USPS is there without a data folder")
	}
}
