package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/disk"
	"github.com/orthant-go/orthant/internal/picture"
)

// factorComparison are the factorisations of one "orthant compare --rank".
type factorComparison struct {
	*comparison
	working
	list []*comparedFactors
}

// comparedFactors is one of them, what --json prints of it, and a line of the table.
type comparedFactors struct {
	Method       string            `json:"method"`
	Set          map[string]string `json:"set,omitempty"` // its own settings
	Rank         int               `json:"rank"`
	Status       string            `json:"status"`
	Error        string            `json:"error,omitempty"`
	HeldOut      number            `json:"held_out_error"`                // ‖X − WH‖/‖X‖ over the entries that it did not see
	HeldOutSE    number            `json:"held_out_error_standard_error"` // of the difference from the best row
	Divergence   number            `json:"held_out_divergence"`           // of such an entry, whatever the loss
	DivergenceSE number            `json:"held_out_divergence_standard_error"`
	Relative     number            `json:"relative_error"` // of all entries
	Objective    number            `json:"objective"`      // its own
	Sparseness   number            `json:"sparseness"`     // mean of the components
	Match        number            `json:"match"`          // mean cosine with the components of the best row
	Iterations   int               `json:"iterations"`
	Converged    bool              `json:"converged"`
	Verdict      engine.Judgement  `json:"verdict,omitempty"`
	Seconds      number            `json:"seconds"` // of the factorisation of all entries
	OutW         string            `json:"out_w,omitempty"`
	OutH         string            `json:"out_h,omitempty"`

	method engine.Method
	h      *mat.Dense
}

// factorComparisonReport is what --json prints of all.
type factorComparisonReport struct {
	In      string             `json:"in"`
	Rows    []*comparedFactors `json:"rows"`
	Best    int                `json:"best"` // the row of the least held-out error, counting from 0
	HeldOut float64            `json:"held_out"`
	Masks   int                `json:"masks"`
	Seed    uint64             `json:"seed"`
	Out     string             `json:"out,omitempty"`
	Plot    string             `json:"plot,omitempty"`
	cost
	machine
}

// addFactorFlags adds what only factorisations are compared by.
func (c *comparison) addFactorFlags(f *pflag.FlagSet) {
	f.VarP(&c.ranks, "rank", "r", "compare factorisations: their numbers of components, A:B for all from A to B, or A,B,C")
	f.Float64Var(&c.heldOut, "held-out", 0.1, "of factorisations: the `SHARE` of the entries that they do not see and predict")
	f.IntVar(&c.masks, "masks", 3, "of factorisations: `N` choices of these entries, the same for all")
}

// name is what messages, pictures and files call it.
func (f *comparedFactors) name() string {
	name := f.Method
	for _, key := range slices.Sorted(maps.Keys(f.Set)) {
		name += ":" + key + "=" + f.Set[key]
	}
	return name
}

// runFactors compares factorisations.
func (c *comparison) runFactors(ctx context.Context, flags *pflag.FlagSet) error {
	f := &factorComparison{comparison: c}
	if err := f.check(flags); err != nil {
		return err
	}
	plot, err := c.createRaw(c.plot)
	if err != nil {
		return err
	}
	x, err := c.table.read(c.invocation, c.in, "", func(o files.Options) (mat.Matrix, error) { return files.ReadAny(c.in, o) })
	if err != nil {
		return err
	}
	found, err := f.factorize(ctx, x)
	if err != nil {
		return err
	}
	if plot != nil {
		if err := f.draw(found, plot); err != nil {
			return err
		}
	}
	if err := c.commit(); err != nil {
		return err
	}
	return f.conclude(found)
}

// check refuses what cannot work, before anything is read, and lists the factorisations.
func (f *factorComparison) check(flags *pflag.FlagSet) error {
	c := f.comparison
	for _, name := range []string{"neighbors", "clusters", "dim", "labels", "truth", "embedding", "color", "metrics", "names", "resume", "workers"} {
		if flags.Changed(name) {
			return wrong("--%s does nothing to factorisations (--rank); leave it out", name)
		}
	}
	switch {
	case c.in == "" || c.in == "-":
		return wrong("--in is missing: the file with the samples")
	case c.ranks.auto:
		return wrong("--rank is auto, which orthant factorize finds for one method; give numbers, such as 5:15")
	case c.ranks.least() < 1:
		return wrong("--rank is %s; give whole numbers ≥ 1", c.ranks.String())
	case len(c.methods) == 0:
		return wrong("--methods is missing: the names of methods with commas between them, such as nmf,nmf-kl,nmf:init=nndsvda")
	case !(c.heldOut > 0 && c.heldOut < 1):
		return wrongShare(c.heldOut)
	case c.masks < 1:
		return wrong("--masks is %d; give a whole number ≥ 1", c.masks)
	}
	if err := c.checkDrawing(&c.drawing, flags); err != nil {
		return err
	}
	if err := c.table.checkMissing("compare"); err != nil {
		return err
	}
	unused := map[string]bool{}
	for key := range c.set {
		unused[key] = true
	}
	named := map[string]bool{}
	for _, text := range c.methods {
		text = strings.TrimSpace(text)
		if named[text] {
			return wrong("--methods names %s twice; give it once", text)
		}
		named[text] = true
		if err := f.add(text, unused); err != nil {
			return err
		}
	}
	for key := range unused {
		return wrong("none of %s has a parameter %q; \"orthant methods NAME\" lists them", strings.Join(c.methods, ", "), key)
	}
	return nil
}

