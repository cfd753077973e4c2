package layout

// UMAPBytes estimates the memory that [UMAP] takes for n vertices in dim columns and a graph with a
// number of edges, each counted once, without the graph and the start. Edges of less than one epoch take none.
func UMAPBytes(n, dim, edges int, density bool) int64 {
	const (
		perEdge   = 16 + 8          // timedEdge and ends
		perVertex = 3*4 + 16 + 2*24 // the numbers of blocks, and what sorts the vertices
		perForce  = 8 * forceLines
	)
	bytes := int64(n)*int64(perVertex+2*4*dim) + int64(edges)*perEdge + 2*perForce
	if density {
		bytes += int64(n)*(8+16+8+8) + int64(edges)*4 + perForce
	}
	return bytes
}

// PaCMAPBytes estimates the memory that [PaCMAP] takes for n vertices in dim columns and a number of
// pairs, without the pairs and the start; local: with [Local].
func PaCMAPBytes(n, dim, pairs int, local bool) int64 {
	const perVertex = 3*8 + 2*4 + 16 + 2*24 // the pointers of three kinds, numbers, and what sorts the vertices
	bytes := int64(n)*int64(perVertex+(4+4+8)*dim) + int64(pairs)*8
	if local {
		bytes += int64(n)*2*2*8 + int64(pairs)*4
	}
	return bytes
}

// TSNEBytes estimates the memory that [TSNE] takes for n vertices in dim columns and a matrix of
// probabilities with a number of entries, without the matrix and the start. The grid of a map is estimated
// with four nodes a vertex; the map decides how many there are.
func TSNEBytes(n, dim, entries int) int64 {
	const (
		perEntry = 8                      // link
		perNode  = 2 * 8                  // the charges and their transform
		cells    = 170                    // cells as they grow, groups and lists
		numbers  = 2*4 + 2*16 + 8 + 4 + 4 // orders, codes, pointers
	)
	axes := max(dim, 2)
	if axes == 2 {
		return int64(n)*int64(6*8*axes+numbers+4*perNode+cells) + int64(entries)*perEntry
	}
	return int64(n)*int64(6*8*axes+numbers+cells) + int64(entries)*perEntry
}
