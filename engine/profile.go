package engine

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/contrast"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/internal/suggest"
)

// ProfileScores are the scores by which [Profile] orders columns.
var ProfileScores = []string{"auto", "rank-sum", "difference", "c-tf-idf"}

// ProfileOptions configure [Profile]. The zero value has all defaults.
type ProfileOptions struct {
	// Score orders the columns of a group. rank-sum (auto): the rank sum as a standard normal variable,
	// with the correction for ties (Mann and Whitney 1947); difference: the standardised difference of the means
	// (Cohen's d, by the pooled standard deviation); c-tf-idf: the class-based weight of words, (f_wg / f_g)·log(1 + A / f_w),
	// where f_wg, f_g and f_w are the sums of a column in a group, of a group and of a column, and A is the mean of f_g
	// (Grootendorst 2022); entries must be ≥ 0.
	Score string
	// Direction is higher for columns that are higher in the group than outside only, and both for higher and
	// lower ones. auto: higher for counts (see GroupProfile.Counts) and c-tf-idf, both otherwise.
	Direction string
	// Depth is total to divide the entries of every sample by their sum and multiply them by the median sum, as is usual for
	// counts of genes or words, and none to leave them. auto: total for sparse whole numbers ≥ 0 of which one is above 1,
	// except for c-tf-idf.
	Depth string
	Top   int      // most columns of a group; 0: 10
	Names []string // of the columns; nil: "column 1" …
	// Threads and Memory are as in [Options].
	Threads int
	Memory  int64
}

// GroupProfile is the result of [Profile].
type GroupProfile struct {
	Score     string // rank-sum, difference or c-tf-idf
	Direction string // higher or both
	Depth     string // none or total
	// Counts reports whether no entry is negative and at least half are 0. Shares are then of the samples above 0, otherwise
	// of those above the median of the column.
	Counts  bool
	Samples int // in groups
	Noise   int // samples with the label −1; they are left out, unless there is only one group
	Columns int
	Groups  []ProfiledGroup // by ascending label

	Warnings       []string
	EstimatedBytes int64
}

// ProfiledGroup is one group of a [GroupProfile].
type ProfiledGroup struct {
	Label   int64
	Size    int
	Columns []ProfiledColumn // what distinguishes it most, best first
}

// ProfiledColumn compares a group with all other groups in one column, in the unit of the data (with Depth total, after the
// division).
type ProfiledColumn struct {
	Column            int     // from 0
	Name              string  // as given
	Score             float64 // by which the columns are ordered: above 0 where the group is higher
	Difference        float64 // Cohen's d; at most 2²⁰ where both parts are constant
	AUC               float64 // probability that a sample of the group is above another one, ties counted half
	MeanIn, MeanOut   float64
	ShareIn, ShareOut float64 // of the samples above 0, or above the median of the column
	P                 float64 // of the rank sum, two-sided, by the normal approximation
	AdjustedP         float64 // over the columns of the group, by Benjamini and Hochberg 1995
}

