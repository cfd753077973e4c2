package verdict

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/files"
)

// BenchmarkVerdict is the cost of the verdict compared with the embedding, in processor time of the
// same run, on one thread:
//
//	ORTHANT_DATA=FOLDER go test -run '^$' -bench Verdict -benchtime 9x -cpu 1 ./bench/suites/verdict
//
// embedding-ms is the run without the verdict, quality-ms the scores, and diagnosis-ms the search for
// causes and the trials of remedies, each the least of the iterations. quality-%, and
// diagnosis/embedding, compare them with the embedding: these depend little on the machine.
func BenchmarkVerdict(b *testing.B) {
	rolled := func(n int) func() (mat.Matrix, error) {
		return func() (mat.Matrix, error) {
			s, err := datasets.Generate("swiss-roll", n, 1, nil)
			return s.X, err
		}
	}
	file := func(name string) func() (mat.Matrix, error) {
		return func() (mat.Matrix, error) {
			return files.ReadAny(filepath.Join(os.Getenv("ORTHANT_DATA"), name), files.Options{})
		}
	}
	for _, c := range []struct {
		name string
		read func() (mat.Matrix, error)
		set  map[string]string
	}{
		{"wdbc", file("wdbc.X.npy"), map[string]string{"neighbors": "10", "dim": "1"}},
		{"faces", file("isomap-faces32.X.npy"), nil},
		{"roll-1500", rolled(1500), nil},
		{"roll-5000", rolled(5000), nil},
		{"roll-20000", rolled(20000), nil},
		{"pbmc", file("pbmc-facs.X.npz"), nil},
	} {
		for _, method := range []string{"neml", "ltsa", "lle", "isomap", "le"} {
			b.Run(fmt.Sprintf("%s/%s", c.name, method), func(b *testing.B) {
				x, err := c.read()
				if os.IsNotExist(err) {
					b.Skip("no such file in $ORTHANT_DATA")
				} else if err != nil {
					b.Fatal(err)
				}
				if rows, _ := x.Dims(); method == "isomap" && rows > 5000 {
					b.Skip("isomap of all paths takes minutes")
				}
				m, err := engine.New(method)
				if err != nil {
					b.Fatal(err)
				}
				for key, text := range c.set {
					if err := engine.Set(m, key, text); err != nil {
						b.Fatal(err)
					}
				}
				embedding, quality, diagnosis := math.Inf(1), math.Inf(1), math.Inf(1)
				for b.Loop() {
					r, err := engine.Embed(b.Context(), x, m, engine.Options{Threads: 1, Components: "bridge"})
					if err != nil {
						b.Fatal(err)
					}
					t := r.CPUSeconds
					embedding = min(embedding, t["total"]-t["quality"]-t["diagnosis"])
					quality, diagnosis = min(quality, t["quality"]), min(diagnosis, t["diagnosis"])
				}
				b.ReportMetric(1e3*embedding, "embedding-ms")
				b.ReportMetric(1e3*quality, "quality-ms")
				b.ReportMetric(1e3*diagnosis, "diagnosis-ms")
				b.ReportMetric(100*quality/embedding, "quality-%")
				b.ReportMetric(diagnosis/embedding, "diagnosis/embedding")
			})
		}
	}
}
