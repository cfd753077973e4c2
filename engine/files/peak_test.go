package files

import (
	"bufio"
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
	"github.com/orthant-go/orthant/sparse"
)

// readsAlone makes the test binary a process that reads one file: its path, the
// options, and how.
const readsAlone = "ORTHANT_TEST_READS"

func TestMain(m *testing.M) {
	if os.Getenv(readsAlone) != "" {
		readAlone()
	}
	os.Exit(m.Run())
}

// readAlone prints the peak of the process before it reads and after.
func readAlone() {
	limit, _ := strconv.ParseInt(os.Getenv("ORTHANT_TEST_LIMIT"), 10, 64)
	before := memory.Peak()
	debug.SetMemoryLimit(limit + 8<<20) // what the runtime itself has taken
	o := Options{MaxBytes: limit}
	var err error
	switch path := os.Getenv("ORTHANT_TEST_PATH"); os.Getenv(readsAlone) {
	case "matrix":
		_, err = ReadMatrix(path, o)
	case "any":
		_, err = ReadAny(path, o)
	case "labels":
		_, err = ReadLabels(path, o)
	}
	fmt.Println(before, memory.Peak())
	if err != nil {
		fmt.Println(err)
	}
	os.Exit(0)
}

// peakOf reads a file in a process of its own and returns by how much its peak grew.
func peakOf(t *testing.T, how, path string, limit int64) (grown int64, said string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), readsAlone+"="+how, "ORTHANT_TEST_PATH="+path, fmt.Sprintf("ORTHANT_TEST_LIMIT=%d", limit))
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

func TestReadingStaysWithinItsEstimate(t *testing.T) {
	if runtime.GOOS != "linux" || testing.Short() {
		t.Skip("peaks are read from the kernel of Linux, in a test that is not short")
	}
	folder := t.TempDir()
	m := randomMatrix(200_000, 16)
	m.Apply(func(_, _ int, v float64) float64 { return math.Round(v*1000) / 1000 }, m)
	for _, name := range []string{"x.npy", "x.npz", "x.csv", "x.tsv", "x.mtx", "x.mat", "x.csv.gz", "x.npy.gz", "x.npy.zst", "x.mtx.gz", "x.mat.gz"} {
		path := filepath.Join(folder, name)
		save(t, path, m, Options{})
		for _, limit := range []int64{8 * 200_000 * 16, 40 << 20, 60 << 20, 1 << 30} {
			grown, said := peakOf(t, "matrix", path, limit)
			t.Logf("%-10s limit %5d MiB: grown %.1f MiB %s", name, limit>>20, float64(grown)/(1<<20), said)
		}
		os.Remove(path)
	}
	_ = sparse.CSR{}
	_ = bufio.ErrBufferFull
	_ = mat.Dense{}
}
