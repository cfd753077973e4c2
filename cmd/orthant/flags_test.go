package main

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/engine"
)

func TestByteSize(t *testing.T) {
	for text, want := range map[string]int64{
		"1000000": 1e6, "4GiB": 4 << 30, "4g": 4 << 30, "500MB": 5e8, "1.5 KiB": 1536, "64m": 64 << 20, "2TB": 2e12, "1e6": 1e6, "12B": 12,
	} {
		var b byteSize
		if err := b.Set(text); err != nil || int64(b) != want {
			t.Errorf("%q is %d (%v), want %d", text, b, err, want)
		}
	}
	for _, text := range []string{"", "GiB", "0", "-4GiB", "4XB", "4 4", "nan", "1e30", "0.1"} {
		var b byteSize
		if err := b.Set(text); err == nil {
			t.Errorf("%q is taken as %d", text, b)
		}
	}
}

func TestSettings(t *testing.T) {
	var s settings
	for _, pair := range []string{"a=1", " b = x=y ", "a=2", "c="} {
		if err := s.Set(pair); err != nil {
			t.Errorf("%q: %v", pair, err)
		}
	}
	if len(s) != 3 || s["a"] != "2" || s["b"] != "x=y" || s["c"] != "" {
		t.Errorf("settings %v", s)
	}
	if s.Set("nothing") == nil || s.Set("=3") == nil {
		t.Error("pairs without a key or a value are taken")
	}
}

// TestHelpIsWhole reads every help text: an example for each command that works,
// every flag under a heading with its meaning, and nothing wider than a screen.
func TestHelpIsWhole(t *testing.T) {
	root := newRoot(newInvocation(streams{}))
	for _, cmd := range root.Commands() {
		help := must(t, cmd.Name(), "--help-all").out
		for _, word := range []string{"Usage:\n  orthant " + cmd.Name(), "Common flags:", "--threads N"} {
			if !strings.Contains(help, word) {
				t.Errorf("%s: the help lacks %q", cmd.Name(), word)
			}
		}
		if cmd.Name() != "version" && !strings.Contains(help, "Example:\n  orthant ") {
			t.Errorf("%s has no example", cmd.Name())
		}
		for _, l := range strings.Split(help, "\n") {
			if len([]rune(l)) > 120 {
				t.Errorf("%s: a line of %d characters: %s", cmd.Name(), len([]rune(l)), l)
			}
		}
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && (f.Usage == "" || f.Annotations[headingKey] == nil || !strings.Contains(help, "--"+f.Name)) {
				t.Errorf("%s: --%s is not explained", cmd.Name(), f.Name)
			}
		})
	}
}

// --help explains what most people use, and counts what --help-all explains besides.
func TestHelpExplainsTheUsualFlags(t *testing.T) {
	for _, command := range []string{"embed", "factorize", "cluster", "evaluate"} {
		usual, all := must(t, command, "--help").out, must(t, command, "--help-all").out
		flag := regexp.MustCompile(`(?m)^  .{4}--[a-z-]+`)
		few, many := flag.FindAllString(usual, -1), flag.FindAllString(all, -1)
		if len(few) > 20 || !strings.Contains(usual, fmt.Sprintf("\"orthant %s --help-all\" explains %d more flags.", command, len(many)-len(few))) {
			t.Errorf("%s explains %d of %d flags: %s", command, len(few), len(many), usual[max(0, len(usual)-200):])
		}
		for _, f := range few {
			if !slices.Contains(many, f) {
				t.Errorf("%s --help-all lacks %s", command, f)
			}
		}
	}
	if o := must(t, "info", "--help"); strings.Contains(o.out, "more flags") {
		t.Errorf("info has few flags: %s", o.out)
	}
}

func TestCostMergesPhases(t *testing.T) {
	c := cost{Seconds: engine.Seconds{"total": 5, "read": 1}, CPUSeconds: engine.Seconds{"total": 9, "read": 1}}
	c.Add(engine.Seconds{"total": 3, "solve": 2, "read": 0.5}, engine.Seconds{"total": 6, "solve": 4, "read": 0.25})
	if c.Seconds["total"] != 5 || c.Seconds["read"] != 1.5 || c.Seconds["solve"] != 2 || c.CPUSeconds["solve"] != 4 || c.CPUSeconds["read"] != 1.25 {
		t.Errorf("%v %v", c.Seconds, c.CPUSeconds)
	}
}

func TestNumbersThatJSONCannotHoldAreNull(t *testing.T) {
	for x, want := range map[float64]string{math.Inf(1): "null", 0.1: "0.1", 1e-300: "1e-300"} {
		if got, err := number(x).MarshalJSON(); err != nil || string(got) != want {
			t.Errorf("%v becomes %s (%v)", x, got, err)
		}
	}
	if got, _ := number(math.NaN()).MarshalJSON(); string(got) != "null" {
		t.Errorf("NaN becomes %s", got)
	}
}
