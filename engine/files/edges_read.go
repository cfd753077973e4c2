package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/orthant-go/orthant/blas"
)

// endNames are the names that the columns of the ends of edges may have, in lower case: those of this package and of igraph,
// those of Gephi and of pandas with NetworkX, and those of SNAP.
var endNames = [][2]string{{"from", "to"}, {"source", "target"}, {"fromnodeid", "tonodeid"}}

// weightName is the name of the column of weights, in lower case.
const weightName = "weight"

// edgeColumns returns the columns of the ends and of the weight of edges, by the names of a header; nil: they name none.
func edgeColumns(names []string) []string {
	lower := make([]string, len(names))
	for at, name := range names {
		lower[at] = strings.ToLower(name)
	}
	for _, ends := range endNames {
		from, to := slices.Index(lower, ends[0]), slices.Index(lower, ends[1])
		if from < 0 || to < 0 {
			continue
		}
		columns := []string{names[from], names[to]}
		if at := slices.Index(lower, weightName); at >= 0 {
			columns = append(columns, names[at])
		}
		return columns
	}
	return nil
}

// IsEdges reports whether a file is a list of edges for [ReadEdges]: a table whose header names the columns from and to (or
// source and target), or of which the path selects columns. Every error is an [*Error] with [OpRead].
func IsEdges(path string, o Options) (bool, error) {
	loc, err := locate(path)
	if err != nil || loc.file == standard || loc.format.holds != namedColumns {
		return false, failure(path, OpRead, err)
	}
	if loc.columns != nil {
		return true, nil
	}
	if loc.format.separator == 0 {
		names, err := columnNames(path, o)
		return edgeColumns(names) != nil, failure(path, OpRead, err)
	}
	form, err := loc.textForm(o)
	if err != nil {
		return false, failure(path, OpRead, err)
	}
	form.note = nil
	is, err := fromContent(loc, o, func(s source, b budget) (bool, error) {
		r := edgeReader{textReader: newTextReader(s, form, b)}
		block, err := r.blocks.next(nil)
		if err != nil {
			return false, r.explain(err, 0)
		}
		_, err = r.begin(block)
		return err == nil, nil
	})
	return is, failure(path, OpRead, err)
}

// ReadEdges reads a list of edges: a table with a line for each edge, of which the columns from and to (or source and target) hold
// the ids of its ends, any text, and the column weight, if there is one, a number ≥ 0. A path that selects columns, as in
// file.csv:a,b,km, names the three, or the two of a list without weights. Other columns are not read. A text with
// numbers in its columns needs no header then.
//
// Blocks of lines are parsed concurrently; vertices are numbered as [Edges] says for any number of threads. A line without the id of
// an end, and a weight that is missing, negative or not finite, are errors that name the line. Tables of other formats than text need ids
// that are whole numbers within ±2⁵³. Every error is an [*Error] with [OpRead].
func ReadEdges(path string, o Options) (*Edges, error) {
	e, err := readEdges(path, o)
	return e, failure(path, OpRead, err)
}

func readEdges(path string, o Options) (*Edges, error) {
	loc, err := locate(path)
	if err != nil {
		return nil, err
	}
	if loc.format.holds != namedColumns {
		return nil, errors.New("a list of edges is a table (.csv, .tsv, .txt, .parquet)")
	}
	if loc.format.separator == 0 {
		return readEdgeTable(loc, path, o)
	}
	form, err := loc.textForm(o)
	if err != nil {
		return nil, err
	}
	return fromContent(loc, o, func(s source, b budget) (*Edges, error) {
		r := &edgeReader{textReader: newTextReader(s, form, b)}
		return r.read()
	})
}

// notEdges is the error of a table without the columns of edges.
func notEdges(names []string) error {
	if names == nil {
		return errors.New("a list of edges has a header with the columns from and to, and weight if there are weights: write one, or name the columns behind a colon, as in edges.csv:1,2")
	}
	return fmt.Errorf("no columns are called from and to (the table has %s): name those of the ends of edges, and of their weights, behind a colon, as in edges.csv:%s", shortList(names), strings.Join(names[:min(2, len(names))], ","))
}

// wrongCount is the error of a selection that is not of two or three columns.
func wrongCount(count int) error {
	return fmt.Errorf("%s selected, and an edge has a from, a to, and perhaps a weight: select two or three, as in edges.csv:1,2", plural(count, "column"))
}

