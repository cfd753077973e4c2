package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/measures"
)

// benchJobs is the number of jobs of the batch that is measured: lle of 500 samples
// with k = 10. What runs a process for each job is measured on fewer, and jobs/s
// are what can be compared.
const benchJobs = 2000

// benchRolls draws the inputs of the jobs, and returns their folder.
func benchRolls(b *testing.B, count int) {
	b.Helper()
	b.Chdir(b.TempDir())
	for i := range count {
		args := []string{"generate", "swiss-roll", "--samples", "500", "--seed", strconv.Itoa(i + 1), "--set", "params=isometric", "--out", fmt.Sprintf("x-%04d.npy", i), "--out-params", fmt.Sprintf("t-%04d.npy", i), "-q"}
		if err := run(b.Context(), args, streams{out: io.Discard, err: os.Stderr}); err != nil {
			b.Fatal(err)
		}
	}
}

// reportDev prints the median of dev of the results whose names begin so, beside the jobs
// a second: what is embedded wrong is not done.
func reportDev(b *testing.B, pattern string) {
	b.Helper()
	done, err := filepath.Glob(pattern)
	if err != nil || len(done) == 0 {
		b.Fatalf("no results %s: %v", pattern, err)
	}
	var devs []float64
	for _, path := range done {
		number := strings.Trim(filepath.Base(path), "xyz-.np") // 0007 of x-0007-y.npy
		truth, err := files.ReadMatrix("t-"+number+".npy", files.Options{})
		if err != nil {
			b.Fatal(err)
		}
		y, err := files.ReadMatrix(path, files.Options{})
		if err != nil {
			b.Fatal(err)
		}
		dev, _, err := measures.Deviation(truth, y)
		if err != nil {
			b.Fatal(err)
		}
		devs = append(devs, dev)
	}
	slices.Sort(devs)
	b.ReportMetric(devs[len(devs)/2], "dev")
}

// BenchmarkBatch is one batch in a process of its own, its start included.
func BenchmarkBatch(b *testing.B) {
	benchRolls(b, benchJobs)
	jobs := `{"command": "embed", "method": "lle", "in": "x-*.npy", "out": "{stem}-y.npy", "neighbors": 10}`
	for _, workers := range []int{1, runtime.NumCPU()} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			for range b.N {
				out := b.TempDir()
				runProcess(b, strings.NewReader(jobs), "batch", "-", "--out", out, "--workers", strconv.Itoa(workers), "-q")
				if done, _ := filepath.Glob(filepath.Join(out, "*-y.npy")); len(done) != benchJobs {
					b.Fatalf("%d outputs", len(done))
				}
				b.StopTimer()
				reportDev(b, filepath.Join(out, "*-y.npy"))
				b.StartTimer()
			}
			b.ReportMetric(float64(b.N*benchJobs)/b.Elapsed().Seconds(), "jobs/s")
		})
	}
}

// BenchmarkProcessPerJob starts this program for each job, as many at a time as
// there are cores.
func BenchmarkProcessPerJob(b *testing.B) {
	const jobs = 100
	benchRolls(b, jobs)
	for range b.N {
		err := blas.For(b.Context(), runtime.NumCPU(), jobs, 1, func(_, i, _ int) {
			runProcess(b, nil, "embed", "--method", "lle", "--neighbors", "10", "--threads", "1", "--in", fmt.Sprintf("x-%04d.npy", i), "--out", fmt.Sprintf("y-%04d.npy", i), "-q")
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*jobs)/b.Elapsed().Seconds(), "jobs/s")
	reportDev(b, "y-*.npy")
}

func runProcess(b *testing.B, in io.Reader, args ...string) {
	self, err := os.Executable()
	if err != nil {
		b.Error(err)
		return
	}
	cmd := exec.Command(self, args...)
	cmd.Env, cmd.Stdin = commandEnvironment(), in
	if text, err := cmd.CombinedOutput(); err != nil {
		b.Errorf("%v: %s", err, text)
	}
}

// peerScript embeds the files that it is given as scikit-learn users do, by joblib
// on so many cores, or in this process where that is 0, and prints the seconds.
const peerScript = `
import sys, time
import numpy as np
from sklearn.manifold import LocallyLinearEmbedding

def job(path):
    x = np.load(path)
    y = LocallyLinearEmbedding(n_neighbors=10, n_components=2, random_state=0).fit_transform(x)
    np.save(path.replace("x-", "z-"), y)

cores, backend, paths = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
if cores == 0:
    for path in paths:
        job(path)
    sys.exit()
from joblib import Parallel, delayed
with Parallel(n_jobs=cores, backend=backend) as parallel:
    parallel(delayed(job)(path) for path in paths[:cores])  # its workers have started
    start = time.perf_counter()
    parallel(delayed(job)(path) for path in paths)
    print(time.perf_counter() - start)
`

// BenchmarkScikitLearn is the same work by scikit-learn: in one process by joblib on
// all cores, its workers started beforehand, and with a process for each job.
func BenchmarkScikitLearn(b *testing.B) {
	const python = "/usr/bin/python3"
	if err := exec.Command(python, "-c", "import sklearn, joblib").Run(); err != nil {
		b.Skip("scikit-learn is not here")
	}
	const jobs = 200
	benchRolls(b, jobs)
	paths, _ := filepath.Glob("x-*.npy")
	script := func(b *testing.B, cores int, backend string, paths ...string) string {
		var stderr bytes.Buffer
		cmd := exec.Command(python, append([]string{"-c", peerScript, strconv.Itoa(cores), backend}, paths...)...)
		cmd.Stderr = &stderr
		cmd.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1") // the cores are joblib's
		text, err := cmd.Output()
		if err != nil {
			b.Errorf("%v: %s", err, &stderr)
		}
		return strings.TrimSpace(string(text))
	}
	for _, backend := range []string{"loky", "threading"} {
		b.Run("joblib/"+backend, func(b *testing.B) {
			seconds := 0.0
			for range b.N {
				one, err := strconv.ParseFloat(script(b, runtime.NumCPU(), backend, paths...), 64)
				if err != nil {
					b.Fatal(err)
				}
				seconds += one
			}
			b.ReportMetric(float64(b.N*jobs)/seconds, "jobs/s")
			reportDev(b, "z-*.npy")
		})
	}
	b.Run("process", func(b *testing.B) {
		const jobs = 16
		for range b.N {
			if err := blas.For(b.Context(), runtime.NumCPU(), jobs, 1, func(_, i, _ int) { script(b, 0, "", paths[i]) }); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.N*jobs)/b.Elapsed().Seconds(), "jobs/s")
		reportDev(b, "z-*.npy")
	})
}
