package benchtest

import (
	"math"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/files"
)

// WriteFaces writes NAME.X.npy and NAME.y.npy in the form of the sets of faces that a user
// brings: images of 32 × 32 bytes, a pattern for each person in changing light.
func WriteFaces(t *testing.T, folder, name string, people, each int) {
	t.Helper()
	const pixels = 32 * 32
	random := blas.NewStream(1)
	faces := make([]float64, people*pixels)
	random.Uniforms(faces)
	x, labels := mat.NewDense(people*each, pixels, nil), mat.NewDense(people*each, 1, nil)
	for i := range people * each {
		person := i / each
		light, row := 60+100*random.Uniform(), x.RawRowView(i)
		for j := range row {
			row[j] = math.Floor(light*faces[person*pixels+j] + 20*random.Uniform())
		}
		labels.Set(i, 0, float64(person))
	}
	for part, m := range map[string]*mat.Dense{"X": x, "y": labels} {
		out, err := files.Create(filepath.Join(folder, name+"."+part+".npy"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := out.WriteMatrix(m, files.Options{}); err != nil {
			t.Fatal(err)
		}
		if err := out.Commit(); err != nil {
			t.Fatal(err)
		}
	}
}
