package main

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/files"
)

// remedy adds to an error about a table what to type.
func (t *tableFlags) remedy(in string, o files.Options, err error) error {
	of, is := errors.AsType[*files.Error](err)
	if !is {
		return err
	}
	say := func(format string, args ...any) error {
		return &files.Error{Path: of.Path, Op: of.Op, Err: fmt.Errorf(format, args...)}
	}
	if missing, lacks := errors.AsType[*files.MissingError](err); lacks && t.missing != "" {
		return say("%s, or type --missing drop (leaves such rows out)%s", missing.Error(), meanRemedy)
	}
	text, isText := errors.AsType[*files.TextError](err)
	if !isText {
		return err
	}
	columns, other := files.TextColumns(in, o)
	at := slices.IndexFunc(columns, func(c files.TextColumn) bool { return c.Number == text.Column })
	if other != nil || at < 0 {
		return say("%s%s", text.Error(), t.otherDelimiter(text.Text)+commas(in, text.Text)+ofComment(text)) // a slip among numbers
	}
	if d := delimiterIn(columns[at].Name); d != "" && len(columns) == 1 && d == delimiterIn(text.Text) {
		return say("its lines are divided by %s: type --delimiter %s", d, d) // header and all
	}
	return say("%s%s", textRemedy(columns, t.classes), t.otherDelimiter(text.Text))
}

// meanRemedy ends what is said of missing values.
const meanRemedy = ", or --missing mean (takes the mean of the column)"

// commas says what to type where commas separate the fields of a .tsv.
func commas(in, text string) string {
	if strings.Contains(strings.ToLower(files.FileOf(in)), ".tsv") && strings.Contains(text, ",") {
		return ", or type --delimiter comma where that separates the fields"
	}
	return ""
}

// ofComment says what to type where a line among the rows is a comment.
func ofComment(field *files.TextError) string {
	for _, mark := range []string{"#", "%", "//", "!", "*"} {
		if field.Column == 1 && strings.HasPrefix(field.Text, mark) {
			return ", or type --comment '" + mark + "' where that begins a comment"
		}
	}
	return ""
}

// otherDelimiter says what to type where fields are separated by something else.
func (t *tableFlags) otherDelimiter(text string) string {
	if d := delimiterIn(text); d != "" {
		return ", or type --delimiter " + d + " where that separates the fields"
	}
	return ""
}

// delimiterIn is what seems to separate the fields of a text, as one types it; empty: nothing.
func delimiterIn(text string) string {
	for _, d := range []struct{ is, name string }{{";", "';'"}, {"\t", "tab"}, {"|", "'|'"}} {
		if strings.Contains(text, d.is) {
			return d.name
		}
	}
	return ""
}

// textRemedy says which columns hold text, and what they are good for.
func textRemedy(columns []files.TextColumn, labels bool) string {
	var held, all []string
	id, class, booleans := "", "", true
	for _, c := range columns {
		name := strconv.Itoa(c.Number)
		shown := "column " + name
		if c.Name != "" {
			name = c.Name
			shown += " (" + c.Name + ")"
		}
		all = append(all, quotedColumn(name))
		of := "text"
		switch {
		case allMatch(dates, c.Kinds):
			of = "dates"
		case c.Unique && id == "":
			id = name
		case !c.Unique && labels && (class == "" || namesClasses(c.Name) && !namesClasses(class)):
			class = name // the first, or the first that is called so
		}
		booleans = booleans && allMatch(truths, c.Kinds)
		held = append(held, shown+" holds "+of+" ("+fewKinds(c.Kinds)+")")
	}
	const most = 3
	if len(held) > most {
		held = append(held[:most], fmt.Sprintf("and %d more columns", len(held)-most))
	}
	var use, uses []string
	rest := slices.Clone(all)
	for _, u := range []struct{ name, flag, what string }{{id, "--id ", "the names of the samples"}, {class, "--labels :", "their classes"}} {
		if u.name != "" {
			use, uses = append(use, u.flag+quotedColumn(u.name)), append(uses, u.what)
			rest = slices.DeleteFunc(rest, func(name string) bool { return name == quotedColumn(u.name) })
		}
	}
	out := "leave them out by --drop " + strings.Join(all, ",")
	if len(columns) == 1 {
		out = "leave it out by --drop " + all[0]
	}
	if len(use) > 0 {
		if len(rest) > 0 {
			use = append(use, "--drop "+strings.Join(rest, ","))
		}
		out = "type " + strings.Join(use, " ") + " where they are " + strings.Join(uses, " and ") + ", or " + out
	}
	if booleans {
		out += ", or type --booleans to read TRUE and FALSE as 1 and 0"
	}
	return strings.Join(held, ", ") + ", where numbers should be: " + out
}

