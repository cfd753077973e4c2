package smrmf

import "github.com/orthant-go/orthant/bench"

// tally is a claim's figures, set by set, and on how many sets they are as the paper has
// them.
type tally struct {
	finding   bench.Finding
	near, all int
	far       string // the titles of the other sets
}

func newTally() *tally {
	return &tally{finding: bench.Finding{Verdict: bench.NotRun, Why: "the cases it needs have not been run"}}
}

// quality looks up a figure of a case. What is in its way is the finding where no set has
// its figure.
func (t *tally) quality(r *bench.Records, name, key string) (float64, bool) {
	v, found := r.Quality(name, key)
	if found || t.all > 0 {
		return v, found
	}
	if one := r.Lookup(name); one != nil {
		t.finding.Verdict, t.finding.Why = bench.CannotCheck, one.Missing+one.Error
		if one.Done() {
			t.finding.Why = "the run has no figure " + key
		}
	}
	return v, found
}

// show puts a set's figures among ours.
func (t *tally) show(name, figures string) {
	t.finding.Cases = append(t.finding.Cases, name)
	t.finding.Ours = join(t.finding.Ours, figures)
}

// count counts a set.
func (t *tally) count(s dataSet, near bool) {
	t.all++
	if near {
		t.near++
	} else {
		t.far = join(t.far, s.title)
	}
}