// edgeReader reads a list of edges from a text.
type edgeReader struct {
	*textReader
	column  [3]int // of from, to and weight, from 1; 0: there is no weight
	parts   []edgePart
	ids     idTable
	edges   Edges
	numbers []int32 // of the ids of a block among all
}

// begin examines the first lines. They determine the separator and the columns. Other than in a table of numbers, no line below the header
// holds units: its texts are ids.
func (r *edgeReader) begin(block []byte) ([]byte, error) {
	t := r.textReader
	if bytes.HasPrefix(block, []byte("\xff\xfe")) || bytes.HasPrefix(block, []byte("\xfe\xff")) {
		return nil, errors.New("the text is UTF-16: save it as UTF-8")
	}
	form := t.form
	rest, comment, before, err := form.preamble(block)
	if err != nil {
		return nil, err
	}
	t.lines, t.mark, t.found, t.sep = before, form.comment, form.found, form.sep
	lines, _ := form.ahead(rest)
	if isBlank(lines[0]) {
		return rest, errors.New("the file is empty")
	}
	if !form.explicit {
		t.sep = form.separator(lines)
	}
	for i := range lines {
		lines[i] = trimmed(lines[i], t.sep)
	}
	names, row := fieldNames(lines[0], t.sep), 1
	if !t.namesEdges(names, lines[1]) {
		if names, row = nil, 0; comment != nil {
			for _, line := range [][]byte{trimmed(comment, t.sep), bytes.TrimSpace(comment)} {
				if names == nil && countFields(line, t.sep) == countFields(lines[0], t.sep) {
					names = fieldNames(line, t.sep)
				}
			}
		}
	}
	if header, _ := t.isHeader(lines[0], lines[1], t.sep, t.lines+1); header && names == nil && len(form.choice.Columns) == 0 {
		return rest, notEdges(fieldNames(lines[0], t.sep))
	}
	t.header, t.names = names != nil, names
	t.measure(lines[:], row)
	if err := r.choose(); err != nil {
		return rest, err
	}
	if row == 1 {
		rest = t.dropLine(rest)
	}
	return rest, nil
}

// namesEdges reports whether the fields of the first line are the names of columns: if they are those of edges, or if columns are
// selected by a name, or if one that is selected has text there and a number in the second line.
func (t *textReader) namesEdges(names []string, second []byte) bool {
	chosen := t.form.choice.Columns
	if len(chosen) == 0 {
		return edgeColumns(names) != nil
	}
	places, err := Choice{Columns: chosen}.places(nil, len(names))
	if err != nil {
		return true
	}
	below := fieldsOf(second, t.sep)
	return slices.ContainsFunc(places, func(at int) bool {
		return at < len(below) && !t.isNumber([]byte(names[at])) && t.isNumber(below[at])
	})
}

// choose finds the columns of the edges.
func (r *edgeReader) choose() error {
	t := r.textReader
	chosen := t.form.choice.Columns
	if len(chosen) == 0 {
		if chosen = edgeColumns(t.names); chosen == nil {
			return notEdges(t.names)
		}
	}
	places, err := Choice{Columns: chosen}.places(t.names, t.width)
	if err != nil {
		return err
	}
	if len(places) != 2 && len(places) != 3 {
		return wrongCount(len(places))
	}
	for k, at := range places {
		r.column[k] = at + 1
	}
	if t.form.note != nil && len(t.names) > len(places) {
		var others []string
		for at, name := range t.names {
			if !slices.Contains(places, at) {
				others = append(others, name)
			}
		}
		t.form.note("not read of the edges: " + shortList(others))
	}
	return nil
}

