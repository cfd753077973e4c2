package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/internal/messages"
	"github.com/orthant-go/orthant/internal/release"
)

// The page for programs has every command with its flags and the schemas of what it prints. make api writes it anew
// below its guide.
func TestPageForPrograms(t *testing.T) {
	const path, heading = "../../llms.txt", "\n## Commands\n"
	kept, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(kept)
	guide, _, found := strings.Cut(text, heading)
	if !found {
		t.Fatalf("%s has no heading %q", path, strings.TrimSpace(heading))
	}
	want := guide + heading + "\n" + commandsForPrograms()
	if os.Getenv("ORTHANT_WRITE_API") != "" {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if text != want {
		t.Errorf("%s is not what the commands are; run make api", path)
	}
	for line := range strings.Lines(guide) {
		if _, object, is := strings.Cut(line, `    {"error"`); is {
			var e errorReport
			if err := json.Unmarshal([]byte(`{"error"`+object), &e); err != nil {
				t.Fatal(err)
			}
			if m, ok := messages.ByID(e.Error.ID); !ok || !strings.Contains(e.Error.Message, m.Shape()) {
				t.Errorf("the example's %s is %q", e.Error.ID, m.Shape())
			}
		}
	}
}

func commandsForPrograms() string {
	var b strings.Builder
	root := newRoot(newInvocation(streams{strings.NewReader(""), io.Discard, io.Discard}))
	flags := func(list *pflag.FlagSet) {
		list.VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				return
			}
			value, usage := pflag.UnquoteUsage(f)
			fmt.Fprintf(&b, "- `%s`: %s\n", strings.TrimSpace("--"+f.Name+" "+value), strings.Join(strings.Fields(filled(usage)), " "))
		})
		b.WriteString("\n")
	}
	b.WriteString("Flags of all commands:\n\n")
	flags(root.PersistentFlags())
	var write func(c *cobra.Command)
	write = func(c *cobra.Command) {
		if c.Runnable() && c.IsAvailableCommand() && c != root {
			fmt.Fprintf(&b, "### %s\n\n%s.\n", c.CommandPath(), c.Short)
			for _, p := range printedBy {
				if "orthant "+p.command == c.CommandPath() {
					fmt.Fprintf(&b, "With --json: %s ([schema](docs/schemas/%s/%s.json)).\n", p.title, release.Version, p.schema)
				}
			}
			b.WriteString("\n")
			flags(c.LocalNonPersistentFlags())
		}
		for _, below := range c.Commands() {
			if below.Name() != "bench" { // another program in releases
				write(below)
			}
		}
	}
	write(root)
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// With --json an error is an object with its identifier, and nothing else is on standard output; explain takes the
// identifier and the text.
func TestErrorsInJSON(t *testing.T) {
	o := orthant(t, "embed", "--json", "--method", "lle", "--in", "nothing.npy", "--out", "y.npy")
	var e errorReport
	if json.Unmarshal([]byte(o.out), &e) != nil || e.Error.ID == "" || e.Error.Status != o.status || e.Error.Message+"\n" != o.err {
		t.Fatalf("standard output has %q, standard error %q", o.out, o.err)
	}
	if o := orthant(t, "embed", "--method", "lle", "--in", "nothing.npy", "--out", "y.npy"); o.status != exitUsage || o.out != "" {
		t.Errorf("without --json standard output has %q", o.out)
	}
	for _, what := range []string{e.Error.ID, e.Error.Message} {
		v := must(t, "explain", "--json", what).object(t)
		if v["id"] != e.Error.ID || v["kind"] != "error" || v["about"] == "" {
			t.Errorf("%q is explained by %v", what, v)
		}
	}
	if o := orthant(t, "explain", "E0"); o.status != exitUsage {
		t.Error("an identifier that does not exist is explained")
	}
}
