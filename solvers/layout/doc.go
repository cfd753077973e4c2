// Package layout finds coordinates that attraction along the edges of a graph and repulsion between
// all vertices bring about, by stochastic gradients in epochs.
//
// A layout is made in place, from a start that the caller gives. The same start, seed and graph give
// the same bits for any number of threads: vertices are in blocks that depend on their number alone,
// a block belongs to one worker at a time, and random numbers follow from seed, epoch and
// block. UMAP and PaCMAP move places in single precision.
package layout
