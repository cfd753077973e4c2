package sparse

// clusterRows is the number of rows that a cluster begins with, at most; rows that are left
// over may make it twice as many.
const clusterRows = 16

// aggregate puts the rows of a symmetric pattern together in clusters of neighbours, and
// returns the graph of the clusters and the cluster of each row. A vertex weighs as many
// rows as it has, an edge as many entries. Rows are taken in their order, each with its
// neighbours that are in no cluster yet; one that finds few of them joins the cluster in
// which it has most neighbours. O(nnz).
func aggregate(a *CSR) (*graph, []int32) {
	n := a.Rows
	of := make([]int32, n)
	for i := range of {
		of[i] = none
	}
	var size []int32
	votes := make([]int32, n)
	for i := range int32(n) {
		if of[i] != none {
			continue
		}
		cols := a.Col[a.Ptr[i]:a.Ptr[i+1]]
		free, best := 0, none
		for _, j := range cols {
			c := of[j]
			if c == none {
				free++
				continue
			}
			votes[c]++
			if size[c] < 2*clusterRows && (best == none || votes[c] > votes[best]) {
				best = c
			}
		}
		for _, j := range cols {
			if c := of[j]; c != none {
				votes[c] = 0
			}
		}
		if free <= clusterRows/4 && best != none {
			of[i] = best
			size[best]++
			continue
		}
		c, count := int32(len(size)), int32(1)
		of[i] = c
		for _, j := range cols {
			if of[j] == none && count < clusterRows {
				of[j] = c
				count++
			}
		}
		size = append(size, count)
	}
	return clustered(a, of, size), of
}

// clustered is the graph of clusters of the given sizes.
func clustered(a *CSR, of, size []int32) *graph {
	m := len(size)
	g := &graph{n: m, ptr: make([]int32, m+1), vw: size, total: int32(a.Rows)}
	rows := orderByKey(of, m)
	place := make([]int32, m) // of a neighbour in the list at hand
	for c := range place {
		place[c] = none
	}
	at := 0
	for c := range int32(m) {
		from := int32(len(g.adj))
		for range size[c] {
			i := rows[at]
			at++
			for _, j := range a.Col[a.Ptr[i]:a.Ptr[i+1]] {
				other := of[j]
				switch p := place[other]; {
				case other == c:
				case p >= from:
					g.ew[p]++
				default:
					place[other] = int32(len(g.adj))
					g.adj, g.ew = append(g.adj, other), append(g.ew, 1)
				}
			}
		}
		g.ptr[c+1] = int32(len(g.adj))
	}
	return g
}
