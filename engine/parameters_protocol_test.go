package engine

import (
	"testing"

	"github.com/orthant-go/orthant/engine/internal/param"
)

// papered has defaults of a paper: of its own, and of a group that it embeds.
type papered struct {
	Protocol
	Lambda  *float64 `json:"lambda" default:"auto" paper:"100" allowed:"≥ 0"`
	Order   string   `json:"order" default:"first" paper:"last" allowed:"first|last"`
	Steps   int      `json:"steps" default:"7" allowed:"≥ 1"`
	Updates `iterations:"1500" paper_iterations:"200"`
}

func (papered) Name() string { return "papered" }

// Without a word the parameters have the general defaults, with protocol=paper those of the
// paper; what is given stays, in either order.
func TestProtocolOfThePaper(t *testing.T) {
	want := func(m *papered, lambda any, order string, iterations int) {
		t.Helper()
		filled := must(param.Resolve(m.Name(), m, 10, t.Errorf))(t)
		for _, v := range []map[string]any{Values(m), Values(filled)} {
			if v["lambda"] != lambda || v["order"] != order || v["iterations"] != iterations || v["steps"] != 7 {
				t.Errorf("%v; want lambda %v, order %v, iterations %v", v, lambda, order, iterations)
			}
		}
	}
	set := func(m *papered, pairs ...string) *papered {
		t.Helper()
		for i := 0; i < len(pairs); i += 2 {
			if err := Set(m, pairs[i], pairs[i+1]); err != nil {
				t.Fatal(err)
			}
		}
		return m
	}
	want(&papered{}, "auto", "first", 1500)
	want(set(&papered{}, "protocol", "general"), "auto", "first", 1500)
	want(set(&papered{}, "protocol", "paper"), 100.0, "last", 200)
	want(set(&papered{}, "protocol", "paper", "lambda", "0", "order", "first", "iterations", "5"), 0.0, "first", 5)
	want(set(&papered{}, "lambda", "0", "iterations", "5", "protocol", "paper"), 0.0, "last", 5)
	for _, p := range Parameters(&papered{}) {
		paper := map[string]any{"lambda": 100.0, "order": "last", "iterations": 200}[p.Key]
		if p.Paper != paper {
			t.Errorf("%s: the paper's default is %v, want %v", p.Key, p.Paper, paper)
		}
	}
}
