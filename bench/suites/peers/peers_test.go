//go:build unix

package peers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/orthant-go/orthant/blas/golden"
)

// python is where Debian's python3-sklearn is found.
const python = "/usr/bin/python3"

// BenchmarkPeers runs whole orthant commands and scikit-learn in turn, one
// thread each, and reports the ratio of processor seconds (theirs over ours) and
// both peaks of memory. scikit-learn is timed around the call, after its
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
	spend(b, binaries["pure-go"], "generate", "swiss-roll", "--samples", "20000", "--out", roll, "--quiet")
	for _, kind := range []string{"pure-go", "openblas"} {
		binary, built := binaries[kind]
		if !built {
			b.Logf("no OpenBLAS to link with: only the pure-Go command is measured")
			continue
		}
		for _, method := range []string{"lle", "neml", "ltsa"} {
			b.Run(fmt.Sprintf("%s/%s/n=20000", kind, method), func(b *testing.B) {
				against(b, map[string]any{"method": "lle", "in": roll, "params": map[string]any{"neighbors": 12, "dim": 2}}, binary, "embed", "--method", method, "--neighbors", "12", "--in", roll,
					"--out", filepath.Join(dir, "y.npy"), "--threads", "1", "--quiet")
			})
		}
		b.Run(kind+"/neighbors/usps", func(b *testing.B) {
			usps := dataFile(b, "usps.X.npy")
			against(b, map[string]any{"method": "neighbors", "in": usps, "params": map[string]any{"neighbors": 20, "algorithm": "brute"}}, binary, "neighbors", "--neighbors", "20", "--in", usps,
				"--out-indices", filepath.Join(dir, "i.npy"), "--threads", "1", "--quiet")
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

func against(b *testing.B, peer map[string]any, binary string, args ...string) {
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
}
