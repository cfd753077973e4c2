package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/metrics"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/internal/draw"
	"github.com/orthant-go/orthant/internal/picture"
	"github.com/orthant-go/orthant/internal/visible"
	"github.com/orthant-go/orthant/sparse"
)

// comparedRow is what --json prints of one run, and a line of the table.
type comparedRow struct {
	Method    string            `json:"method"`
	Neighbors int               `json:"neighbors,omitempty"` // 0: the method looks for none, or in its own way
	Clusters  int               `json:"clusters,omitempty"`  // found, of a clustering
	Noise     int               `json:"noise,omitempty"`     // samples in none of them
	Groups    []groupSummary    `json:"groups,omitempty"`    // the clusters, with the columns that distinguish them
	Dim       int               `json:"dim"`
	Status    string            `json:"status"`
	Error     string            `json:"error,omitempty"`
	Verdict   string            `json:"verdict,omitempty"`  // sound, doubtful or not judged
	Sentence  string            `json:"sentence,omitempty"` // what speaks against the embedding, or why it cannot be judged
	Values    map[string]number `json:"values"`             // of the metrics, and neighbors-kept of the verdict
	Seconds   number            `json:"seconds"`            // of the embedding, without the shared search
	Memory    int64             `json:"memory_estimate_bytes"`
	Left      int               `json:"left_out,omitempty"` // samples without coordinates, which the metrics pass over
	Warnings  []string          `json:"warnings"`
	Out       string            `json:"out,omitempty"`

	run *compared
}

// rows collects what came of the jobs.
func (c *comparison) rows() []*comparedRow {
	var rows []*comparedRow
	for _, r := range c.runs {
		row := &comparedRow{Method: r.method, Neighbors: r.k, Values: map[string]number{}, Warnings: []string{}, run: r, Status: jobFailed, Error: "not run"}
		rows = append(rows, row)
		embedded := c.batch.records[r.embed]
		if embedded == nil {
			continue
		}
		row.Status, row.Error, row.Warnings = embedded.Status, strings.TrimPrefix(embedded.Error, "orthant embed: "+r.method+": "), list(embedded.Warnings)
		if !embedded.finished() {
			continue
		}
		if c.out != "" {
			row.Out = r.path(c.out)
		}
		var found struct {
			Dim             int
			Clusters, Noise int
			Profile         []groupSummary
			Seconds         struct{ Total float64 }
			Memory          int64 `json:"memory_estimate_bytes"`
			Quality         struct {
				Verdict  string
				Sentence string
				Kept     *float64 `json:"neighbors_kept"`
			}
		}
		_ = json.Unmarshal(embedded.Result, &found) // written by this program
		row.Dim, row.Seconds, row.Memory, row.Verdict, row.Sentence = found.Dim, number(found.Seconds.Total), found.Memory, found.Quality.Verdict, found.Quality.Sentence
		row.Clusters, row.Noise, row.Groups = found.Clusters, found.Noise, found.Profile
		if kept := found.Quality.Kept; kept != nil {
			row.Values[keptName] = number(*kept)
		}
		measured := c.batch.records[r.measure]
		if measured == nil || !measured.finished() {
			if measured != nil && !(c.groups && len(row.Groups) < 2) { // of one group there is nothing to measure
				row.Error = strings.TrimPrefix(measured.Error, "orthant ")
			}
			continue
		}
		var values struct {
			Values map[string]*float64
			Left   int `json:"left_out"`
		}
		_ = json.Unmarshal(measured.Result, &values)
		row.Left = values.Left
		for name, v := range values.Values {
			if v != nil {
				row.Values[name] = number(*v)
			}
		}
	}
	return rows
}

// comparedColumn is a column of the table.
type comparedColumn struct {
	metric, title string
	least         bool // is best
}

// keptName is the score of the verdict by which the runs can be ranked.
const keptName = "neighbors-kept"

// columns are all of the table: what evaluate measures, with the score of the verdict behind the error against the truth.
func (c *comparison) columns() []comparedColumn {
	list := c.measured()
	at := 0
	if c.groups {
		return list
	}
	if list[0].metric == "dev" {
		at = 1
	}
	return slices.Insert(list, at, comparedColumn{keptName, "kept", false})
}

