package diagnosis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/engine/internal/quality"
	"github.com/orthant-go/orthant/engine/internal/trust"
)

// Remedy is a change of parameters for another embedding; a zero field changes nothing.
type Remedy struct {
	Neighbors int
	Auto      bool // the number of neighbours that ‹neighbors=auto› chooses
	Dim       int
	Gamma     bool // ‹gamma=auto›
	Denoise   bool
}

// Setting returns the remedy as a parameter, KEY=VALUE.
func (r Remedy) Setting() string { return strings.Trim(r.String(), "‹›") }

// String returns the setting with the marks of package wording.
func (r Remedy) String() string {
	switch {
	case r.Denoise:
		return "‹denoise=auto›"
	case r.Gamma:
		return "‹gamma=auto›"
	case r.Dim > 0:
		return fmt.Sprintf("‹dim=%d›", r.Dim)
	case r.Neighbors == 0:
		return "‹neighbors=auto›"
	}
	return fmt.Sprintf("‹neighbors=%d›", r.Neighbors)
}

// Outcome is an embedding with a remedy; the remedy is empty if it is not applicable.
type Outcome struct {
	Taken Remedy // with the number that auto chose
	Sound bool
	Even  float64 // the smallest unevenness; NaN: no charts were made, or too few neighbours kept
	Kept  float64 // share of the neighbours kept
}

// Trials embeds the samples again with remedies, if possible.
type Trials struct {
	// Embed returns the embedding with a remedy; one that keeps less than the least share of the neighbours is not
	// examined further. nil: no remedy is tried.
	Embed func(r Remedy, least float64) (Outcome, error)
	Why   string  // the reason for trying none
	Bare  bool    // the embedding is itself a trial: its causes are not reported
	Least float64 // of a trial: the share of the neighbours below which it has failed

	Denoised  bool           // the search for noise in the samples has been done
	Neighbors int            // of the method; 0: it has no such parameter
	Settings  trust.Settings // of the method, if it makes maps
}

// Offer is a remedy that was tried, or that is suggested without a trial.
type Offer struct {
	Outcome
	Tried, Named bool // Named: the sentence names it
}

// cause is a cause of doubt, or the measurement if no cause was found.
type cause struct {
	text    string
	advice  string   // used if no remedy is tried
	tries   []Remedy // the most likely one first
	unnamed bool     // the remedy that helps will reveal the cause
	seen    bool     // it was counted, and needs no remedy to confirm it
}

// maxTries bounds the embeddings made to find a remedy for one cause.
const maxTries = 3

// A remedy helps if the unevenness falls below helped, even if doubts remain, provided that it is
// then less than nearlyEven times the doubtful level, or farMoreKept times as many neighbours are kept.
// (A decrease from 1.1 to 0.5 without more neighbours may even be farther from the truth.)
// A remedy that keeps less than stillKept times the neighbours kept before does not help,
// whatever the stretch; fewer coordinates are exempt, because they keep fewer neighbours for most data.
const helped, nearlyEven, farMoreKept, stillKept = 0.5, 1.5, 1.5, 0.8

// remedies tries the remedies for the causes of one embedding, each remedy once.
type remedies struct {
	*Case
	offers []Offer
	sound  bool // a remedy was found that leaves no doubt
}

// try returns the offer of a remedy, by its number; −1: it is not applicable, or changes nothing.
func (t *remedies) try(r Remedy) (int, error) {
	same := func(o Offer) bool { return o.Taken == r }
	at := slices.IndexFunc(t.offers, same)
	if at < 0 {
		o, err := t.Trials.Embed(r, t.leastKept(r))
		if err != nil || o.Taken == (Remedy{}) || o.Taken.Neighbors == t.Graph.MaxDegree() {
			return -1, err
		}
		r = o.Taken
		if at = slices.IndexFunc(t.offers, same); at < 0 { // auto may choose a remedy already tried
			at = len(t.offers)
			t.offers = append(t.offers, Offer{Outcome: o, Tried: true})
		}
	}
	return at, nil
}

// leastKept returns the share of the neighbours that an embedding with the remedy has to keep.
func (t *remedies) leastKept(r Remedy) float64 {
	if fewer := r.Dim > 0 && r.Dim < t.dim(); fewer {
		return 0
	}
	return stillKept * t.Scores.Kept.Score()
}

// better reports whether an outcome leaves less doubt without losing neighbours.
func (t *remedies) better(o *Offer) bool {
	kept, even := t.Scores.Kept.Score(), t.Scores.Charts.MinUnevenness()
	if o.Kept < t.leastKept(o.Taken) {
		return false
	}
	return o.Sound || o.Even < helped*even && (o.Even < nearlyEven*quality.MaxUneven || o.Kept >= farMoreKept*kept)
}