// read reads all edges.
func (r *edgeReader) read() (*Edges, error) {
	r.buffers, r.parts = make([][]byte, blas.Threads(0)), make([]edgePart, blas.Threads(0))
	for {
		n := 0
		for n < r.workers() {
			var err error
			if r.buffers[n], err = r.blocks.next(r.buffers[n]); err != nil {
				return nil, r.explain(err, 0)
			}
			if len(r.buffers[n]) == 0 {
				break
			}
			r.parts[n].textPart.text = r.buffers[n]
			if r.bytes == 0 {
				if r.parts[0].textPart.text, err = r.begin(r.buffers[0]); err != nil {
					return nil, err
				}
			}
			r.bytes += int64(len(r.buffers[n]))
			n++
		}
		if n == 0 {
			break
		}
		// Without a way to cancel, For has no error to give.
		_ = blas.For(context.Background(), len(r.parts), n, 1, func(_, lo, hi int) {
			for b := lo; b < hi; b++ {
				r.parts[b].parse(&r.fields, r.column)
			}
		})
		for b := range n {
			if err := r.take(&r.parts[b]); err != nil {
				return nil, err
			}
		}
	}
	switch {
	case r.bytes == 0:
		return nil, errors.New("the file is empty")
	case len(r.edges.From) == 0:
		return nil, errors.New("there are no edges")
	}
	if err := r.marks.atEnd(); err != nil {
		return nil, err
	}
	r.edges.IDs = r.ids.texts
	return &r.edges, nil
}

// matrixBytes is what an edge takes of the matrix that is made of it, with what sorting takes, and edgeBytes is what it takes itself.
const (
	edgeBytes   = 16
	matrixBytes = 44
)

// take appends the edges of the next block.
func (r *edgeReader) take(p *edgePart) error {
	var err error
	switch {
	case r.blank > 0 && (len(p.from) > 0 || p.fault != nil):
		return blankLine(r.blank)
	case p.noID > 0:
		return r.withoutID(p)
	case p.fault != nil && p.fault.column == 0 || p.fault != nil && p.fault.blank > 0:
		return p.fault.at(r.textReader)
	case p.fault != nil:
		return r.badWeight(p)
	}
	if err = r.marks.join(&p.textPart, r.lines); err != nil {
		return err
	}
	if p.blank > 0 && r.blank == 0 {
		r.blank = r.lines + p.blank
	}
	r.lines += p.lines
	if len(r.edges.From) > math.MaxInt32/2-len(p.from) {
		return errors.New("there are 2³⁰ edges or more, beyond the 32-bit indices of a sparse matrix")
	}
	r.numbers = r.ids.addAll(r.numbers[:0], &p.ids)
	taken := float64(edgeBytes+matrixBytes)*float64(len(r.edges.From)+len(p.from)) + float64(r.ids.bytes)
	if err := r.budget.check("the list of edges", taken, r.held()); err != nil {
		return err
	}
	if more := r.expected(len(p.from)); cap(r.edges.From)-len(r.edges.From) < len(p.from) && more > 0 {
		r.edges.From, r.edges.To = slices.Grow(r.edges.From, more), slices.Grow(r.edges.To, more)
		if r.column[2] > 0 {
			r.edges.Weight = slices.Grow(r.edges.Weight, more)
		}
	}
	for k, i := range p.from {
		r.edges.From, r.edges.To = append(r.edges.From, r.numbers[i]), append(r.edges.To, r.numbers[p.to[k]])
	}
	if r.column[2] > 0 {
		r.edges.Weight = append(r.edges.Weight, p.weight...)
	}
	return nil
}

// expected is the number of edges to come if the rest of the text is as what was read, with some to spare, next ones included; 0: unknown.
func (r *edgeReader) expected(next int) int {
	if r.source.size <= 0 || r.bytes == 0 {
		return 0
	}
	left := float64(r.source.size)/float64(r.bytes) - 1
	return next + int(1.05*left*float64(len(r.edges.From)+next*len(r.parts)))
}

// nameOf names a column for a message.
func (r *edgeReader) nameOf(column int) string {
	if column <= len(r.names) {
		return fmt.Sprintf("column %d (%s)", column, strings.Trim(excerpt([]byte(r.names[column-1])), `"`))
	}
	return fmt.Sprintf("column %d", column)
}

func (r *edgeReader) withoutID(p *edgePart) error {
	return fmt.Errorf("line %d, %s is empty: an edge needs the ids of both ends; an edge from a vertex to itself stands for a vertex without edges", r.lines+p.lines, r.nameOf(p.noID))
}

func (r *edgeReader) badWeight(p *edgePart) error {
	f := p.fault
	line, shown := r.lines+f.line, excerpt([]byte(f.text))
	switch {
	case f.text == "" || isMissing([]byte(f.text)):
		return &MissingError{fmt.Sprintf("line %d, %s is %s, and every edge needs its weight: fill it in, or select the ends alone, and all edges weigh 1", line, r.nameOf(f.column), shown)}
	case f.found > 0:
		return fmt.Errorf("line %d, %s is %s: give a finite number ≥ 0, or leave the edge out", line, r.nameOf(f.column), shown)
	}
	return f.at(r.textReader)
}