// columnTitles are what the columns of some metrics are called, the others go by their names.
var columnTitles = map[string]string{
	"trustworthiness": "trustworthy", "continuity": "continuous", "lcmc": "LCMC", "residual-variance": "residual var.", "nn-error": "1-NN error",
	"random-triplet": "triplets", "centroid-triplet": "centroids", "distance-correlation": "distance corr.", "kl-divergence": "KL", "procrustes": "Procrustes",
}

// measured are the columns of metrics, which an evaluate job measures for each run. Pictures show the first one.
func (c *comparison) measured() []comparedColumn {
	names := c.metrics
	if len(names) == 0 && c.groups {
		names = []string{"silhouette", "davies-bouldin", "dbcv"}
		if c.labels != "" {
			names = append([]string{"ari", "ami"}, names...)
		}
	}
	if len(names) == 0 {
		names = []string{"trustworthiness", "continuity", "lcmc", "residual-variance"}
		if c.labels != "" {
			names = append(names, "nn-error")
		}
		if c.truth != "" {
			names = slices.Insert(names, 0, "dev")
		}
	}
	var list []comparedColumn
	for _, name := range names {
		m, _ := metrics.Named(name, nil) // it was found before
		list = append(list, comparedColumn{name, cmp.Or(columnTitles[name], name), m.Least})
	}
	return list
}

// best is the best value of a column, NaN where there is none.
func (k comparedColumn) best(rows []*comparedRow) float64 {
	best := math.NaN()
	for _, row := range rows {
		if v, known := row.Values[k.metric]; known && (math.IsNaN(best) || k.least == (float64(v) < best) && float64(v) != best) {
			best = float64(v)
		}
	}
	return best
}

// writeTable lays the rows out, the best of each column marked.
func (c *comparison) writeTable(rows []*comparedRow) string {
	columns := c.columns()
	var b strings.Builder
	if c.groups {
		fmt.Fprintf(&b, "%-*s%9s%8s", longestName(), "method", "clusters", "noise")
	} else {
		fmt.Fprintf(&b, "%-*s%4s%4s", longestName(), "method", "k", "d")
	}
	for _, k := range columns {
		fmt.Fprintf(&b, "%15s ", k.title)
	}
	fmt.Fprintf(&b, "%10s %10s\n", "time", "memory")
	for _, row := range rows {
		k := "–"
		if row.Neighbors > 0 {
			k = fmt.Sprint(row.Neighbors)
		}
		if c.groups {
			fmt.Fprintf(&b, "%-*s", longestName(), row.Method)
		} else {
			fmt.Fprintf(&b, "%-*s%4s", longestName(), row.Method, k)
		}
		if row.Status == jobFailed {
			fmt.Fprintf(&b, "    failed: %s\n", row.Error)
			continue
		}
		if c.groups {
			fmt.Fprintf(&b, "%9d%8d", row.Clusters, row.Noise)
		} else {
			fmt.Fprintf(&b, "%4d", row.Dim)
		}
		for _, k := range columns {
			text, mark := "–", " "
			if v, known := row.Values[k.metric]; known {
				if text = fmt.Sprintf("%.4f", float64(v)); float64(v) == k.best(rows) {
					mark = "*"
				}
			}
			fmt.Fprintf(&b, "%15s%s", text, mark)
		}
		fmt.Fprintf(&b, "%10s %10s\n", duration(float64(row.Seconds)), limits.FormatBytes(row.Memory))
	}
	for _, row := range rows {
		writeGroups(&b, row)
	}
	return b.String()
}

// writeGroups lists the first groups of a clustering with the columns that distinguish them.
func writeGroups(b *strings.Builder, row *comparedRow) {
	const shown = 20
	if len(row.Groups) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", row.run.name())
	for _, g := range row.Groups[:min(len(row.Groups), shown)] {
		fmt.Fprintf(b, "%5s %8d  %s\n", g.called(), g.Size, visible.Text(g.Name))
	}
	if more := len(row.Groups) - shown; more > 0 {
		fmt.Fprintf(b, "      and %d more\n", more)
	}
}

