//go:build unix

package peers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine/files"
)

// python is where Debian's python3-sklearn is found.
const python = "/usr/bin/python3"

// BenchmarkPeers runs whole orthant commands and scikit-learn in turn, one
// thread each, and reports the ratio of processor seconds (theirs over ours), both peaks
// of memory, and both errors: dev of embeddings, the share of true nearest distances
// that a search missed. It fails where ours is more than bench.MaxErrorRatio times theirs. scikit-learn is timed around the call, after its
// imports; orthant as a whole process, reading and writing included.
func BenchmarkPeers(b *testing.B) {
	if exec.Command(python, "-c", "import sklearn").Run() != nil {
		b.Skip("scikit-learn is not installed (Debian: python3-sklearn)")
	}
	dir := b.TempDir()
	binaries := map[string]string{"pure-go": build(b, dir, "0", "")}
	if exec.Command("sh", "../../../blas/linkable.sh").Run() == nil {
		binaries["openblas"] = build(b, dir, "1", "openblas")
	}
	roll := filepath.Join(dir, "roll.npy")
	spend(b, binaries["pure-go"], "generate", "swiss-roll", "--samples", "20000", "--set", "params=isometric", "--out", roll, "--out-params", filepath.Join(dir, "t.npy"), "--quiet")
	for _, kind := range []string{"pure-go", "openblas"} {
		binary, built := binaries[kind]
		if !built {
			b.Logf("no OpenBLAS to link with: only the pure-Go command is measured")
			continue
		}
		for _, method := range []string{"lle", "neml", "ltsa"} {
			b.Run(fmt.Sprintf("%s/%s/n=20000", kind, method), func(b *testing.B) {
				dev := func(y string) float64 {
					out, err := exec.Command(binary, "evaluate", "--metric", "dev", "--truth", filepath.Join(dir, "t.npy"), "--embedding", y).Output()
					v, wrong := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
					if err != nil || wrong != nil {
						b.Fatalf("dev of %s: %q, %v", y, out, err)
					}
					return v
				}
				against(b, filepath.Join(dir, "y.npy"), dev, map[string]any{"method": "lle", "in": roll, "params": map[string]any{"neighbors": 12, "dim": 2}}, binary, "embed", "--method", method, "--neighbors", "12", "--in", roll,
					"--out", filepath.Join(dir, "y.npy"), "--threads", "1", "--quiet")
			})
		}
		b.Run(kind+"/neighbors/usps", func(b *testing.B) {
			usps := dataFile(b, "usps.X.npy")
			first, err := files.ReadMatrix(usps, files.Options{})
			if err != nil {
				b.Fatal(err)
			}
			wrong := func(distances string) float64 { return missed(b, first, distances) }
			against(b, filepath.Join(dir, "d.npy"), wrong, map[string]any{"method": "neighbors", "in": usps, "params": map[string]any{"neighbors": 20, "algorithm": "brute"}}, binary, "neighbors", "--neighbors", "20", "--in", usps,
				"--out-indices", filepath.Join(dir, "i.npy"), "--out-distances", filepath.Join(dir, "d.npy"), "--threads", "1", "--quiet")
		})
	}
}

// build compiles the command into dir.
func build(b *testing.B, dir, cgo, tags string) string {
	b.Helper()
	out := filepath.Join(dir, "orthant"+cgo)
	cmd := exec.Command("go", "build", "-tags", tags, "-o", out, "../../../cmd/orthant")
	cmd.Env = append(os.Environ(), "CGO_ENABLED="+cgo)
	if text, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("building the command: %v\n%s", err, text)
	}
	return out
}

// dataFile finds a real data set.
func dataFile(b *testing.B, name string) string {
	b.Helper()
	file := filepath.Join(golden.Data(b), name)
	if _, err := os.Stat(file); err != nil {
		b.Skipf("%s is not at hand: %v", name, err)
	}
	return file
}

// spend runs a command and returns its processor seconds and peak MiB.
func spend(b *testing.B, binary string, args ...string) (cpu, peak float64) {
	b.Helper()
	cmd := exec.Command(binary, args...)
	if text, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%s %v: %v\n%s", binary, args, err, text)
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) * 1e-9, float64(usage.Maxrss) / 1024
}

// missed is the share of true nearest distances that a search did not find.
func missed(b *testing.B, x *mat.Dense, distances string) float64 {
	b.Helper()
	y, err := files.ReadMatrix(distances, files.Options{})
	if err != nil {
		b.Fatal(err)
	}
	var out bench.Outcome
	if err := bench.Recall(b.Context(), &bench.Data{X: x}, y, &out); err != nil {
		b.Fatal(err)
	}
	return 1 - out.Quality["recall"]
}

func against(b *testing.B, result string, judge func(file string) float64, peer map[string]any, binary string, args ...string) {
	peer["out"] = filepath.Join(b.TempDir(), "peer.npy")
	request, err := json.Marshal(peer)
	if err != nil {
		b.Fatal(err)
	}
	var theirs, ours, theirPeak, ourPeak float64
	for b.Loop() {
		cpu, peak := spend(b, binary, args...)
		ours, ourPeak = ours+cpu, max(ourPeak, peak)
		cmd := exec.Command(python, "../../peers.py")
		cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
		cmd.Stdin = bytes.NewReader(request)
		out, err := cmd.Output()
		if err != nil {
			b.Fatalf("scikit-learn: %v", err)
		}
		var said struct{ CPU, Peak float64 }
		if err := json.Unmarshal(out, &said); err != nil {
			b.Fatalf("scikit-learn printed %q: %v", out, err)
		}
		theirs, theirPeak = theirs+said.CPU, max(theirPeak, said.Peak/(1<<20))
	}
	b.ReportMetric(ours/float64(b.N), "cpu-s")
	b.ReportMetric(theirs/float64(b.N), "sklearn-cpu-s")
	b.ReportMetric(theirs/ours, "times-faster")
	b.ReportMetric(ourPeak, "peak-MiB")
	b.ReportMetric(theirPeak, "sklearn-peak-MiB")
	own, its := judge(result), judge(peer["out"].(string))
	b.ReportMetric(own, "error")
	b.ReportMetric(its, "sklearn-error")
	if own > max(bench.MaxErrorRatio*its, 1e-4) {
		b.Errorf("the error is %g where scikit-learn has %g: the speed does not count", own, its)
	}
}
