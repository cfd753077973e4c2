package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/internal/disk"
	"github.com/orthant-go/orthant/internal/faults"
)

// everyCommand lists the commands, with those below them.
func everyCommand() []*cobra.Command {
	list := []*cobra.Command{newRoot(newInvocation(streams{out: io.Discard, err: io.Discard}))}
	for at := 0; at < len(list); at++ {
		list = append(list, list[at].Commands()...)
	}
	return list
}

// ownFolders are the flags that name a folder whose files the command checks by itself, or does not replace.
var ownFolders = map[string]string{
	"orthant batch --out":       "addOwn, link and jobMaker.place check the journal and the outputs of the jobs",
	"orthant batch --log":       "addOwn and link check the logs",
	"orthant batch merge --out": "it reads and writes the journals of one batch",
	"orthant compare --out":     "it is the folder of a batch",
	"orthant bench run --out":   "records are only added",
}

// Every flag that names a file says whether it is read or written: what no output may replace
// follows from it, and batches go by it.
func TestFlagsOfFilesSayWhatTheyAreFor(t *testing.T) {
	var runs []string // by a batch
	for _, c := range subcommands() {
		runs = append(runs, c.name)
	}
	for _, cmd := range everyCommand() {
		count := 0
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			placeholder, _ := pflag.UnquoteUsage(f)
			names := slices.Contains([]string{"FILE", "DIR", "FOLDER"}, placeholder) && f.Name != "data"
			if ownFolders[cmd.CommandPath()+" --"+f.Name] != "" {
				return
			}
			if said := isRead(f) || isWritten(f); said != names {
				t.Errorf("%s --%s %s: annotated as a file %t (see reads and writes)", cmd.CommandPath(), f.Name, placeholder, said)
			}
			if named := slices.ContainsFunc([]string{"out", "plot", "model", "log", "journal"}, func(word string) bool { return strings.HasPrefix(f.Name, word) }); named && !names {
				t.Errorf("%s --%s %s seems to be an output; call its value FILE or DIR", cmd.CommandPath(), f.Name, placeholder)
			}
			if names {
				count++
			}
		})
		if slices.Contains(runs, cmd.Name()) && count == 0 {
			t.Errorf("%s names no file", cmd.Name())
		}
		if cmd.Flags().Lookup("in") != nil && !slices.Contains(append(runs, "compare", "eigs", "svds", "solve"), cmd.Name()) { // compare runs a batch itself, and the solvers have no estimate of memory to schedule by
			t.Errorf("%s works with data but is not among the subcommands that a batch runs", cmd.Name())
		}
	}
}