// comparisonReport is what --json prints of a comparison.
type comparisonReport struct {
	In      string         `json:"in"`
	Labels  string         `json:"labels,omitempty"`
	Rows    []*comparedRow `json:"rows"`
	Skipped int            `json:"skipped"` // jobs that an earlier run had done
	Out     string         `json:"out,omitempty"`
	Plot    string         `json:"plot,omitempty"`
	cost
	machine
}

// conclude prints the table, and fails where a run did.
func (c *comparison) conclude(rows []*comparedRow) error {
	if c.json {
		err := c.printJSON(comparisonReport{c.in, c.labels, rows, len(c.batch.kept), c.out, c.plot, c.spent(), c.machine()})
		if err != nil {
			return err
		}
	} else if err := c.write([]byte(c.writeTable(rows))); err != nil {
		return err
	}
	w := c.say()
	var failed, unconverged int
	for _, row := range rows {
		switch {
		case row.Status == jobFailed || row.Error != "" && row.Status == jobDone:
			failed++
		case row.Status == jobNotConverged:
			unconverged++
		}
	}
	c.remark(w, rows)
	line(w, "jobs", "%d, %d done before", len(c.batch.jobs), len(c.batch.kept))
	writeWritten(w, c.out, c.plot)
	switch {
	case failed > 0:
		return fmt.Errorf("%d of %d failed; the table has the reasons", failed, len(rows))
	case unconverged > 0:
		return &notConverged{Text: fmt.Sprintf("%d of %d did not converge; the best results found are shown", unconverged, len(rows))}
	}
	return nil
}

// remark says what the table does not say of the runs.
func (c *comparison) remark(w io.Writer, rows []*comparedRow) {
	for _, text := range common(rows) {
		c.warn("%s", text)
	}
	for _, row := range rows {
		if row.Left > 0 {
			line(w, "left out", "%s: %s without coordinates (components=largest)", row.run.name(), counted(row.Left, "sample"))
		}
	}
	for _, alike := range alikeDoubts(rows) {
		text := alike[0].run.name() + ": " + alike[0].Sentence
		if len(alike) > 1 {
			var names []string
			for _, row := range alike[1:] {
				names = append(names, row.run.name())
			}
			text += fmt.Sprintf("; the same, with other figures, for %s", strings.Join(names, "; "))
		}
		line(w, alike[0].Verdict, "%s", text)
	}
}

// common are the warnings that every run gave, which are of the data.
func common(rows []*comparedRow) []string {
	var list []string
	for _, text := range rows[0].Warnings {
		if !slices.ContainsFunc(rows, func(r *comparedRow) bool { return r.Sentence == text || !slices.Contains(r.Warnings, text) }) {
			list = append(list, text)
		}
	}
	return list
}

var digits = regexp.MustCompile(`[0-9]+(\.[0-9]+)?`)

// alikeDoubts are the rows with a sentence, in groups in which the words differ in numbers alone.
func alikeDoubts(rows []*comparedRow) [][]*comparedRow {
	var groups [][]*comparedRow
	place := map[string]int{}
	for _, row := range rows {
		if row.Sentence == "" {
			continue
		}
		words := row.Verdict + digits.ReplaceAllString(row.Sentence, "#")
		at, known := place[words]
		if !known {
			at = len(groups)
			place[words] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], row)
	}
	return groups
}

// comparedPlot is the page of all embeddings.
type comparedPlot struct {
	output *files.Output
	folder string // of the embeddings
	colors *draw.Coloring

	x mat.Matrix // the samples, read for a page of HTML; nil: not yet
}

// samples are those of --in, as the jobs read them.
func (p *comparedPlot) samples(c *comparison) (mat.Matrix, error) {
	if p.x != nil {
		return p.x, nil
	}
	quiet := *c.invocation // the jobs report what is left out
	quiet.quiet = true
	x, err := c.table.read(&quiet, c.in, c.labels, func(o files.Options) (mat.Matrix, error) { return files.ReadAny(c.in, o) })
	if err == nil {
		p.x = x
		c.takeShapeForPages(quiet.images)
	}
	return x, err
}