// edgePart is a block of lines and its edges, by the numbers of the ids in the block.
type edgePart struct {
	textPart
	from, to []int32
	weight   []float64
	ids      idTable
	noID     int // the column without an id in the line reached; 0: none
}

// parse reads the edges of the block. Its ids are parts of one copy of the text.
func (p *edgePart) parse(f *fields, column [3]int) {
	p.lines, p.blank, p.comments, p.fault, p.mark, p.noID = 0, 0, 0, nil, marks{}, 0
	p.from, p.to, p.weight = p.from[:0], p.to[:0], p.weight[:0]
	p.ids.reset()
	text := string(p.text)
	for rest := p.text; len(rest) > 0; {
		at := len(p.text) - len(rest)
		var line []byte
		line, rest = cutLine(rest)
		p.lines++
		if f.mark != "" && isComment(line, f.mark) {
			continue
		}
		if isBlank(line) {
			if p.blank == 0 {
				p.blank = p.lines
			}
			continue
		}
		if p.blank > 0 {
			p.fault = &textFault{blank: p.blank}
			return
		}
		if f.sep == blanks {
			kept := trimmed(line, f.sep)
			at += len(line) - len(bytes.TrimLeft(line, " \t\r"))
			line = kept
		}
		if !p.edge(line, text[at:at+len(line)], f, column) {
			return
		}
	}
}

// edge reads the edge of a line, and reports whether it is one.
func (p *edgePart) edge(line []byte, text string, f *fields, column [3]int) bool {
	var ids [2]string
	weight := 1.0
	for at, start := 1, 0; ; at++ {
		n := fieldEnd(line[start:], f.sep)
		switch at {
		case column[0], column[1]:
			id := idText(text[start : start+n])
			if id == "" {
				p.noID = at
				return false
			}
			if at == column[0] {
				ids[0] = id
			} else {
				ids[1] = id
			}
		case column[2]:
			v, _, err := p.number(line[start:start+n], f)
			if err != nil || !(v >= 0) || math.IsInf(v, 1) {
				p.fault = &textFault{line: p.lines, column: at, text: string(clip(fieldText(line[start : start+n]))), large: errors.Is(err, strconv.ErrRange), sep: f.sep}
				if err == nil {
					p.fault.found = 1 // a number, but no weight
				}
				return false
			}
			weight = v
		}
		if start+n == len(line) {
			if at != f.width && !(f.trailing && at > f.width) {
				p.fault = &textFault{line: p.lines, found: at}
				return false
			}
			break
		}
		start = len(line) - len(afterField(line[start:], n, f.sep))
	}
	from, _ := p.ids.number(ids[0], keyOf(ids[0]))
	to, _ := p.ids.number(ids[1], keyOf(ids[1]))
	p.from, p.to = append(p.from, from), append(p.to, to)
	if column[2] > 0 {
		p.weight = append(p.weight, weight)
	}
	return true
}

// idText is the text of a field, without the spaces and quotes around it.
func idText(field string) string {
	if n := len(field); n > 0 && field[0] > ' ' && field[0] < 0x80 && field[0] != '"' && field[n-1] > ' ' && field[n-1] < 0x80 {
		return field
	}
	return strings.ReplaceAll(string(fieldText([]byte(field))), `""`, `"`)
}

// idTable numbers ids in the order in which they come. Keys decide on places alone, never on numbers.
type idTable struct {
	texts []string
	keys  []uint64
	slots []idSlot // as many as a power of two
	bytes int      // of memory
}

// idSlot is a place of the table.
type idSlot struct {
	key    uint64
	number int32 // + 1; 0: the slot is free
}

var idSeed = maphash.MakeSeed()

const (
	idBytes   = 56      // the memory of an id besides its text: its header, its key and its slots
	hashed    = 1 << 63 // keys with this bit are hashes, which texts may have in common
	keyDigits = 18      // of a whole number below 2⁶³
)

// keyOf is an id that is a whole number, written plainly, or a hash of another one.
func keyOf(id string) uint64 {
	if len(id) <= keyDigits && (id[0] != '0' || len(id) == 1) {
		var v uint64
		for at := 0; ; at++ {
			if at == len(id) {
				return v
			}
			d := id[at] - '0'
			if d > 9 {
				break
			}
			v = 10*v + uint64(d)
		}
	}
	return maphash.String(idSeed, id) | hashed
}

