package main

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/engine"
)

// strictFlag adds --strict to what a command does.
func (w *working) strictFlag(f *pflag.FlagSet, what string) {
	f.BoolVar(&w.strict, "strict", false, "end with status 3 if the verdict is against the "+what+" (see quality in --json), which is written nevertheless")
}

// refused is the error of --strict where the verdict is against a result. The verdict itself has
// been told as a warning.
func (w *working) refused(method, what string, verdict engine.Judgement) error {
	if verdict != engine.Doubtful || !w.strict {
		return nil
	}
	return &notConverged{Text: fmt.Sprintf("%s: the verdict is against this %s, which is written all the same (--strict; the warning says why)", method, what)}
}
