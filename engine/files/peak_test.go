package files

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// readsAlone makes the test binary a process that reads one file within a limit.
const readsAlone = "ORTHANT_TEST_READS"

func TestMain(m *testing.M) {
	if path := os.Getenv(readsAlone); path != "" {
		readAlone(path)
	}
	os.Exit(m.Run())
}

// readAlone prints the peak of the process before it reads and after, and the error.
func readAlone(path string) {
	limit, _ := strconv.ParseInt(os.Getenv("ORTHANT_TEST_LIMIT"), 10, 64)
	before := memory.Peak()
	debug.SetMemoryLimit(limit + 8<<20) // what the runtime itself has taken
	_, err := ReadMatrix(path, Options{MaxBytes: limit})
	fmt.Println(before, memory.Peak())
	if err != nil {
		fmt.Println(err)
	}
	os.Exit(0)
}

// peakOf reads a file in a process of its own and returns by how much its peak grew.
func peakOf(t *testing.T, path string, limit int64) (grown int64, said string) {
	t.Helper()
	self := must.Get(os.Executable())(t)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), readsAlone+"="+path, fmt.Sprintf("ORTHANT_TEST_LIMIT=%d", limit))
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	numbers, said, _ := strings.Cut(string(out), "\n")
	var before, after int64
	if _, err := fmt.Sscan(numbers, &before, &after); err != nil {
		t.Fatalf("%s: %q", path, out)
	}
	return after - before, strings.TrimSpace(said)
}

// The extent of a file has its shape and the memory for reading it: no less than the
// peak, buffers of a few MiB apart, and not much more. A limit of that size suffices. Peaks
// are read from the kernel of Linux, in processes that a short test leaves out.
func TestExtentHasShapeAndPeak(t *testing.T) {
	const cols, small = 25, 6 << 20
	rows, peaks := 30_000, runtime.GOOS == "linux" && !testing.Short()
	if !peaks {
		rows = 3_000
	}
	dense := randomMatrix(rows, cols)
	dense.Apply(func(_, _ int, v float64) float64 { return math.Round(v*100) / 100 }, dense)
	few := must.Get(dropZeros(thinned(dense)))(t)
	folder := t.TempDir()
	for _, c := range []struct {
		names []string
		m     mat.Matrix
	}{
		{[]string{"x.npy", "x.npz", "x.csv", "x.tsv", "x.mtx", "x.mat", "x.csv.gz", "x.csv.zst", "x.npy.gz", "x.npy.zst", "x.mtx.gz", "x.mat.gz"}, dense},
		{[]string{"sparse.mtx", "sparse.mat", "sparse.mtx.gz", "sparse.mat.zst"}, few},
	} {
		for _, name := range c.names {
			path := filepath.Join(folder, name)
			save(t, path, c.m, Options{})
			e := must.Get(ExtentOf(path))(t)
			_, isSparse := c.m.(*sparse.CSR)
			if e.Cols != cols || !e.Guessed && e.Rows != rows || math.Abs(float64(e.Rows-rows)) > float64(rows)/20 && !strings.HasSuffix(name, ".zst") ||
				isSparse != (e.Entries >= 0) || e.Peak < e.Bytes() {
				t.Errorf("%s: %+v", name, e)
			}
			if !peaks {
				if _, err := ReadMatrix(path, Options{MaxBytes: e.Peak}); err != nil && !e.Guessed {
					t.Errorf("%s: refused within its extent: %v", name, err)
				}
				continue
			}
			grown, said := peakOf(t, path, e.Peak)
			t.Logf("%-14s extent %5.1f MiB, grown %5.1f MiB %s", name, float64(e.Peak)/(1<<20), float64(grown)/(1<<20), said)
			if said != "" && !e.Guessed {
				t.Errorf("%s: refused within its extent: %s", name, said)
			}
			if said == "" && (grown > e.Peak+small || e.Peak > grown*3/2+20<<20) {
				t.Errorf("%s: its extent is %d KiB and it takes %d KiB", name, e.Peak>>10, grown>>10)
			}
		}
	}
}

// thinned keeps a tenth of the entries.
func thinned(m *mat.Dense) *mat.Dense {
	var thin mat.Dense
	thin.Apply(func(i, j int, v float64) float64 {
		if (i+j)%10 > 0 {
			return 0
		}
		return v
	}, m)
	return &thin
}

func TestExtentUnknown(t *testing.T) {
	for path, want := range map[string]string{
		"-": "regular file", "no.npy": must.NoFile(), t.TempDir(): "extension",
		write(t, "x.npy", []byte("hello, world")): "not an .npy file", write(t, "x.csv", []byte("a,b\n")): "no rows below the header",
		write(t, "x.mtx", []byte("1 2")): "does not begin with", write(t, "x.csv", nil): "the file is empty",
	} {
		must.Refuse(t, want)(ExtentOf(path))
	}
	if WritingBytes("x.csv", 10, 10) <= 0 || WritingBytes("x.npy.zst", 10, 10) <= WritingBytes("x.npy", 10, 10) || WritingBytes("x.mat", 1<<20, 2) < 8<<20 {
		t.Error("bytes of writing")
	}
}
