//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// No output may be an input, however both are named, and no two outputs may be one file. The
// input stays as it was.
func TestNoOutputIsAnInput(t *testing.T) {
	inFolder(t, "60")
	must(t, "generate", "gaussians", "--samples", "40", "--out", "g.csv", "--out-labels", "l.csv")
	must(t, "neighbors", "--in", "x.npy", "--neighbors", "5", "--out", "graph.npz")
	must(t, "embed", "--method", "pca", "--in", "x.npy", "--out", "y.npy", "--model", "m.npy")
	must(t, "generate", "faces", "--samples", "6", "--out", "faces/")
	must(t, "generate", "gaussians", "--samples", "40", "--out", "array.npz")
	must(t, "factorize", "--method", "nmf", "--in", "array.npz", "--rank", "2", "--iterations", "2", "--set", "shift=columns", "--out-w", "w.npy", "--out-h", "h.npy")
	for _, folder := range []string{"sub", "emb", "runs/runs"} {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	symlink(t, "g.csv", "link.csv")
	symlink(t, "sub", "folder")
	if err := os.Link("g.csv", "hard.csv"); err != nil {
		t.Skip("no hard links here:", err)
	}
	write(t, "sub/s.csv", string(read(t, "g.csv")))
	write(t, "names.k_2.dt_0_5.txt", strings.Repeat("a\n", 3))
	write(t, "names.txt", strings.Repeat("a\n", 3))
	must(t, "embed", "--method", "pca", "--in", "g.csv", "--out", "emb/cluster-001.npy")
	must(t, "embed", "--method", "pca", "--in", "g.csv", "--out", "runs/runs/spectra.k_2.iter_0.npy")
	absolute, err := filepath.Abs("g.csv")
	if err != nil {
		t.Fatal(err)
	}
	before := contents(t, ".")
	const both = "would replace its input"
	for _, c := range []struct{ line, want string }{
		{"embed --method pca --in g.csv --out g.csv", both},
		{"embed --method pca --in g.csv --out ./sub/../g.csv", both},
		{"embed --method pca --in g.csv --out " + absolute, both},
		{"embed --method pca --in g.csv --out link.csv", both},
		{"embed --method pca --in link.csv --out g.csv", both},
		{"embed --method pca --in g.csv --out hard.csv", both},
		{"embed --method pca --in folder/s.csv --out sub/s.csv", both},
		{"embed --method pca --in g.csv --out y2.npy --model g.csv", "--model g.csv would replace its input, --in g.csv"},
		{"embed --method pca --in g.csv:1-2 --out g.csv", both},
		{"embed --method pca --in array.npz --out array.npz:other", both},
		{"embed --method pca --in array.npz:arr_0 --out array.npz", both},
		{"embed --method pca --in g.csv --labels l.csv --out l.csv", both},
		{"embed --method le --graph graph.npz --out graph.npz", both},
		{"embed --method isomap --graph graph.npz --out y2.npy --model graph.npz", both},
		{"embed --method pca --in g.csv --color y.npy --out y.npy --plot p.png", both},
		{"embed --method pca --in faces --out y2.npy --plot faces/face-001.png", both},
		{"embed --method pca --in faces --out y2.npy --plot faces/new.png", both},
		{"embed --method pca --in faces/*.png --out y2.npy --plot faces/new.png", both},
		{"embed --method nle --in g.csv --init w.npy --out w.npy", both},
		{"embed --method pca --in g.csv --out p.png --plot p.png", "--out p.png and --plot p.png are the same file"},
		{"embed --method pca --in g.csv --out new.csv --model sub/../new.csv", "are the same file; give each output its own"},
		{"transform --model m.npy --in x.npy --out x.npy", both},
		{"transform --model m.npy --in x.npy --out m.npy", both},
		{"factorize --method nmf --in array.npz --rank 2 --out-w array.npz", both},
		{"factorize --method nmf --in array.npz --rank 2 --init-w w.npy --init-h h.npy --out-h w.npy", both},
		{"factorize --method nmf --in array.npz --rank 2 --out-w a.npy --out-h a.npy", "are the same file"},
		{"factorize --method nmf --in array.npz --rank 2 --runs 2 --out . --consensus --feature-names names.k_2.dt_0_5.txt", both},
		{"factorize --method nmf --in runs/runs/spectra.k_2.iter_0.npy --rank 2 --runs 2 --out runs", both},
		{"cluster --method kmeans --in g.csv --clusters 2 --out g.csv", both},
		{"cluster --method kmeans --in emb/cluster-001.npy --clusters 2 --out-embeddings emb", both},
		{"cluster --method kmeans --in g.csv --clusters 2 --out emb/index.json --out-embeddings emb/", "are the same file"},
		{"select --method dpp --in g.csv --count 2 --out hard.csv", both},
		{"neighbors --in array.npz --out array.npz", both},
		{"neighbors --in x.npy --out-indices i.npy --out-distances i.npy", "are the same file"},
		{"denoise --in g.csv --dim 2 --out g.csv", both},
		{"compare --in x.npy --methods pca --labels sub/../y.npy --plot y.npy", both},
		{"generate helix --samples 20 --out a.npy --out-params ./a.npy", "are the same file"},
	} {
		o := orthant(t, strings.Fields(c.line)...)
		if o.status != exitUsage || strings.Count(o.err, "\n") != 1 || !strings.Contains(o.err, c.want) {
			t.Errorf("orthant %s\nstatus %d: %s\nwant %q", c.line, o.status, o.err, c.want)
		}
	}
	if after := contents(t, "."); after != before {
		t.Errorf("files changed:\n%s\nbefore:\n%s", after, before)
	}
	// An output may go to what is no file, and may be what another run reads.
	must(t, "embed", "--method", "pca", "--in", "g.csv", "--model", "/dev/null")
	must(t, "cluster", "--method", "kmeans", "--in", "emb/cluster-001.npy", "--clusters", "2", "--out", "emb/labels.npy")
}

// Standard input and output are files, too, where the shell has made them so.
func TestNoOutputIsStandardInput(t *testing.T) {
	inFolder(t, "60")
	for _, in := range []string{"-", "/dev/stdin"} {
		f, err := os.Open("x.npy")
		if err != nil {
			t.Fatal(err)
		}
		cmd := process(t, ".", "embed", "--method", "pca", "--in", in, "--out", "x.npy")
		var said bytes.Buffer
		cmd.Stdin, cmd.Stderr = f, &said
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != exitUsage && in == "-" || !strings.Contains(said.String(), "would replace its input") && in == "-" {
			t.Errorf("--in %s: %v, %s", in, err, said.String())
		}
		f.Close()
		matrix(t, "x.npy")
	}
}

// A batch reads its jobs, and a comparison its samples and labels: no job may replace them.
func TestNoJobReplacesWhatTheBatchReads(t *testing.T) {
	inFolder(t, "60")
	must(t, "generate", "gaussians", "--samples", "60", "--out", "g.npy", "--out-labels", "pca.npy")
	if err := os.Link("x.npy", "hard.npy"); err != nil {
		t.Skip("no hard links here:", err)
	}
	const embed = `{"command": "embed", "method": "pca", "in": "x.npy", `
	for _, c := range []struct{ jobs, line, want string }{
		{embed + `"model": "jobs.jsonl"}`, "batch jobs.jsonl --out .", "is the file of jobs"},
		{embed + `"out": "hard.npy"}`, "batch jobs.jsonl --out .", "would replace the input of the same job"},
		{embed + `"model": "job-000000.log"}`, "batch jobs.jsonl --out . --log .", "is the log of a job"},
		{embed + `"out": "a.npy"}` + "\n" + `{"command": "embed", "method": "pca", "in": "g.npy", "out": "a.npz"}`, "batch journal.jsonl --out .", "the journal of the batch would replace the file of jobs"},
		{"", "compare --in g.npy --labels pca.npy --methods pca --out .", "is --labels"},
		{"", "compare --in pca.npy --methods lle,pca --out .", "would replace the input of the same job"},
	} {
		write(t, "jobs.jsonl", c.jobs)
		write(t, "journal.jsonl", c.jobs)
		before := contents(t, ".")
		o := orthant(t, strings.Fields(c.line)...)
		if o.status != exitUsage || strings.Count(o.err, "\n") != 1 || !strings.Contains(o.err, c.want) {
			t.Errorf("orthant %s\nstatus %d: %s\nwant %q", c.line, o.status, o.err, c.want)
		}
		if after := contents(t, "."); after != before {
			t.Errorf("orthant %s: files changed:\n%s\nbefore:\n%s", c.line, after, before)
		}
	}
	write(t, "jobs.jsonl", embed+`"model": "jobs.jsonl"}`)
	f, err := os.OpenFile("jobs.jsonl", syscall.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if o := orthantReading(t, f, "batch", "-", "--out", "."); o.status != exitUsage || !strings.Contains(o.err, "is the file of jobs") {
		t.Errorf("jobs from standard input: status %d, %s", o.status, o.err)
	}
}

// contents lists the files of a folder and all below it with what they hold.
func contents(t *testing.T, folder string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			_, sum, failed := checksum(path)
			b.WriteString(path + " " + sum + "\n")
			return failed
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A table is read more than once, for its header and its numbers: a named pipe would hang.
func TestNamedPipes(t *testing.T) {
	inFolder(t, "60")
	for _, name := range []string{"p.csv", "p.csv.gz", "p.parquet"} {
		if err := syscall.Mkfifo(name, 0o666); err != nil {
			t.Skip("no named pipes here:", err)
		}
		for _, line := range []string{"embed --method pca --out y.npy --in ", "transform --model x.npy --out y.npy --in ", "embed --method pca --in x.npy --out y.npy --labels "} {
			if o := orthant(t, strings.Fields(line+name)...); o.status != exitUsage || !strings.Contains(o.err, "is a pipe, and a table is read more than once") {
				t.Errorf("orthant %s%s: status %d, %s", line, name, o.status, o.err)
			}
		}
	}
	if err := syscall.Mkfifo("p.npy", 0o666); err != nil {
		t.Fatal(err)
	}
	text := read(t, "x.npy")
	go func() { _ = os.WriteFile("p.npy", text, 0) }()
	must(t, "embed", "--method", "pca", "--in", "p.npy", "--out", "y.npy")
}
