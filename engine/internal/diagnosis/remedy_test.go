package diagnosis

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/quality"
)

// doubtful is an embedding with an unevenness of 1.1 that keeps half of the neighbours.
func doubtful(t *testing.T, embed func(r Remedy, least float64) (Outcome, error)) *remedies {
	t.Helper()
	c := sheet(t, 300)
	c.Y = mat.NewDense(300, 2, nil)
	c.Scores = &quality.Scores{Kept: quality.Kept{Share: []float64{0.5}}, Charts: quality.Charts{Sizes: []int{13}, Unevenness: []float64{1.1}}}
	c.Trials = Trials{Embed: embed, Why: "for a test"}
	if even := c.Scores.Charts.MinUnevenness(); even != 1.1 {
		t.Fatalf("even %g", even)
	}
	return &remedies{Case: &c}
}

// A remedy is offered if it leaves no doubt, or far less, and does not lose neighbours.
func TestOnlyRemediesThatHelpAreOffered(t *testing.T) {
	for name, c := range map[string]struct {
		o    Outcome
		want string
	}{
		"sound":                 {Outcome{Taken: Remedy{Neighbors: 24}, Sound: true, Even: 0.1, Kept: 0.5}, "found: take ‹neighbors=24›: tried"},
		"far more even":         {Outcome{Taken: Remedy{Neighbors: 24}, Even: 0.3, Kept: 0.5}, "uneven by 0.3 in place of 1.1"},
		"half, and far from it": {Outcome{Taken: Remedy{Neighbors: 24}, Even: 0.5, Kept: 0.5}, "no remedy was found (tried: ‹neighbors=24›)"},
		"half, and keeps more":  {Outcome{Taken: Remedy{Dim: 3}, Even: 0.5, Kept: 0.8}, "uneven by 0.5 in place of 1.1"},
		"loses neighbours":      {Outcome{Taken: Remedy{Neighbors: 24}, Sound: true, Even: 0.1, Kept: 0.3}, "no remedy was found"},
		"fewer coordinates":     {Outcome{Taken: Remedy{Dim: 1}, Sound: true, Even: 0.1, Kept: 0.3}, "take ‹dim=1›"},
		"not possible":          {Outcome{Even: math.NaN()}, "no remedy was found"},
	} {
		r := doubtful(t, func(Remedy, float64) (Outcome, error) { return c.o, nil })
		text, confirmed, err := r.advised(cause{text: "a cause", advice: "take more", tries: []Remedy{{Neighbors: 24}}})
		if err != nil || !strings.Contains(text, strings.TrimPrefix(c.want, "found: ")) || confirmed == strings.HasPrefix(c.want, "no remedy") {
			t.Errorf("%s: %q, %v, %v", name, text, confirmed, err)
		}
		for _, o := range r.offers {
			if !o.Tried || o.Named != confirmed {
				t.Errorf("%s: %+v", name, o)
			}
		}
	}
	// What is not tried is named as such, with the reason, and an error ends the search.
	r := doubtful(t, nil)
	if text, confirmed, err := r.advised(cause{text: "a cause", advice: "take more", tries: []Remedy{{Neighbors: 24}}}); err != nil || confirmed || text != "a cause; take more (not tried: for a test)" || len(r.offers) != 1 || r.offers[0].Tried {
		t.Errorf("%q, %v, %v, %+v", text, confirmed, err, r.offers)
	}
	stop := errors.New("stop")
	if _, _, err := doubtful(t, func(Remedy, float64) (Outcome, error) { return Outcome{}, stop }).advised(cause{text: "a", advice: "b", tries: []Remedy{{Dim: 3}}}); err != stop {
		t.Errorf("%v", err)
	}
}

// Where fewer neighbours make it worse, still fewer are not tried, but count; a remedy that is named stays so if others are
// tried after it.
func TestSearchLeavesADirectionThatIsWorse(t *testing.T) {
	var asked []Remedy
	even := map[Remedy]float64{{Neighbors: 8}: 1.2, {Neighbors: 24}: 0.3, {Neighbors: 36}: 0.35}
	r := doubtful(t, func(of Remedy, least float64) (Outcome, error) {
		asked = append(asked, of)
		if least != 0.8*0.5 {
			t.Errorf("%v has to keep %g", of, least)
		}
		return Outcome{Taken: of, Even: even[of], Kept: 0.5}, nil
	})
	text, _, err := r.advised(cause{text: "a cause", advice: "another number", tries: []Remedy{{Neighbors: 8}, {Neighbors: 6}, {Neighbors: 24}, {Neighbors: 36}}})
	if want := []Remedy{{Neighbors: 8}, {Neighbors: 24}}; err != nil || !slices.Equal(asked, want) {
		t.Errorf("tried %v (%v), want %v", asked, err, want)
	}
	if !strings.Contains(text, "take ‹neighbors=24›: tried") || r.offers[0].Named || !r.offers[1].Named {
		t.Errorf("%q, %+v", text, r.offers)
	}
	asked = nil
	r = doubtful(t, r.Trials.Embed)
	if _, _, err := r.advised(cause{text: "a cause", advice: "more", tries: []Remedy{{Neighbors: 24}, {Neighbors: 36}}}); err != nil || len(asked) != 2 || !r.offers[0].Named || r.offers[1].Named {
		t.Errorf("%v, %+v, %v", asked, r.offers, err)
	}
}