// Name names the group by its first columns; one that is lower than outside has a minus sign. Empty: no column
// distinguishes the group.
func (g ProfiledGroup) Name(columns int) string {
	var names []string
	for _, c := range g.Columns[:min(columns, len(g.Columns))] {
		name := c.Name
		if c.Score < 0 {
			name = "−" + name
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// Profile lists for each group of samples the columns that distinguish it most from the other groups. Samples with the label
// −1 are noise, as [measures.IsNoise] says: they are in no group and not among the others; if there is only one
// group, it is compared with the noise. Sparse samples stay sparse, and their zeros are one tie.
//
// The p-values describe groups that were found without these columns. Groups of a clustering of the same columns differ by
// construction, and their p-values only rank the columns.
//
// It returns an error if the number of labels or names does not fit, if there is only one group, and for entries that are not
// finite. O(nm log n) for dense samples, O(s log n) for s nonzero entries, and O(m log m) for each group.
func Profile(ctx context.Context, x mat.Matrix, labels []int64, o ProfileOptions) (*GroupProfile, error) {
	if ctx == nil {
		return nil, run.ErrNoContext
	}
	if x == nil {
		return nil, samples.ErrAbsent
	}
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	s := state{Run: run.New(ctx, "profile", run.Settings{Threads: run.ThreadsFor(o.Threads), Memory: o.Memory})}
	if s, x, err = s.hold(x); err != nil {
		return nil, err
	}
	n, m := x.Dims()
	switch {
	case n == 0 || m == 0:
		return nil, fmt.Errorf("profile: the data are %d × %d; give at least one row and one column", n, m)
	case len(labels) != n:
		return nil, fmt.Errorf("profile: %d labels of %d samples; give one for each", len(labels), n)
	case o.Names != nil && len(o.Names) != m:
		return nil, fmt.Errorf("profile: %d names of %d columns; give one for each, or none", len(o.Names), m)
	}
	if s, _, err = (read{data: x}).apply(s); err != nil {
		return nil, err
	}
	if row, col, v := s.x.FirstNotFinite(); row >= 0 {
		return nil, fmt.Errorf("profile: row %d, column %d (counting from 1) is %v; remove or fill in non-finite entries", row+1, col+1, v)
	}
	r, groups, err := grouped(labels)
	if err != nil {
		return nil, err
	}
	r.Columns = m
	p := profiling{state: s, o: o, groups: groups, r: r}
	if err := p.settle(); err != nil {
		return nil, err
	}
	if err := p.compare(); err != nil {
		return nil, err
	}
	r.Warnings, r.EstimatedBytes = s.Warnings(), s.PeakBytes()
	return r, nil
}

func (o ProfileOptions) withDefaults() (ProfileOptions, error) {
	for _, choice := range []struct {
		name  string
		value *string
		words []string
	}{{"score", &o.Score, ProfileScores}, {"direction", &o.Direction, []string{"auto", "higher", "both"}}, {"depth", &o.Depth, []string{"auto", "none", "total"}}} {
		if *choice.value == "" {
			*choice.value = "auto"
		}
		if !slices.Contains(choice.words, *choice.value) {
			return o, wording.Errorf("profile: ‹%s› is %q%s; give one of %s", choice.name, *choice.value, suggest.Hint(*choice.value, choice.words), strings.Join(choice.words, ", "))
		}
	}
	if o.Top < 0 {
		return o, wording.Errorf("profile: ‹top› is %d; give a whole number ≥ 1, or 0 for 10", o.Top)
	}
	if o.Top == 0 {
		o.Top = 10
	}
	return o, nil
}

// grouped numbers the groups by ascending label.
func grouped(labels []int64) (*GroupProfile, contrast.Groups, error) {
	r := &GroupProfile{}
	g := contrast.Groups{Of: make([]int32, len(labels))}
	noise := measures.IsNoise(labels)
	distinct := slices.Clone(labels)
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	if len(distinct) < 2 {
		return nil, g, fmt.Errorf("profile: all labels are %d; give at least two groups", labels[0])
	}
	if noise && len(distinct) > 2 {
		distinct = slices.DeleteFunc(distinct, func(l int64) bool { return l == measures.Noise })
	}
	g.Sizes = make([]int, len(distinct))
	for i, l := range labels {
		at, found := slices.BinarySearch(distinct, l)
		if !found {
			at = -1
		} else {
			g.Sizes[at]++
		}
		g.Of[i] = int32(at)
		if noise && l == measures.Noise {
			r.Noise++
		}
	}
	r.Samples = len(labels) - r.Noise
	for at, l := range distinct {
		if noise && l == measures.Noise {
			continue // the noise that the only group is compared with, which comes first
		}
		r.Groups = append(r.Groups, ProfiledGroup{Label: l, Size: g.Sizes[at]})
	}
	return r, g, nil
}

// profiling is a comparison of groups in progress.
type profiling struct {
	state
	o       ProfileOptions
	groups  contrast.Groups
	r       *GroupProfile
	factors []float64 // by which samples are multiplied; nil: 1
}

// settle resolves what is auto.
func (p *profiling) settle() error {
	about := p.entries()
	r := p.r
	r.Counts = about.negative < 0 && 2*about.zeros >= int64(p.x.N())*int64(p.x.M())
	if r.Score = p.o.Score; r.Score == "auto" {
		r.Score = "rank-sum"
	}
	if row := about.negative; row >= 0 && (r.Score == "c-tf-idf" || p.o.Depth == "total") {
		what := "score=c-tf-idf"
		if r.Score != "c-tf-idf" {
			what = "depth=total"
		}
		return wording.Errorf("profile: row %d (counting from 1) has a negative entry, and ‹%s› is for counts; give counts, or use score=rank-sum with depth=none", row+1, what)
	}
	if r.Depth = p.o.Depth; r.Depth == "auto" {
		r.Depth = "none"
		if p.x.Compressed() != nil && about.negative < 0 && about.whole && about.most > 1 && r.Score != "c-tf-idf" {
			r.Depth = "total"
		}
	}
	if r.Direction = p.o.Direction; r.Direction == "auto" {
		r.Direction = "both"
		if r.Counts || r.Score == "c-tf-idf" {
			r.Direction = "higher"
		}
	}
	if r.Depth == "total" {
		p.factors = perTotal(about.totals)
	}
	return nil
}

// perTotal returns the factors that bring positive totals to their median.
func perTotal(totals []float64) []float64 {
	positive := slices.DeleteFunc(slices.Clone(totals), func(t float64) bool { return t <= 0 })
	factors := make([]float64, len(totals))
	if len(positive) == 0 {
		return factors
	}
	slices.Sort(positive)
	median := positive[(len(positive)-1)/2]
	for i, t := range totals {
		if t > 0 {
			factors[i] = median / t
		}
	}
	return factors
}

// entries are what the choices of a profile depend on.
type entries struct {
	negative int // the first row with a negative entry; −1: none
	zeros    int64
	whole    bool
	most     float64
	totals   []float64 // of each row
}

func (p *profiling) entries() entries {
	e := entries{negative: -1, whole: true, totals: make([]float64, p.x.N())}
	for i := range p.x.N() {
		var vals []float64
		if a := p.x.Compressed(); a != nil {
			_, vals = a.Row(i)
			e.zeros += int64(a.Cols - len(vals))
		} else {
			vals = p.x.Row(i)
		}
		for _, v := range vals {
			if v == 0 {
				e.zeros++
			}
			if v < 0 && e.negative < 0 {
				e.negative = i
			}
			e.whole = e.whole && v == math.Floor(v)
			e.most = max(e.most, v)
			e.totals[i] += v
		}
	}
	return e
}

// cellBytes is the memory for one group and column: its contrast, its score, its rank by p, its adjusted p.
const cellBytes = contrast.Bytes + 32

// batchBytes is the memory for the groups that are compared in one pass over the columns.
const batchBytes = 256 << 20

// compare fills in the groups, as many at a time as fit into batchBytes.
func (p *profiling) compare() error {
	n, m, count := p.x.N(), p.x.M(), len(p.groups.Sizes)
	size := max(1, min(count, batchBytes/(cellBytes*m)))
	need := int64(size)*int64(m)*cellBytes + contrast.WorkBytes(p.Threads(), n, count, p.x.Compressed() == nil)
	if a := p.x.Compressed(); a != nil {
		need += a.Bytes() + 8*int64(m)
	}
	if err := p.Fit(need, "the comparison of the groups needs", "take fewer samples or columns, or raise the limit"); err != nil {
		return err
	}
	by := contrast.ColumnsOf(p.x, p.factors)
	words, err := p.words()
	if err != nil {
		return err
	}
	at := contrast.Median
	if p.r.Counts {
		at = contrast.Zero
	}
	cells := make([]contrast.Contrast, size*m)
	first := count - len(p.r.Groups) // 1 if there is one group and noise
	for lo := first; lo < count; lo += size {
		hi := min(lo+size, count)
		if err := contrast.Compare(p.Context(), p.Threads(), by, p.groups, lo, hi, at, cells); err != nil {
			return err
		}
		for g := lo; g < hi; g++ {
			p.take(&p.r.Groups[g-first], g, cells[(g-lo)*m:(g-lo+1)*m], words)
		}
	}
	return p.Err()
}

// words holds the sums of c-TF-IDF.
type words struct {
	ofGroup, ofColumn []float64
	mean              float64 // A, the mean of ofGroup
}

// words sums the entries by groups and by columns; nil: the score does not need them.
func (p *profiling) words() (*words, error) {
	if p.r.Score != "c-tf-idf" {
		return nil, nil
	}
	w := &words{ofGroup: make([]float64, len(p.groups.Sizes)), ofColumn: make([]float64, p.x.M())}
	for i, g := range p.groups.Of {
		if i%4096 == 0 && p.Err() != nil {
			return nil, p.Err()
		}
		if g < 0 {
			continue
		}
		add := func(j int, v float64) {
			if p.factors != nil {
				v *= p.factors[i]
			}
			w.ofGroup[g] += v
			w.ofColumn[j] += v
		}
		if a := p.x.Compressed(); a != nil {
			cols, vals := a.Row(i)
			for q, v := range vals {
				add(int(cols[q]), v)
			}
			continue
		}
		for j, v := range p.x.Row(i) {
			add(j, v)
		}
	}
	for _, sum := range w.ofGroup {
		w.mean += sum / float64(len(w.ofGroup))
	}
	return w, nil
}

// weight returns the c-TF-IDF of a column in a group.
func (w *words) weight(g, j int, sum float64) float64 {
	if sum <= 0 || w.ofGroup[g] <= 0 {
		return 0
	}
	return sum / w.ofGroup[g] * math.Log1p(w.mean/w.ofColumn[j])
}

// take chooses the columns of one group.
func (p *profiling) take(group *ProfiledGroup, g int, cells []contrast.Contrast, w *words) {
	m := len(cells)
	scores := make([]float64, m)
	for j, c := range cells {
		switch p.r.Score {
		case "difference":
			scores[j] = c.Difference
		case "c-tf-idf":
			scores[j] = w.weight(g, j, c.MeanIn*float64(p.groups.Sizes[g]))
		default:
			scores[j] = c.Z
		}
	}
	adjusted := benjaminiHochberg(cells)
	key := func(j int) float64 {
		if p.r.Direction == "both" {
			return math.Abs(scores[j])
		}
		return scores[j]
	}
	var order []int
	for j := range m {
		if key(j) > 0 {
			order = append(order, j)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(key(b), key(a)) })
	for _, j := range order[:min(p.o.Top, len(order))] {
		c := cells[j]
		name := fmt.Sprintf("column %d", j+1)
		if p.o.Names != nil {
			name = p.o.Names[j]
		}
		group.Columns = append(group.Columns, ProfiledColumn{Column: j, Name: name, Score: scores[j], Difference: c.Difference, AUC: c.AUC,
			MeanIn: c.MeanIn, MeanOut: c.MeanOut, ShareIn: c.ShareIn, ShareOut: c.ShareOut, P: c.P, AdjustedP: adjusted[j]})
	}
}

// benjaminiHochberg adjusts the p-values of the columns of a group for their number.
func benjaminiHochberg(cells []contrast.Contrast) []float64 {
	m := len(cells)
	order := make([]int, m)
	for j := range order {
		order[j] = j
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(cells[a].P, cells[b].P), cmp.Compare(a, b))
	})
	adjusted := make([]float64, m)
	least := 1.0
	for rank := m; rank > 0; rank-- {
		j := order[rank-1]
		least = min(least, cells[j].P*float64(m)/float64(rank))
		adjusted[j] = least
	}
	return adjusted
}
