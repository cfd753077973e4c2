package main

import (
	"context"
	"encoding/csv"
	"io"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
)

// namedBy is the number of columns that name a group.
const namedBy = 3

// profile lists what distinguishes the clusters; nil: it is not asked for.
func (c *clustering) profile(ctx context.Context, x mat.Matrix, r *engine.Clustering) (*engine.GroupProfile, error) {
	if c.outProfile == "" {
		return nil, nil
	}
	defer c.clock.Phase("profile")()
	o := engine.ProfileOptions{Threads: c.threads, Memory: int64(c.memory)}
	if _, m := x.Dims(); len(c.table.names) == m {
		o.Names = c.table.names
	}
	p, err := engine.Profile(ctx, x, r.Labels, o)
	if err != nil {
		return nil, err
	}
	for _, text := range p.Warnings {
		c.warn("%s", text)
	}
	return p, nil
}

// groupSummary is what --json says of one group.
type groupSummary struct {
	Group int64  `json:"group"`
	Size  int    `json:"size"`
	Name  string `json:"name"`
}

func summaries(p *engine.GroupProfile) (list []groupSummary) {
	if p == nil {
		return nil
	}
	for _, g := range p.Groups {
		list = append(list, groupSummary{g.Label, g.Size, g.Name(namedBy)})
	}
	return list
}

// sayProfile shows the names of the first groups.
func sayProfile(w io.Writer, p *engine.GroupProfile) {
	const shown = 12
	list := summaries(p)
	for _, g := range list[:min(len(list), shown)] {
		line(w, "group "+strconv.FormatInt(g.Group, 10), "%s: %s", counted(g.Size, "sample"), g.Name)
	}
}

// nameClasses adds to the labels of classes what distinguishes them.
func nameClasses(names []string, p *engine.GroupProfile) {
	by := map[string]string{}
	for _, g := range summaries(p) {
		by[strconv.FormatInt(g.Group, 10)] = g.Name
	}
	for k, label := range names {
		if name := by[label]; name != "" {
			names[k] = label + ": " + name
		}
	}
}

// writeProfile writes a profile as a table of text, a column of a group a line.
func writeProfile(to io.Writer, p *engine.GroupProfile) error {
	w := csv.NewWriter(to)
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	lines := [][]string{{"group", "size", "rank", "column", "score", "difference", "auc", "mean_in", "mean_out", "share_in", "share_out", "p", "adjusted_p"}}
	for _, g := range p.Groups {
		for k, c := range g.Columns {
			lines = append(lines, []string{strconv.FormatInt(g.Label, 10), strconv.Itoa(g.Size), strconv.Itoa(k + 1), c.Name, number(c.Score), number(c.Difference), number(c.AUC),
				number(c.MeanIn), number(c.MeanOut), number(c.ShareIn), number(c.ShareOut), number(c.P), number(c.AdjustedP)})
		}
	}
	return w.WriteAll(lines)
}