// add lists the factorisations of one word of --methods, NAME or NAME:key=value:key=value, for each rank.
func (f *factorComparison) add(text string, unused map[string]bool) error {
	name, rest, _ := strings.Cut(text, ":")
	own := map[string]string{}
	for rest != "" {
		var one string
		one, rest, _ = strings.Cut(rest, ":")
		key, value, is := strings.Cut(one, "=")
		switch _, twice := f.set[key]; {
		case !is || key == "":
			return wrong("--methods has %q; give NAME:key=value, such as nmf:init=nndsvda", text)
		case twice:
			return wrong("--methods %s and --set %s=%s contradict each other; give one of them", text, key, f.set[key])
		case key == "shift" || key == "standardize":
			return wrong("--methods has %q, and %s changes the data that all are to predict; give it to all of them (--set shift=…, --scale)", text, key)
		}
		own[key] = value
	}
	for _, rank := range f.ranks.ranks {
		method, err := engine.NewFor("factorize", name)
		if err != nil {
			return &inputError{Err: err}
		}
		e, err := engine.MethodNamed(name)
		if err != nil {
			return &inputError{Err: err}
		}
		given := settings{}
		for key, value := range f.set {
			if slices.ContainsFunc(e.Parameters, func(p engine.Parameter) bool { return p.Key == key }) {
				given[key] = value
				delete(unused, key)
			}
		}
		for key, value := range own {
			given[key] = value
		}
		var shared engine.Options
		if err := setParameters(f.invocation, "factorize", method, given, &shared, engine.FactorizeParameters()); err != nil {
			return err
		}
		f.list = append(f.list, &comparedFactors{Method: e.Name, Set: own, Rank: rank, Status: jobFailed, method: method})
	}
	return nil
}

// factorize makes them all.
func (f *factorComparison) factorize(ctx context.Context, x mat.Matrix) (*engine.FactorComparison, error) {
	c := f.comparison
	progress := c.progressOf()
	defer progress.end()
	o := engine.CompareFactorsOptions{Options: c.running(engine.Options{Standardize: c.scale}, &f.working, progress), HeldOut: c.heldOut, Masks: c.masks}
	var candidates []engine.FactorCandidate
	for _, one := range f.list {
		candidates = append(candidates, engine.FactorCandidate{Method: one.method, Rank: one.Rank})
	}
	if c.out != "" {
		if err := disk.MakeFolders(c.out); err != nil {
			return nil, wrong("--out: %w", err)
		}
	}
	var own error // of writing, which is no fault of the input
	o.Each = func(at int, r *engine.Factorization) error {
		if c.out != "" {
			own = f.keep(f.list[at], r)
		}
		return own
	}
	found, err := engine.CompareFactorizations(ctx, x, candidates, o)
	switch {
	case own != nil:
		return nil, own
	case err != nil:
		return nil, fromWork(err)
	}
	c.worked(progress, found.Warnings)
	for at, row := range found.Rows {
		f.list[at].take(row)
	}
	return found, nil
}

// keep writes the factors of one into --out.
func (f *factorComparison) keep(one *comparedFactors, r *engine.Factorization) error {
	stem := filepath.Join(f.out, fmt.Sprintf("%s-r%d", strings.NewReplacer(":", "-", "/", "-", "\\", "-").Replace(one.name()), one.Rank))
	w, err := f.create(stem + ".w.npy")
	if err != nil {
		return err
	}
	h, err := f.create(stem + ".h.npy")
	if err != nil {
		return err
	}
	if err := f.writeMatrix(w, r.W); err != nil {
		return err
	}
	one.OutW, one.OutH = stem+".w.npy", stem+".h.npy"
	return f.writeMatrix(h, r.H)
}

// take reports a row.
func (f *comparedFactors) take(row engine.ComparedFactors) {
	none := number(math.NaN())
	f.HeldOut, f.HeldOutSE, f.Divergence, f.DivergenceSE, f.Relative, f.Objective, f.Sparseness, f.Match, f.Seconds = none, none, none, none, none, none, none, none, none
	if row.Err != nil {
		f.Error = strings.TrimPrefix(row.Err.Error(), f.Method+": ")
		return
	}
	r := row.Found
	f.HeldOut, f.HeldOutSE = number(row.HeldOutError), number(row.HeldOutErrorSE)
	f.Divergence, f.DivergenceSE = number(row.HeldOutDivergence), number(row.HeldOutDivergenceSE)
	f.Relative, f.Objective, f.Sparseness, f.Match = number(r.RelativeError), number(r.Trace[len(r.Trace)-1].Objective), number(row.Sparseness), number(row.Match)
	f.Iterations, f.Converged, f.Verdict, f.Seconds = r.Iterations, r.Converged, r.Quality.Verdict, number(r.Seconds["total"])
	f.Status, f.h = jobDone, r.H
}