// Texts that are dates or times, and those that --booleans reads.
var (
	dates  = regexp.MustCompile(`^(\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T].*)?|\d{1,2}:\d{2}(:.*)?)$`)
	truths = regexp.MustCompile(`(?i)^(true|false)$`)
)

// allMatch reports whether texts are all of a kind.
func allMatch(kind *regexp.Regexp, texts []string) bool {
	return !slices.ContainsFunc(texts, func(text string) bool { return !kind.MatchString(text) })
}

// namesClasses reports whether a column has a name usual for classes.
func namesClasses(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"class", "label", "species", "target", "type", "cluster", "category"}, func(word string) bool { return strings.Contains(name, word) })
}

// quotedColumn is the name of a column as a flag takes it.
func quotedColumn(name string) string {
	if strings.Contains(name, ",") {
		return `'"` + name + `"'`
	}
	if strings.ContainsAny(name, " '\"$&;()|<>*?") {
		return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
	}
	return name
}

// fewKinds shows some of the texts of a column.
func fewKinds(kinds []string) string {
	const most = 4
	shown := slices.Clone(kinds[:min(len(kinds), most)])
	for i, k := range shown {
		if len([]rune(k)) > 20 {
			shown[i] = string([]rune(k)[:20]) + "…"
		}
	}
	if len(kinds) > most {
		shown = append(shown, "…")
	}
	return strings.Join(shown, ", ")
}

// The names that columns of classes and of numbers of rows have.
var (
	classNames = regexp.MustCompile(`(?i)^(.*[ _.])?(class|classes|label|labels|target|species|diagnosis|category|cluster|y)$`)
	indexNames = regexp.MustCompile(`(?i)^((sample|row|subject|patient)?[ _.]?(id|index|number|no|nr)|unnamed: 0|)$`)
)

// recognise reports columns that are classes or row numbers and were left in the
// data. Columns that are listed are meant.
func (t *tableFlags) recognise(inv *invocation, in, labels string, m mat.Matrix) {
	x, dense := m.(*mat.Dense)
	if !dense || t.transpose || in == "-" || !files.HasColumns(in) || files.Selects(in) || len(t.columns) > 0 {
		return
	}
	rows, cols := x.Dims()
	if rows < 10 || cols < 2 {
		return
	}
	for j := range cols {
		named := t.names != nil && j < len(t.names)
		end := !named && (j == 0 || j == cols-1)
		if !end && !(named && (classNames.MatchString(t.names[j]) || indexNames.MatchString(t.names[j]))) {
			continue
		}
		kinds, whole := distinctWholes(x, j)
		switch {
		case !whole || end && othersAreWhole(x, j):
		case kinds == rows && (end || indexNames.MatchString(t.names[j])):
			inv.warn("%s seems to number the rows: it is in the data all the same; type --drop %s to leave it out, or --id %s to name the samples by it", t.columnAt(j), quotedColumn(t.nameAt(j)), quotedColumn(t.nameAt(j)))
		case kinds <= min(50, rows/4) && (end || classNames.MatchString(t.names[j])):
			what := "--drop " + quotedColumn(t.nameAt(j)) + " to leave it out"
			if labels == "" && t.classes {
				what = "--labels :" + quotedColumn(t.nameAt(j)) + " to take it for the classes, or " + what
			}
			inv.warn("%s seems to be the classes of the samples, with %s: it is in the data all the same; type %s", t.columnAt(j), counted(kinds, "whole number"), what)
		}
	}
}

// distinctWholes counts the different numbers of a column, which are whole ones or not.
func distinctWholes(x *mat.Dense, j int) (kinds int, whole bool) {
	rows, _ := x.Dims()
	seen := map[float64]bool{}
	for i := range rows {
		v := x.At(i, j)
		if v != math.Trunc(v) {
			return 0, false
		}
		seen[v] = true
	}
	return len(seen), true
}

// othersAreWhole reports whether another column has whole numbers alone, so that one such
// column says nothing.
func othersAreWhole(x *mat.Dense, j int) bool {
	_, cols := x.Dims()
	for other := range cols {
		if other == j {
			continue
		}
		if _, whole := distinctWholes(x, other); whole {
			return true
		}
	}
	return false
}
