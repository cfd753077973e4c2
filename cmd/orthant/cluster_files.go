package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/disk"
)

// clusterOutputs are the files of a clustering but for the embeddings; nil: not asked for.
type clusterOutputs struct{ labels, centers, affinities, model, plot *files.Output }

// createOutputs begins them before the work.
func (c *clustering) createOutputs() (o clusterOutputs, err error) {
	if o.labels, err = c.create(c.out); err != nil {
		return o, err
	}
	if o.centers, err = c.create(c.outCenters); err != nil {
		return o, err
	}
	if o.affinities, err = c.create(c.outAffinities); err != nil {
		return o, err
	}
	if c.plot != "" {
		if o.plot, err = c.createRaw(c.plot); err != nil {
			return o, err
		}
	}
	if c.model != "" {
		o.model, err = c.createRaw(c.model)
	}
	return o, err
}

// write writes them.
func (o clusterOutputs) write(r *engine.Clustering, opt files.Options) error {
	if o.labels != nil {
		if err := o.labels.WriteLabels(r.Labels); err != nil {
			return err
		}
	}
	if o.centers != nil {
		if err := o.centers.WriteMatrix(r.Centers, opt); err != nil {
			return err
		}
	}
	if o.affinities != nil {
		if err := o.affinities.WriteMatrix(r.Affinities, opt); err != nil {
			return err
		}
	}
	if o.model != nil {
		return saveModel(r, o.model)
	}
	return nil
}

// folder is where the embeddings of clusters go.
type folder struct {
	path  string
	made  bool // by this run
	index *files.Output
}

// openFolder makes the folder of the embeddings and begins its index; nil where
// none is asked for.
func (c *clustering) openFolder() (*folder, error) {
	if c.outEmbeddings == "" {
		return nil, nil
	}
	f := &folder{path: c.outEmbeddings}
	switch about, err := disk.Files().Stat(f.path); {
	case err == nil && !about.IsDir():
		return nil, wrong("--out-embeddings %s is not a folder; give one, or a path that does not exist yet", f.path)
	case errors.Is(err, os.ErrNotExist):
		if err := disk.MakeFolders(f.path); err != nil {
			return nil, wrong("--out-embeddings: %w", err)
		}
		f.made = true
	case err != nil:
		return nil, wrong("--out-embeddings: %w", err)
	}
	var err error
	if f.index, err = c.createRaw(filepath.Join(f.path, "index.json")); err != nil {
		f.abandon()
		return nil, err
	}
	return f, nil
}

// abandon removes what a failed run has made, if nothing is in it.
func (f *folder) abandon() {
	if f == nil || !f.made {
		return
	}
	if f.index != nil {
		f.index.Discard()
	}
	_ = disk.Files().Remove(f.path)
}

// part is what the index and the report say of one cluster.
type part struct {
	Cluster   int    `json:"cluster"`
	Size      int    `json:"size"`
	Dimension int    `json:"dimension"`     // estimated by the support rule; 0: not estimated
	Gap       int    `json:"gap_dimension"` // and by the gap rule
	Dim       int    `json:"dim"`           // columns of the embedding; 0: there is none
	File      string `json:"file"`          // of the embedding, in the folder
	Rows      []int  `json:"rows,omitempty"`
}

// writeOutputs writes everything before it commits anything.
func (c *clustering) writeOutputs(ctx context.Context, x mat.Matrix, r *engine.Clustering, outs clusterOutputs, f *folder) ([]part, error) {
	defer c.clock.Phase("write")()
	c.table.title(c.invocation, outs.labels, []string{"cluster"}, c.table.ids)
	if r.Centers != nil && len(c.table.names) == r.Centers.RawMatrix().Cols {
		c.table.title(c.invocation, outs.centers, c.table.names, nil)
	}
	if err := outs.write(r, c.writing()); err != nil {
		return nil, err
	}
	if outs.plot != nil {
		if err := c.draw(ctx, x, r, outs.plot); err != nil {
			return nil, err
		}
	}
	var parts []part
	for n, p := range r.Parts {
		about := part{Cluster: n, Size: len(p.Rows), Dimension: p.Dimension, Gap: p.Gap, Rows: list(c.table.rows(p.Rows))}
		if p.Y != nil {
			_, about.Dim = p.Y.Dims()
			about.File = fmt.Sprintf("cluster-%03d.npy", n)
			o, err := c.create(filepath.Join(f.path, about.File))
			if err != nil {
				return nil, err
			}
			if err := o.WriteMatrix(p.Y, c.writing()); err != nil {
				return nil, err
			}
		}
		parts = append(parts, about)
	}
	if f != nil {
		text, err := json.MarshalIndent(map[string]any{"method": r.Method, "samples": r.Samples, "clusters": parts}, "", " ")
		if err != nil {
			return nil, err
		}
		if _, err := f.index.Write(append(text, '\n')); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return parts, c.commit()
}
