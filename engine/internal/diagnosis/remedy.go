package diagnosis

import (
	"fmt"
	"strings"
)

// Remedy is a change by which the samples can be embedded again; what is 0 stays as it is.
type Remedy struct {
	Neighbors int
	Auto      bool // as many neighbours as ‹neighbors=auto› chooses
	Dim       int
	Denoise   bool
}

func (r Remedy) String() string {
	switch {
	case r.Denoise:
		return "‹denoise=auto›"
	case r.Dim > 0:
		return fmt.Sprintf("‹dim=%d›", r.Dim)
	}
	return fmt.Sprintf("‹neighbors=%d›", r.Neighbors)
}

// Try embeds the samples again and reports whether nothing speaks against that, and how unevenly it
// stretches the data, with the remedy as it was taken; one that cannot be taken is empty.
type Try func(r Remedy) (taken Remedy, sound bool, uneven float64, err error)

// cause is one that was found, or what was measured where none was.
type cause struct {
	text    string
	advice  string   // where no remedy is tried
	tries   []Remedy // the likely one first
	unnamed bool     // the remedy that helps will show what the cause is
}

// mostTries bounds the embeddings that are made to find a remedy.
const mostTries = 3

// helped: a remedy by which the stretch is uneven by less than this share helps, even if it leaves
// doubts.
const helped = 0.5

// advised is the cause with a remedy that was tried, or with the advice if none was.
func (c *Case) advised(of cause) (string, error) {
	join := func(texts ...string) string {
		var list []string
		for _, text := range texts {
			if text != "" {
				list = append(list, text)
			}
		}
		return strings.Join(list, "; ")
	}
	if c.Try == nil || len(of.tries) == 0 {
		return join(of.text, of.advice), nil
	}
	var tried []string
	best, least := "", helped*c.Scores.Charts.Even()
	for _, r := range of.tries {
		taken, sound, uneven, err := c.Try(r)
		if err != nil {
			return "", err
		}
		what := taken.String()
		for _, before := range tried {
			if before == what {
				what = ""
			}
		}
		if taken == (Remedy{}) || what == "" || taken.Neighbors == c.Graph.MaxDegree() {
			continue
		}
		if sound && of.unnamed && taken.Neighbors > 0 {
			how := "few"
			if taken.Neighbors < c.Graph.MaxDegree() {
				how = "many"
			}
			return join(of.text, fmt.Sprintf("found: ‹neighbors=%d› is too %s; take %s: tried, and nothing speaks against it", c.Graph.MaxDegree(), how, what)), nil
		}
		if sound {
			return join(of.text, fmt.Sprintf("take %s: tried, and nothing speaks against it", what)), nil
		}
		if uneven < least {
			best, least = what, uneven
		}
		if tried = append(tried, what); len(tried) == mostTries {
			break
		}
	}
	switch {
	case len(tried) == 0:
		return join(of.text, of.advice), nil
	case best != "":
		return join(of.text, fmt.Sprintf("take %s: tried, and the stretch is uneven by %.2g in place of %.2g", best, least, c.Scores.Charts.Even())), nil
	}
	if of.unnamed {
		return join(of.text, fmt.Sprintf("neither a cause nor a remedy was found (tried: %s)", strings.Join(tried, ", "))), nil
	}
	return join(of.text, fmt.Sprintf("no remedy was found (tried: %s)", strings.Join(tried, ", "))), nil
}

// fewer and more are numbers of neighbours to try.
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