// writeTable lays the rows out, the best of each column marked.
func (f *factorComparison) writeTable() string {
	width := len("method")
	for _, one := range f.list {
		width = max(width, len(one.name()))
	}
	columns := []struct {
		title string
		of    func(*comparedFactors) (value, standard number)
		least bool
	}{
		{"held-out error", func(r *comparedFactors) (number, number) { return r.HeldOut, r.HeldOutSE }, true},
		{"held-out KL", func(r *comparedFactors) (number, number) { return r.Divergence, r.DivergenceSE }, true},
	}
	best := make([]float64, len(columns))
	for k, column := range columns {
		best[k] = math.Inf(1)
		for _, one := range f.list {
			if v, _ := column.of(one); one.Status == jobDone {
				best[k] = min(best[k], float64(v))
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-*s%5s", width+2, "method", "r")
	for _, column := range columns {
		fmt.Fprintf(&b, "%22s ", column.title)
	}
	fmt.Fprintf(&b, "%10s%12s%8s%8s%11s\n", "error", "objective", "sparse", "match", "time")
	for _, one := range f.list {
		fmt.Fprintf(&b, "%-*s%5d", width+2, one.name(), one.Rank)
		if one.Status != jobDone {
			fmt.Fprintf(&b, "    failed: %s\n", one.Error)
			continue
		}
		for k, column := range columns {
			v, standard := column.of(one)
			text, mark := fmt.Sprintf("%.5g", float64(v)), " "
			if standard > 0 {
				text += fmt.Sprintf(" ± %.1g", float64(standard))
			}
			if float64(v) == best[k] {
				mark = "*"
			}
			fmt.Fprintf(&b, "%22s%s", text, mark)
		}
		fmt.Fprintf(&b, "%10.5f%12.5g%8.3f%8.3f%11s\n", float64(one.Relative), float64(one.Objective), float64(one.Sparseness), float64(one.Match), duration(float64(one.Seconds)))
	}
	return b.String()
}

// conclude prints the table, and fails where a factorisation did.
func (f *factorComparison) conclude(found *engine.FactorComparison) error {
	c := f.comparison
	if c.json {
		report := factorComparisonReport{c.in, f.list, found.Best, found.HeldOut, found.Masks, c.seed, c.out, c.plot, c.spent(), c.machine()}
		if err := c.printJSON(report); err != nil {
			return err
		}
	} else if err := c.write([]byte(f.writeTable())); err != nil {
		return err
	}
	w := c.say()
	line(w, "best", "%s, rank %d: the least error of the %.3g %% of the entries that are held out, %s of them", f.list[found.Best].name(), f.list[found.Best].Rank, 100*found.HeldOut, counted(found.Masks, "choice"))
	writeWritten(w, c.out, c.plot)
	failed := 0
	for _, one := range f.list {
		if one.Status != jobDone {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d failed; the table has the reasons", failed, len(f.list))
	}
	return nil
}

// draw shows the held-out error of each method over the ranks, and the components of the best one.
func (f *factorComparison) draw(found *engine.FactorComparison, to *files.Output) error {
	best := f.list[found.Best]
	page := &picture.Page{Title: fmt.Sprintf("%s  ·  best: %s, rank %d", filepath.Base(f.in), best.name(), best.Rank), Columns: 3}
	for at := 0; at < len(f.list); at += len(f.ranks.ranks) {
		curve := &picture.Curve{Title: f.list[at].name(), XLabel: "rank", YLabel: "error of held-out entries", Dots: true, Width: profileWidth, Height: profileHeight}
		for _, one := range f.list[at : at+len(f.ranks.ranks)] {
			if one.Status == jobDone {
				curve.X, curve.Y, curve.Bars = append(curve.X, float64(one.Rank)), append(curve.Y, float64(one.HeldOut)), append(curve.Bars, float64(one.HeldOutSE))
			}
		}
		if len(curve.X) > 1 {
			page.Panels = append(page.Panels, curve)
		}
	}
	f.takeShape(f.images)
	if f.image != "" {
		images, err := f.imagesOf(best.h)
		if err != nil {
			return err
		}
		page.Panels = append(page.Panels, &picture.Montage{Images: images})
		return f.drawPage(&f.drawing, page, to)
	}
	_, m := best.h.Dims()
	features := make([]float64, m)
	for j := range features {
		features[j] = float64(j + 1)
	}
	for k := range min(best.Rank, maxProfiles) {
		page.Panels = append(page.Panels, &picture.Curve{Title: "component " + strconv.Itoa(k+1), XLabel: "feature", YLabel: "H", X: features, Y: best.h.RawRowView(k), Width: profileWidth, Height: profileHeight})
	}
	page.Columns = min(3, len(page.Panels))
	return f.drawPage(&f.drawing, page, to)
}
