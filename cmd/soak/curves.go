package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/orthant-go/orthant/internal/picture"
)

// writeCurves writes the samples of both parts as a table and as a page of curves.
func writeCurves(folder string, calm, killed []sample) error {
	var table strings.Builder
	table.WriteString("part,seconds,process,resident_bytes,descriptors,goroutines,journal_lines\n")
	page := picture.Page{Title: "orthant batch: undisturbed, and killed every few seconds", Columns: 2}
	parts := []struct {
		name string
		list []sample
	}{{"undisturbed", calm}, {"kills", killed}}
	for _, p := range parts {
		for _, s := range p.list {
			fmt.Fprintf(&table, "%s,%.2f,%d,%.0f,%.0f,%.0f,%.0f\n", p.name, s.seconds, s.process, s.resident, s.descriptors, s.goroutines, s.done)
		}
	}
	for _, what := range []struct {
		name string
		of   func(sample) float64
	}{
		{"resident, MiB", func(s sample) float64 { return s.resident / (1 << 20) }},
		{"descriptors", func(s sample) float64 { return s.descriptors }},
		{"goroutines", func(s sample) float64 { return s.goroutines }},
		{"jobs in the journal", func(s sample) float64 { return s.done }},
	} {
		for _, p := range parts {
			c := &picture.Curve{Title: p.name, XLabel: "seconds", YLabel: what.name}
			for _, s := range p.list {
				c.X, c.Y = append(c.X, s.seconds), append(c.Y, what.of(s))
			}
			if len(c.Y) > 0 {
				page.Panels = append(page.Panels, c)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "soak.csv"), []byte(table.String()), 0o666); err != nil {
		return err
	}
	if len(page.Panels) == 0 {
		return nil
	}
	var picture strings.Builder
	if err := page.Write(&picture, "png"); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "soak.png"), []byte(picture.String()), 0o666)
}