// No command replaces what it reads: every output of every command is refused if it is one of its inputs, whatever the
// two paths are, with both flags and a remedy; and so are two outputs that are one file. The commands and their flags come from the
// table.
func TestNoOutputReplacesAnInput(t *testing.T) {
	inFolder(t, "60")
	const content = "1,2\n3,4\n"
	pairs := 0
	// same makes a file with several paths, the first of them within a folder.
	same := func(name string) []string {
		here, _ := os.Getwd()
		if err := os.RemoveAll("d"); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("d", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, path, content)
		for _, link := range []string{"soft.csv", "hard.csv"} {
			os.Remove(link)
		}
		if os.Symlink(path, "soft.csv") != nil || os.Link(path, "hard.csv") != nil {
			t.Skip("there are no links here")
		}
		if info, err := os.Lstat("soft.csv"); err != nil || info.Mode()&os.ModeSymlink == 0 { // wine says that it has made one
			t.Skip("there are no symbolic links here")
		}
		return []string{path, filepath.Join("d", "..", "d", name), filepath.Join(here, path), "soft.csv", "hard.csv"}
	}
	for _, cmd := range everyCommand() {
		words := strings.Fields(cmd.CommandPath())[1:]
		if argumentOf(cmd) != "" {
			words = append(words, "helix")
		}
		var inputs, written []*pflag.Flag
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if isRead(f) {
				inputs = append(inputs, f)
			}
			if isWritten(f) {
				written = append(written, f)
			}
		})
		for at, out := range written {
			name := "x.csv"
			within := out.Annotations[fileKey][1:]
			if len(within) > 0 {
				name = strings.ReplaceAll(within[len(within)-1], "*", "1")
			}
			refuse := func(other, one, both string, args []string, remedy string) {
				t.Helper()
				pairs++
				o := orthant(t, args...)
				for _, part := range []string{one, both, "are the same file", remedy} {
					if o.status != exitUsage || !strings.Contains(o.err, part) {
						t.Errorf("orthant %s: status %d, %q without %q", strings.Join(args, " "), o.status, o.err, part)
						return
					}
				}
				if string(read(t, other)) != content {
					t.Fatalf("orthant %s has replaced %s", strings.Join(args, " "), other)
				}
			}
			for i, path := range same(name) {
				target := path
				if len(within) > 0 {
					if target = "d"; i > 2 { // a link to one of its files is no name of the folder
						continue
					}
				}
				for _, in := range inputs {
					// The input by its own name, and by a link.
					for _, given := range []string{filepath.Join("d", name), path} {
						args := slices.Concat(words, []string{"--" + out.Name, target, "--" + in.Name, given})
						refuse(path, "--"+out.Name+" "+target+" would replace its input", "--"+in.Name+" "+given, args, "or type --overwrite-input")
					}
					args := slices.Concat(words, []string{"--" + out.Name, target, "--" + in.Name, path, "--overwrite-input", "--memory", "1"})
					if o := orthant(t, args...); strings.Contains(o.err, "same file") {
						t.Errorf("orthant %s: %s", strings.Join(args, " "), o.err)
					}
				}
				if what := cmd.Annotations[argumentKey]; what != "" && cmd.Annotations[withinKey] != "" {
					records := filepath.Join("d", cmd.Annotations[withinKey])
					os.Remove(records)
					if err := os.Link(filepath.Join("d", name), records); err != nil {
						t.Fatal(err)
					}
					refuse(path, "--"+out.Name+" "+target+" would replace its input", what+" "+records, slices.Concat(words, []string{"d", "--" + out.Name, target}), "give the output another name")
				}
				for _, other := range written[:at] {
					if len(other.Annotations[fileKey]) > 1 || len(within) > 0 {
						continue
					}
					refuse(path, "--"+other.Name+" "+filepath.Join("d", name), "--"+out.Name+" "+path,
						slices.Concat(words, []string{"--" + out.Name, path, "--" + other.Name, filepath.Join("d", name)}), "give each output its own")
				}
			}
		}
	}
	if pairs < 300 {
		t.Errorf("%d pairs of an output and an input", pairs)
	}
}

// Where names ignore case, those that differ by case alone are one file, whether it is there or not; elsewhere they are two.
func TestNamesThatDifferByCase(t *testing.T) {
	here, err := filepath.EvalSymlinks(inFolder(t, "60"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, "names.csv", "1,2\n3,4\n5,7\n")
	cases := []struct{ line, says string }{
		{"embed --method pca --in names.csv --out Names.csv", "--out Names.csv would replace its input, --in names.csv: they are the same file; give the output another name"},
		{"generate helix --samples 20 --out new.npy --out-params NEW.npy", "--out new.npy and --out-params NEW.npy are the same file; give each output its own"},
		{"batch both.jsonl --out both", "lines 1 and 2 would both write " + filepath.Join(here, "both", "Y.npy") + ", on this file system the same as " + filepath.Join(here, "both", "y.npy") + "; give each job its own output"},
		{"batch journal.jsonl --out own", "is the journal of the batch; give the output another name"},
	}
	write(t, "both.jsonl", `{"command": "generate", "name": "helix", "samples": 20, "out": "y.npy"}`+"\n"+`{"command": "generate", "name": "helix", "samples": 20, "out": "Y.npy"}`+"\n")
	write(t, "journal.jsonl", `{"command": "generate", "name": "helix", "samples": 20, "out": "y.csv"}`+"\n"+`{"command": "generate", "name": "helix", "samples": 20, "out": "JOURNAL.JSONL"}`+"\n")
	restore := disk.Swap(faults.IgnoringCase(here))
	for _, c := range cases {
		if o := orthant(t, strings.Fields(c.line+" -q")...); o.status != exitUsage || !strings.Contains(o.err, c.says) {
			t.Errorf("%s: status %d, %s", c.line, o.status, o.err)
		}
	}
	// A job waits for the one that makes its input under a name of other case.
	write(t, "chain.jsonl", `{"command": "embed", "method": "pca", "in": "{out}/MADE.npy", "out": "z.npy"}`+"\n"+`{"command": "generate", "name": "helix", "samples": 40, "out": "made.npy"}`+"\n")
	if o := orthant(t, "batch", "chain.jsonl", "--out", "chain", "-q"); o.status != exitDone {
		t.Errorf("a chain of jobs: %s", o.err)
	}
	restore()
	if disk.IgnoresCase(here) {
		return
	}
	for _, c := range cases[:3] {
		if o := orthant(t, strings.Fields(c.line+" -q")...); o.status != exitDone {
			t.Errorf("%s, where case matters: status %d, %s", c.line, o.status, o.err)
		}
	}
}
