package main

import (
	"errors"
	"slices"

	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/engine/files"
)

// textFlags say how tables of text are read.
type textFlags struct {
	delimiter character
	comment   string
	skipRows  int
	booleans  bool
	thousands thousandsMark
	samples   string   // the file that skipRows is about
	notes     []string // of readers, which were reported
}

// addFlags adds them to the flags of inputs.
func (t *textFlags) addFlags(f *pflag.FlagSet) {
	f.Var(&t.delimiter, "delimiter", "the `CHARACTER` between the fields of text inputs, such as ; or tab, or blanks: any number of blanks and tabs")
	f.StringVar(&t.comment, "comment", "", "lines of text inputs that begin with `MARK` are comments (default: # or % or //, if the file begins with one)")
	f.IntVar(&t.skipRows, "skip-rows", 0, "leave out the first `N` lines of --in, above the header")
	f.BoolVar(&t.booleans, "booleans", false, "read TRUE and FALSE in text inputs as 1 and 0")
	f.Var(&t.thousands, "thousands", "the `CHARACTER` that separates thousands in text inputs, , or .; the other one is the decimal mark")
}

// words are the flags as a job of a batch has them.
func (t *textFlags) words() map[string]any {
	words := map[string]any{}
	if t.delimiter != 0 {
		words["delimiter"] = t.delimiter.String()
	}
	if t.comment != "" {
		words["comment"] = t.comment
	}
	if t.skipRows > 0 {
		words["skip-rows"] = whole64(t.skipRows)
	}
	if t.booleans {
		words["booleans"] = true
	}
	if t.thousands != 0 {
		words["thousands"] = t.thousands.String()
	}
	return words
}

// readingOf are the options of an input with a path: the first lines are left out of the samples' file alone, for their
// numbers and for its columns of ids and classes.
func (inv *invocation) readingOf(path string) files.Options {
	o := inv.reading()
	if inv.text.skipRows != 0 && files.FileOf(path) == inv.text.samples {
		o.SkipRows = inv.text.skipRows
	}
	return o
}

// checkText refuses flags of texts that mean nothing, and keeps which file the samples are in.
func (inv *invocation) checkText(f *pflag.FlagSet) error {
	if in := f.Lookup("in"); in != nil {
		inv.text.samples = files.FileOf(in.Value.String())
	}
	if inv.text.skipRows < 0 {
		return wrong("--skip-rows is %d; give the number of lines above the header, 0 or more", inv.text.skipRows)
	}
	return nil
}

// noted warns once of what a reader did without being asked for.
func (inv *invocation) noted(text string) {
	if !slices.Contains(inv.text.notes, text) {
		inv.text.notes = append(inv.text.notes, text)
		inv.warn("%s", text)
	}
}

// thousandsMark separates thousands.
type thousandsMark byte

func (m *thousandsMark) String() string {
	if *m == 0 {
		return ""
	}
	return string(rune(*m))
}

// Type names the expected value.
func (m *thousandsMark) Type() string { return "character" }

// Set reads the value of a flag.
func (m *thousandsMark) Set(text string) error {
	if text != "," && text != "." {
		return errors.New("give , (as in 1,234.5) or . (as in 1.234,5)")
	}
	*m = thousandsMark(text[0])
	return nil
}
