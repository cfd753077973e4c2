package suggest

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var names = []string{"swiss-roll", "swiss-roll-hole", "helix", "le", "lle", "lda", "neml", "kmeans", "k", "t", "exclude_self"}

func TestNearest(t *testing.T) {
	for _, c := range []struct{ typed, want string }{
		{"swis-roll", "swiss-roll"},
		{"swissroll", "swiss-roll"},
		{"Swiss_Roll", "swiss-roll"},
		{"swiss-roll-hle", "swiss-roll-hole"},
		{"helxi", "helix"}, // two letters swapped: one mistake
		{"hel", "helix"},   // beginning
		{"roll", "swiss-roll"},
		{"hole", "swiss-roll-hole"},
		{"lte", "le"}, // one letter from le and from lle: the first wins
		{"nelm", "neml"},
		{"exclude-self", "exclude_self"},
		{"q", ""}, // one letter, replaced: nothing of it is left
		{"zzz", ""},
		{"", ""},
		{"  ", ""},
		{strings.Repeat("x", 1<<20), ""},
	} {
		if got := Nearest(c.typed, names); got != c.want {
			t.Errorf("Nearest(%.20q) = %q, want %q", c.typed, got, c.want)
		}
	}
	if got := Nearest("helix", nil); got != "" {
		t.Errorf("nothing known: got %q", got)
	}
	if got, want := Hint("helx", names), ` (did you mean "helix"?)`; got != want {
		t.Errorf("Hint = %q, want %q", got, want)
	}
	if got := Hint("zzz", names); got != "" {
		t.Errorf("Hint with nothing near = %q", got)
	}
}

// slow is the definition, by recursion.
func slow(a, b []rune) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	x, y := a[:len(a)-1], b[:len(b)-1]
	d := slow(x, y)
	if a[len(x)] != b[len(y)] {
		d++
	}
	d = min(d, slow(x, b)+1, slow(a, y)+1)
	if len(x) > 0 && len(y) > 0 && a[len(x)] == b[len(y)-1] && a[len(x)-1] == b[len(y)] {
		d = min(d, slow(x[:len(x)-1], y[:len(y)-1])+1)
	}
	return d
}

func TestDistanceIsTheDefinition(t *testing.T) {
	word := rapid.StringMatching("[abc]{0,5}")
	rapid.Check(t, func(t *rapid.T) {
		a, b := []rune(word.Draw(t, "a")), []rune(word.Draw(t, "b"))
		got, want := distance(a, b, 10), slow(a, b)
		if got != want {
			t.Fatalf("distance(%q, %q) = %d, want %d", string(a), string(b), got, want)
		}
		if back := distance(b, a, 10); back != got {
			t.Fatalf("not symmetric: %d and %d", got, back)
		}
	})
}

func TestExactNameWins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom(names[:8]).Draw(t, "name")
		if got := Nearest(n, names); got != n {
			t.Fatalf("Nearest(%q) = %q", n, got)
		}
	})
}

func FuzzNearest(f *testing.F) {
	f.Add("helx")
	f.Add("\xff\xfe")
	f.Fuzz(func(t *testing.T, typed string) {
		got := Nearest(typed, names)
		if got == "" {
			return
		}
		for _, n := range names {
			if n == got {
				return
			}
		}
		t.Errorf("Nearest(%q) = %q, which is not known", typed, got)
	})
}