// newPlot reads what colours the samples before the work begins, and creates the file.
func (c *comparison) newPlot(folder string) (*comparedPlot, error) {
	if c.table.id != "" || c.table.missing == "drop" { // which rows are left, and how they are called
		quiet := *c.invocation // the jobs report what is left out
		quiet.quiet = true
		if _, err := c.table.read(&quiet, c.in, c.labels, func(o files.Options) (mat.Matrix, error) { return files.ReadAny(c.in, o) }); err != nil {
			return nil, err
		}
	}
	colors, err := c.coloring()
	if err != nil {
		return nil, err
	}
	o, err := c.createRaw(c.plot)
	return &comparedPlot{output: o, folder: folder, colors: colors}, err
}

// draw puts a row of panels for each method, and a column for each number of neighbours.
func (p *comparedPlot) draw(ctx context.Context, c *comparison, rows []*comparedRow) error {
	colors := p.colors
	page := &picture.Page{Title: filepath.Base(c.in) + "  ·  " + c.measured()[0].metric + " after each name", Columns: c.columnsOfPlot(), Colors: colors}
	images, err := p.images(c)
	if err != nil {
		return err
	}
	if c.groups {
		if err := p.clusterings(ctx, c, rows, page, images); err != nil {
			return err
		}
		rows = nil
	}
	for _, row := range rows {
		panel := &picture.Scatter{Title: row.run.name(), Colors: colors, Equal: engine.PreservesDistances(row.Method) || engine.IsMap(row.Method), Small: len(rows) > fewPanels, Bare: len(rows) <= fewPanels, Images: images, IDs: c.table.ids}
		if row.Status == jobFailed {
			page.Panels = append(page.Panels, &picture.Note{Title: panel.Title, Text: "failed: " + row.Error})
			continue
		}
		o := c.reading()
		o.AllowNonFinite = true // rows of NaN are samples without coordinates
		if panel.Y, err = files.ReadMatrix(row.run.path(p.folder), o); err != nil {
			return err
		}
		if n := panel.Y.RawMatrix().Rows; colors != nil && max(len(colors.Classes), len(colors.Values)) != n {
			return wrong("%s has %d rows for the %d samples of %s; give one for each", c.colorFile(), max(len(colors.Classes), len(colors.Values)), n, c.in)
		}
		if v, known := row.Values[c.measured()[0].metric]; known {
			panel.Title += fmt.Sprintf("  ·  %.3f", float64(v))
		}
		if row.Left > 0 {
			panel.Title += "  ·  " + placedOf(panel.Y)
		}
		page.Panels = append(page.Panels, panel)
		for range page.Columns - 1 {
			if row.Neighbors == 0 && c.grid() {
				page.Panels = append(page.Panels, &picture.Note{})
			}
		}
	}
	if c.onPage() && !c.groups {
		if err := p.trust(ctx, c, rows, page); err != nil {
			return err
		}
	}
	if err := c.drawPage(&c.drawing, page, p.output); err != nil {
		return err
	}
	return c.commit()
}

