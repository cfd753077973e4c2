package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/orthant-go/orthant/internal/visible"
)

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "plain × ‖X‖ ﬁ 漢": "plain × ‖X‖ ﬁ 漢", "\x1b[31mred": `\x1b[31mred`, "a\nb\r\tc": `a\nb\x0d\x09c`, "\a\x00\x7f": `\x07\x00\x7f`,
		"\u009b31m": `\u009b31m`, "\x9b31m\xff": `\x9b31m\xff`, "a\ufffdb": "a\ufffdb", `\x1b`: `\x1b`,
	} {
		if got := visible.Text(text); got != want || visible.Text(got) != got {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"\x7f\u009b\u0085 é \ufffd", "plain", "\x1b\n"} {
		made, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var back string
		if err := json.Unmarshal([]byte(visible.JSON(string(made))), &back); err != nil || back != text {
			t.Errorf("%q comes back as %q, %v", text, back, err)
		}
	}
}

// shown fails where something of what was printed is a command to a terminal.
func shown(t *testing.T, what string, o outcome) {
	t.Helper()
	for _, text := range []string{o.out, o.err} {
		bad := func(r rune) bool { return unicode.IsControl(r) && r != '\n' }
		if strings.ContainsFunc(text, bad) || !utf8.ValidString(text) || strings.Contains(text, "\ninjected") {
			t.Errorf("%s: printed %q", what, text)
		}
	}
	if o.status != exitDone && strings.Count(o.err, "\n") != 1 {
		t.Errorf("%s: the error is %q", what, o.err)
	}
}

// Whatever a name or a file says reaches the terminal spelled out.
func TestNothingCommandsTheTerminal(t *testing.T) {
	inFolder(t, "60")
	x := read(t, "x.npy")
	write(t, "labels.csv", "1\n2\n")
	for name, evil := range map[string]string{
		"ESC": "\x1bc\x1b]0;title", "newline": "a\ninjected", "BEL": "\a", "CSI": "\u009b2J", "raw CSI": "\x9b2J", "CR": "a\rinjected", "DEL": "\x7f",
	} {
		t.Run(name, func(t *testing.T) {
			write(t, evil+".npy", string(x))
			write(t, evil+".csv", "a,"+evil+"\n1,2\n3,4,5\n")
			write(t, evil+"-h.csv", "\""+evil+"\",b\n1,2\n3,x\n")
			for _, args := range [][]string{
				{"embed", "--method", "pca", "--in", evil + ".npy", "--out", evil + "-y.npy", "--model", evil + ".model", "--explain"},
				{"embed", "--method", "pca", "--in", evil + ".npy", "--out", evil + "-y.npy", "--json"},
				{"embed", "--method", "pca", "--in", evil + ".npy", "--out", "y.npy", "--labels", "labels.csv"},
				{"embed", "--method", evil, "--in", "x.npy", "--out", "y.npy"},
				{"embed", "--method", "pca", "--in", "x.npy", "--out", "y.npy", "--set", evil + "=1"},
				{"embed", "--method", "pca", "--in", "x.npy", "--out", "y.npy", "--set", "duplicates=" + evil},
				{"embed", "--method", "pca", "--in", "x.npy", "--out", "y.npy", "--" + evil},
				{"embed", "--method", "pca", "--in", "x.npy", "--out", "y.npy", evil},
				{"embed", "--method", "pca", "--in", "none" + evil + ".npy", "--out", "y.npy"},
				{"embed", "--method", "pca", "--in", "x.npy", "--out", "none" + evil + "/y.npy"},
				{"embed", "--method", "pca", "--in", "x." + evil, "--out", "y.npy"},
				{"embed", "--method", "pca", "--in", evil + ".csv", "--out", "y.npy"},
				{"embed", "--method", "pca", "--in", evil + "-h.csv", "--out", "y.npy"},
				{"embed", "--method", "pca", "--in", "x.npy", "--out", "y.npy", "--backend", evil},
				{"transform", "--model", evil + ".model", "--in", evil + ".npy", "--out", "y.npy"},
				{"evaluate", "--metric", evil}, {"generate", evil, "--out", "y.npy"}, {"methods", evil}, {"help", evil}, {evil},
				{"bench", "compare", evil, evil}, {"bench", "run", evil}, {"batch", evil, "--out", "o"},
			} {
				shown(t, strings.Join(args, " "), orthant(t, args...))
			}
			for _, job := range []map[string]any{
				{"command": evil}, {"command": "embed", evil: 1}, {"command": "embed", "method": "pca", "in": "x.npy", "neighbors": evil},
				{"command": "embed", "method": "pca", "in": "x.npy", "out": "{" + evil + "}"}, {"command": "embed", "method": "pca", "in": "*" + evil + "*none.npy", "out": "y.npy"},
			} {
				line, err := json.Marshal(job)
				if err != nil {
					t.Fatal(err)
				}
				write(t, "jobs.jsonl", string(line))
				o := orthant(t, "batch", "jobs.jsonl", "--out", "o")
				o.status = exitDone // of several lines, where the job is run
				shown(t, string(line), o)
			}
			line, err := json.Marshal(map[string]any{"command": "embed", "method": "pca", "in": "none" + evil + ".npy", "out": "y.npy"})
			if err != nil {
				t.Fatal(err)
			}
			write(t, "jobs.jsonl", string(line))
			o := orthant(t, "batch", "jobs.jsonl", "--out", "o"+evil)
			if o.status != exitFailed || strings.Count(o.err, "failed") < 2 {
				t.Errorf("status %d: %q", o.status, o.err)
			}
			o.status = exitDone // of several lines
			shown(t, "a job that fails", o)
			if err := os.RemoveAll("o" + evil); err != nil {
				t.Fatal(err)
			}
		})
	}
}