// advised returns the cause with a remedy that was tried, or with the advice and the reason for trying
// none. confirmed: a remedy helps, or the cause needs none to be certain.
func (t *remedies) advised(of cause) (text string, confirmed bool, err error) {
	join := func(texts ...string) string {
		return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "; ")
	}
	if t.sound || of.advice == "" {
		return of.text, of.seen, nil
	}
	if t.Trials.Embed == nil {
		for _, r := range of.tries {
			t.offers = append(t.offers, Offer{Outcome: Outcome{Taken: r, Even: math.NaN(), Kept: math.NaN()}, Named: true})
		}
		return join(of.text, fmt.Sprintf("%s (not tried: %s)", of.advice, t.Trials.Why)), of.seen, nil
	}
	k := t.Graph.MaxDegree()
	tried, best, err := t.search(of.tries)
	switch {
	case err != nil:
		return "", false, err
	case best == nil && len(tried) == 0:
		return join(of.text, "no remedy was found"), of.seen, nil
	case best == nil && of.unnamed:
		return join(of.text, fmt.Sprintf("neither a cause nor a remedy was found (tried: %s)", strings.Join(tried, ", "))), false, nil
	case best == nil:
		return join(of.text, fmt.Sprintf("no remedy was found (tried: %s)", strings.Join(tried, ", "))), of.seen, nil
	}
	best.Named = true
	if !best.Sound {
		return join(of.text, fmt.Sprintf("take %s: tried, and the stretch is uneven by %.2g in place of %.2g", best.Taken, best.Even, t.Scores.Charts.MinUnevenness())), true, nil
	}
	t.sound = true
	if n := best.Taken.Neighbors; of.unnamed && n > 0 {
		how := "few"
		if n < k {
			how = "many"
		}
		return join(of.text, fmt.Sprintf("found: ‹neighbors=%d› is too %s; take %s: tried, and nothing speaks against it", k, how, best.Taken)), true, nil
	}
	return join(of.text, fmt.Sprintf("take %s: tried, and nothing speaks against it", best.Taken)), true, nil
}

// search tries up to maxTries remedies, until one leaves no doubt. It returns those that it tried, and the best of those
// that help. Where fewer neighbours make the embedding worse, still fewer count as tried, and likewise more.
func (t *remedies) search(list []Remedy) (tried []string, best *Offer, err error) {
	at, count := -1, 0 // at: of the best
	ended := map[int]bool{}
	for _, r := range list {
		if slices.Contains(tried, r.String()) {
			continue
		}
		if ended[t.direction(r)] {
			if count++; count == maxTries {
				break
			}
			continue
		}
		o, err := t.try(r)
		if err != nil {
			return nil, nil, err
		}
		if o < 0 || slices.Contains(tried, t.offers[o].Taken.String()) {
			continue
		}
		of := &t.offers[o]
		tried = append(tried, of.Taken.String())
		if t.better(of) && (at < 0 || of.Sound || of.Even < t.offers[at].Even) {
			at = o
		}
		if count++; at == o && of.Sound || count == maxTries {
			break
		}
		if d := t.direction(r); d != 0 {
			ended[d] = t.worse(of)
		}
	}
	if at < 0 {
		return tried, nil, nil
	}
	return tried, &t.offers[at], nil
}

// direction returns −1 for fewer neighbours, 1 for more, and 0 for other remedies.
func (t *remedies) direction(r Remedy) int {
	switch {
	case r.Auto:
		return -1
	case r.Neighbors > 0:
		return cmp.Compare(r.Neighbors, t.Graph.MaxDegree())
	}
	return 0
}

// worse reports whether an outcome is less even or loses neighbours.
func (t *remedies) worse(o *Offer) bool {
	return o.Kept < t.leastKept(o.Taken) || o.Even >= t.Scores.Charts.MinUnevenness()
}

// fewer and more return numbers of neighbours to try.
func (c *Case) fewer() []Remedy {
	k := c.Graph.MaxDegree()
	tries := []Remedy{{Auto: true}}
	for _, less := range []int{2 * k / 3, k / 2} {
		if less >= c.dim()+2 {
			tries = append(tries, Remedy{Neighbors: less})
		}
	}
	return tries
}

func (c *Case) more() []Remedy {
	k := c.Graph.MaxDegree()
	var tries []Remedy
	for _, more := range []int{2 * k, 3 * k} {
		if more < c.X.N()/4 {
			tries = append(tries, Remedy{Neighbors: more})
		}
	}
	return tries
}