// clusterings adds a panel for each clustering: the same samples in the same places, in the colours of its groups.
func (p *comparedPlot) clusterings(ctx context.Context, c *comparison, rows []*comparedRow, page *picture.Page, images *picture.Images) error {
	x, err := p.samples(c)
	if err != nil {
		return err
	}
	plane, err := c.samplesOnPlane(ctx, x, c.embedding, c.scale)
	if err != nil {
		return err
	}
	if c.onPage() && p.colors != nil && p.colors.Classes == nil {
		plane.Colorings = []picture.Coloring{{Name: "value", Values: p.colors.Values}}
	}
	page.Colors = nil // each panel has its own
	n, _ := plane.Y.Dims()
	var first *draw.Coloring
	for _, row := range rows {
		panel := *plane
		panel.Title, panel.Small, panel.Bare = row.run.name(), len(rows) > fewPanels, len(rows) <= fewPanels
		panel.Images, panel.IDs = images, c.table.ids
		if row.Status == jobFailed {
			page.Panels = append(page.Panels, &picture.Note{Title: panel.Title, Text: "failed: " + row.Error})
			continue
		}
		labels, err := files.ReadLabels(row.run.path(p.folder), c.reading())
		if err != nil {
			return err
		}
		if len(labels) != n {
			return wrong("%s has %d rows for %d samples; give the embedding of these samples", c.embedding, n, len(labels))
		}
		panel.Colors = picture.ByClasses(labels, nil)
		if first == nil {
			first = panel.Colors
			panel.Groups = p.colors
		} else {
			panel.Colors.StyleLike(first)
		}
		nameClasses(panel.Colors.Names, row.Groups)
		panel.Title += "  ·  " + counted(row.Clusters, "group")
		if v, known := row.Values[c.measured()[0].metric]; known {
			panel.Title += fmt.Sprintf("  ·  %.3f", float64(v))
		}
		page.Panels = append(page.Panels, &panel)
	}
	return nil
}

// fewPanels are drawn with their axes.
const fewPanels = 3

// grid reports whether each method has a row of its own.
func (c *comparison) grid() bool {
	return !c.groups && len(c.counts) > 1 && slices.ContainsFunc(c.runs, func(r *compared) bool { return r.k > 0 })
}

// columnsOfPlot is the number of panels side by side.
func (c *comparison) columnsOfPlot() int {
	if c.grid() {
		return len(c.counts)
	}
	switch n := len(c.runs); n {
	case 4:
		return 2
	case 5, 6:
		return 3
	default:
		return min(n, 4)
	}
}

// coloring is what colours the samples: --color, else the labels.
func (c *comparison) coloring() (*draw.Coloring, error) {
	if c.color != "" {
		return c.readColors(&c.drawing, &c.table, 0, "")
	}
	if c.labels == "" {
		return nil, nil
	}
	labels, names, err := files.ReadClasses(c.labels, c.table.companionOptions(c.invocation, c.labels))
	if err != nil {
		return nil, err
	}
	return picture.ByClasses(keptOf(&c.table, labels), names), nil
}

// colorFile is the file that colours come from.
func (c *comparison) colorFile() string {
	if c.color != "" {
		return c.color
	}
	return c.labels
}

// images are the samples as images, for a page of HTML.
func (p *comparedPlot) images(c *comparison) (*picture.Images, error) {
	if c.image == "" && (!c.onPage() || !files.IsImages(c.in)) {
		return nil, nil
	}
	x, err := p.samples(c)
	if err != nil {
		return nil, err
	}
	return c.imagesOf(x)
}

// trustNeighbors is the number of nearest samples by which all panels are judged, as many as the verdict on a map compares.
const trustNeighbors = 15

// trust gives each panel the numbers of its samples that a map has ([engine.Trust]), all by the same neighbours in the data, and the page the
// nearest of them. What cannot be measured is left out, with a warning.
func (p *comparedPlot) trust(ctx context.Context, c *comparison, rows []*comparedRow, page *picture.Page) error {
	var panels []*picture.Scatter
	for _, panel := range page.Panels {
		if points, are := panel.(*picture.Scatter); are {
			panels = append(panels, points)
		}
	}
	if len(panels) == 0 {
		return nil
	}
	defer c.clock.Phase("trust")()
	g, err := p.nearest(ctx, c)
	if err == nil {
		panels[0].Neighbors = firstNeighbors(g)
		done := slices.DeleteFunc(slices.Clone(rows), func(row *comparedRow) bool { return row.Status == jobFailed })
		for at, panel := range panels {
			if err = p.judge(ctx, c, done[at], panel, g); err != nil {
				break
			}
		}
	}
	if err != nil && ctx.Err() == nil {
		c.warn("%s does not show how far the samples can be trusted: %v", c.plot, err)
		return nil
	}
	return err
}

