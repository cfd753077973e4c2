package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/internal/draw"
	"github.com/orthant-go/orthant/internal/picture"
)

// request is what the page asks for.
type request struct {
	File      string `json:"file"`
	Method    string `json:"method"`    // pca, umap, tsne, pacmap or isomap
	Scale     string `json:"scale"`     // a value of standardize
	Neighbors int    `json:"neighbors"` // of each sample: of the method, and of the list
	Groups    string `json:"groups"`    // empty, a method of cluster, or column: and the name of a column of words
	Clusters  int    `json:"clusters"`  // of kmeans
	Drop      string `json:"drop"`      // names of columns that are left out
}

// answer is what comes back.
type answer struct {
	Page        string   `json:"page"`        // the interactive map, a page of HTML
	Coordinates string   `json:"coordinates"` // CSV
	Near        string   `json:"near"`        // CSV: the numbers of the nearest samples, from 1
	Said        []string `json:"said"`
	Warnings    []string `json:"warnings"`
	Bits        string   `json:"bits"` // a hash of the coordinates, to compare with other systems
}

// inPage words the settings in messages as the page calls them.
func inPage(key, value string) string {
	name := map[string]string{"neighbors": "“Neighbours of each sample”", "clusters": "“Groups”", "standardize": "“Scale of the columns”"}[key]
	if name == "" {
		name = key
	}
	if value == "" {
		return name
	}
	return name + " " + value
}

// worded is an error in the words of the page.
func worded(err error) string { return wording.Error(err, inPage) }

// table is what a file holds: numbers, and the names of its columns of words.
type table struct {
	Samples int      `json:"samples"`
	Columns int      `json:"columns"`
	Words   []string `json:"words"` // columns of words that repeat, which can colour the map

	x *mat.Dense
}

// read reads the numbers of a table, without its columns of words and those that are to be left out.
func read(path, drop string) (*table, error) {
	var dropped []string
	if drop = strings.TrimSpace(drop); drop != "" {
		var err error
		if dropped, err = files.ParseColumns(drop); err != nil {
			return nil, err
		}
	}
	t := &table{}
	texts, err := files.TextColumns(path, files.Options{})
	if err != nil {
		return nil, err
	}
	for _, c := range texts {
		name := c.Name
		if name == "" {
			name = strconv.Itoa(c.Number)
		}
		if !slices.Contains(dropped, name) {
			dropped = append(dropped, name)
		}
		if !c.Unique {
			t.Words = append(t.Words, name)
		}
	}
	if t.x, err = files.ReadMatrix(path, files.Options{Drop: dropped}); err != nil {
		return nil, err
	}
	t.Samples, t.Columns = t.x.Dims()
	return t, nil
}

// analyse embeds the rows of a table, finds their groups and neighbours, and draws the map.
func analyse(ctx context.Context, r request, progress func(engine.Progress)) (*answer, error) {
	ctx = wording.In(ctx, inPage)
	t, err := read(r.File, r.Drop)
	if err != nil {
		return nil, err
	}
	method, err := engine.New(r.Method)
	if err != nil {
		return nil, err
	}
	if r.Neighbors > 0 && hasNeighbors(method) {
		if err := engine.Set(method, "neighbors", strconv.Itoa(r.Neighbors)); err != nil {
			return nil, err
		}
	}
	o := engine.Options{Standardize: r.Scale, Progress: progress}
	result, err := engine.Embed(ctx, t.x, method, o)
	if err != nil {
		return nil, err
	}
	a := &answer{Warnings: result.Warnings, Bits: bitsOf(result.Y)}
	a.Said = append(a.Said, fmt.Sprintf("%d samples, %d columns, %s", t.Samples, t.Columns, result.Method))
	groups, err := r.groups(ctx, t, o, a)
	if err != nil {
		return nil, err
	}
	near, err := r.near(ctx, t, a)
	if err != nil {
		return nil, err
	}
	scatter := &picture.Scatter{Y: result.Y, Equal: true, Colors: groups, Neighbors: near}
	if r.Method == "pca" {
		scatter.Axes = "PC"
	}
	page := &picture.Page{Title: result.Method, Panels: []picture.Panel{scatter}}
	var text bytes.Buffer
	if err := page.WriteHTML(&text); err != nil {
		return nil, err
	}
	a.Page = text.String()
	a.Coordinates, err = coordinates(result.Y, groups)
	return a, err
}