// reset forgets all ids.
func (t *idTable) reset() {
	t.texts, t.keys = t.texts[:0], t.keys[:0]
	clear(t.slots)
}

// place is the slot at which the search for a key begins.
func (t *idTable) place(key uint64) int {
	return int(key * 0x9e3779b97f4a7c15 >> (64 - bits.Len(uint(len(t.slots)-1))))
}

// number returns the number of an id, and whether it is new; its text is kept then.
func (t *idTable) number(id string, key uint64) (number int32, added bool) {
	if 2*len(t.texts) >= len(t.slots) {
		t.grow()
	}
	mask := len(t.slots) - 1
	at := t.place(key)
	for ; t.slots[at].number != 0; at = (at + 1) & mask {
		if s := t.slots[at]; s.key == key && (key&hashed == 0 || t.texts[s.number-1] == id) {
			return s.number - 1, false
		}
	}
	t.texts, t.keys = append(t.texts, id), append(t.keys, key)
	t.slots[at] = idSlot{key, int32(len(t.texts))}
	t.bytes += len(id) + idBytes
	return int32(len(t.texts) - 1), true
}

// grow doubles the slots.
func (t *idTable) grow() {
	t.slots = make([]idSlot, max(1<<10, 2*len(t.slots)))
	mask := len(t.slots) - 1
	for k, key := range t.keys {
		at := t.place(key)
		for t.slots[at].number != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = idSlot{key, int32(k + 1)}
	}
}

// addAll appends the numbers of the ids of another table, in their order. The texts of new ids are copied, as parts of one text.
func (t *idTable) addAll(numbers []int32, of *idTable) []int32 {
	first, size := len(t.texts), 0
	for k, id := range of.texts {
		number, added := t.number(id, of.keys[k])
		if added {
			size += len(id)
		}
		numbers = append(numbers, number)
	}
	all := make([]byte, 0, size)
	for _, id := range t.texts[first:] {
		all = append(all, id...)
	}
	own := string(all)
	for k, id := range t.texts[first:] {
		t.texts[first+k], own = own[:len(id)], own[len(id):]
	}
	return numbers
}

// readEdgeTable reads a list of edges from a table of numbers.
func readEdgeTable(loc location, path string, o Options) (*Edges, error) {
	if loc.columns == nil {
		names, err := columnNames(path, o)
		if err != nil {
			return nil, err
		}
		if o.Columns = edgeColumns(names); o.Columns == nil {
			return nil, notEdges(names)
		}
	}
	m, err := readDense(loc, o)
	if err != nil {
		if strings.Contains(err.Error(), "no numbers") {
			return nil, fmt.Errorf("%w; a list of edges whose ids are texts is read from a .csv", err)
		}
		return nil, err
	}
	n, cols := m.Dims()
	if cols != 2 && cols != 3 {
		return nil, wrongCount(cols)
	}
	e := &Edges{From: make([]int32, n), To: make([]int32, n)}
	if cols == 3 {
		e.Weight = make([]float64, n)
	}
	if err := o.budget().check("the list of edges", float64(edgeBytes+matrixBytes+8*cols+2*idBytes)*float64(n), 0); err != nil {
		return nil, err
	}
	number := map[float64]int32{}
	for k := range n {
		row := m.RawRowView(k)
		for side, to := range []*int32{&e.From[k], &e.To[k]} {
			v := row[side]
			if v != math.Trunc(v) || math.Abs(v) > maxExact {
				return nil, fmt.Errorf("row %d (counting from 1): %v is not a whole number within ±2⁵³, as ids of this format are; write the list as .csv", k+1, v)
			}
			at, known := number[v]
			if !known {
				at = int32(len(e.IDs))
				number[v] = at
				e.IDs = append(e.IDs, strconv.FormatInt(int64(v), 10))
			}
			*to = at
		}
		if cols == 3 {
			if v := row[2]; !(v >= 0) || math.IsInf(v, 1) {
				return nil, fmt.Errorf("row %d (counting from 1): the weight is %v: give a finite number ≥ 0, or leave the edge out", k+1, v)
			}
			e.Weight[k] = row[2]
		}
	}
	return e, nil
}
