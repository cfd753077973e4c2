package engine

import "github.com/orthant-go/orthant/engine/internal/quality"

// Judgement is what the verdict on a result is, in a word.
type Judgement string

// The judgements.
const (
	Sound     Judgement = "sound"      // every check that the method has was made, and none failed
	Doubtful  Judgement = "doubtful"   // a check failed
	NotJudged Judgement = "not judged" // none failed, and at least one could not be made
)

// Unjudged is a check that was not made, or that has no answer, and why.
type Unjudged = quality.Unjudged

// judgement is that of a sentence against a result, and of checks that were not made.
func judgement(doubtful bool, unjudged []Unjudged) Judgement {
	switch {
	case doubtful:
		return Doubtful
	case len(unjudged) > 0:
		return NotJudged
	}
	return Sound
}

// sound is whether the result is, as JSON has it: null where it is not judged.
func (j Judgement) sound() any {
	if j == NotJudged {
		return nil
	}
	return j == Sound
}

// listed are the checks that were not made, as JSON has them: a list even where it is empty.
func listed(unjudged []Unjudged) []Unjudged { return append([]Unjudged{}, unjudged...) }