// hasNeighbors reports whether a method has a number of neighbours.
func hasNeighbors(m engine.Method) bool {
	_, has := engine.Values(m)["neighbors"]
	return has
}

// groups are the classes that colour the map: those of a column, or clusters. nil: none are wanted.
func (r request) groups(ctx context.Context, t *table, o engine.Options, a *answer) (*draw.Coloring, error) {
	if r.Groups == "" {
		return nil, nil
	}
	if column, is := strings.CutPrefix(r.Groups, "column:"); is {
		labels, names, err := files.ReadClasses(r.File, files.Options{Columns: []string{column}})
		if err != nil {
			return nil, err
		}
		return picture.ByClasses(labels, names), nil
	}
	method, err := engine.New(r.Groups)
	if err != nil {
		return nil, err
	}
	c := engine.ClusterOptions{Options: o}
	if !engine.FindsClusters(method) {
		c.Clusters = r.Clusters
	}
	found, err := engine.Cluster(ctx, t.x, method, c)
	if err != nil {
		return nil, err
	}
	a.Warnings = append(a.Warnings, found.Warnings...)
	said := fmt.Sprintf("%s: %d groups", found.Method, len(found.Sizes))
	if found.Noise > 0 {
		said += fmt.Sprintf(", %d samples in none", found.Noise)
	}
	a.Said = append(a.Said, said)
	return picture.ByClasses(found.Labels, nil), nil
}

// near lists the nearest samples of each, by the columns as they are scaled.
func (r request) near(ctx context.Context, t *table, a *answer) ([]int32, error) {
	k := min(r.Neighbors, t.Samples-1)
	if k < 1 {
		return nil, nil
	}
	graph, err := neighbors.Nearest(ctx, neighbors.Points{N: t.Samples, M: t.Columns, Data: t.x.RawMatrix().Data}, k, neighbors.Euclidean, neighbors.Options{})
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for i := range graph.Len() {
		for j, other := range graph.Of(i) {
			if j > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strconv.Itoa(int(other) + 1))
		}
		b.WriteByte('\n')
	}
	a.Near = b.String()
	return graph.Index, nil
}

// coordinates writes the map as a table.
func coordinates(y *mat.Dense, groups *draw.Coloring) (string, error) {
	var b strings.Builder
	w := csv.NewWriter(&b)
	n, d := y.Dims()
	var head []string
	for j := range d {
		head = append(head, fmt.Sprintf("x%d", j+1))
	}
	classed := groups != nil && groups.Classes != nil
	if classed {
		head = append(head, "group")
	}
	_ = w.Write(head) // a builder takes all
	for i := range n {
		var row []string
		for _, v := range y.RawRowView(i) {
			row = append(row, strconv.FormatFloat(v, 'g', -1, 64))
		}
		if classed {
			row = append(row, groups.Names[groups.Classes[i]])
		}
		_ = w.Write(row)
	}
	w.Flush()
	return b.String(), w.Error()
}

// bitsOf is a hash of the bits of a matrix.
func bitsOf(y *mat.Dense) string {
	h := fnv.New64a()
	for _, v := range y.RawMatrix().Data {
		u := math.Float64bits(v)
		_, _ = h.Write([]byte{byte(u), byte(u >> 8), byte(u >> 16), byte(u >> 24), byte(u >> 32), byte(u >> 40), byte(u >> 48), byte(u >> 56)})
	}
	return fmt.Sprintf("%016x", h.Sum64())
}