// nearest finds the nearest samples in the data, as they are scaled.
func (p *comparedPlot) nearest(ctx context.Context, c *comparison) (*neighbors.Graph, error) {
	x, err := p.samples(c)
	if err != nil {
		return nil, err
	}
	n, m := x.Dims()
	quiet := *c.invocation
	quiet.quiet = true
	s := &search{invocation: &quiet, in: c.in, k: min(trustNeighbors, n-1), method: "exact"}
	if s.metric, err = neighbors.MetricNamed(cmp.Or(c.set["metric"], "euclidean")); err != nil {
		return nil, err
	}
	if recall := c.set["recall"]; recall != "" && s.metric.CheckApproximate() == nil {
		if err := engine.SetCommon(&s.options, "recall", recall); err != nil {
			return nil, err
		}
		if r := s.options.Recall; r > 0 && r < 1 {
			s.method, s.exactWithin = "auto", neighbors.ShortSearch
		}
	}
	s.out = "lists with distances"
	switch own := x.(type) {
	case *sparse.CSR:
		if c.scale != "none" {
			return nil, fmt.Errorf("--scale %s of sparse samples is known to the methods alone", c.scale)
		}
		g, _, err := s.find(ctx, own, nil)
		return g, err
	case *mat.Dense:
		if own, err = engine.Standardize(ctx, own, c.scale, engine.Options{Threads: c.threads, Memory: int64(c.memory)}); err != nil {
			return nil, err
		}
		g, _, err := s.find(ctx, neighbors.StoredOf(n, m, own.RawMatrix().Data), nil)
		return g, err
	}
	return nil, fmt.Errorf("the samples are a %T", x)
}

// firstNeighbors are the first of each list, as a page shows them; −1: there are fewer.
func firstNeighbors(g *neighbors.Graph) []int32 {
	const shown = 5
	list := make([]int32, 0, shown*g.Len())
	for i := range g.Len() {
		row := g.Of(i)[:min(shown, len(g.Of(i)))]
		list = append(append(list, row...), []int32{-1, -1, -1, -1, -1}[len(row):]...)
	}
	return list
}

// judge measures the samples of one panel that have coordinates, of up to three.
func (p *comparedPlot) judge(ctx context.Context, c *comparison, row *comparedRow, panel *picture.Scatter, g *neighbors.Graph) error {
	n, d := panel.Y.Dims()
	if n != g.Len() || d > 3 {
		return nil
	}
	var placed []int
	for i := range n {
		if v := panel.Y.RawRowView(i); !slices.ContainsFunc(v, func(u float64) bool { return u-u != 0 }) {
			placed = append(placed, i)
		}
	}
	y := panel.Y
	if len(placed) < n {
		g, y = g.Restrict(placed), mat.NewDense(len(placed), d, nil)
		for at, i := range placed {
			y.SetRow(at, panel.Y.RawRowView(i))
		}
	}
	method, err := engine.NewFor("embed", "umap") // judged as a map, by given neighbours
	if err == nil {
		err = engine.Set(method, "dim", strconv.Itoa(d))
	}
	if err != nil {
		return err
	}
	o := engine.VerifyOptions{Options: engine.Options{Backend: c.backend, Threads: c.threads, Memory: int64(c.memory), Graph: g}}
	found, err := engine.Verify(ctx, nil, y, method, o)
	if err != nil {
		return err
	}
	lists := trustLists(found.Trust)
	if c.reruns(row.Method) {
		saved, err := files.ReadMatrix(filepath.Join(p.folder, row.run.trust()), files.Options{AllowNonFinite: true})
		if err != nil {
			return err
		}
		unstable := make([]float32, len(placed))
		for at, i := range placed {
			unstable[at] = float32(saved.At(i, slices.Index(trustNames, "unstable")))
		}
		lists[slices.Index(trustNames, "unstable")] = unstable
	}
	for k, list := range lists {
		if list == nil {
			continue
		}
		values := slices.Repeat([]float64{math.NaN()}, n)
		for at, i := range placed {
			values[i] = float64(list[at])
		}
		panel.Colorings = append(panel.Colorings, picture.Coloring{Name: trustNames[k], Values: values})
	}
	return nil
}
