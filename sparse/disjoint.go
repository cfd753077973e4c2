package sparse

// Disjoint are disjoint sets of the numbers below n (Tarjan 1975), with union by size and halving of paths.
type Disjoint struct {
	parent []int32 // of a representative: −(size of its set)
}

// NewDisjoint returns n sets of one number each.
func NewDisjoint(n int) *Disjoint {
	d := &Disjoint{make([]int32, n)}
	for i := range d.parent {
		d.parent[i] = -1
	}
	return d
}

// Find returns the representative of the set of i.
func (d *Disjoint) Find(i int32) int32 {
	for d.parent[i] >= 0 {
		up := d.parent[i]
		if next := d.parent[up]; next >= 0 {
			d.parent[i] = next
		}
		i = up
	}
	return i
}

// Join makes one set of two, given by their representatives, and returns its representative.
func (d *Disjoint) Join(a, b int32) int32 {
	if d.parent[a] > d.parent[b] || d.parent[a] == d.parent[b] && b < a {
		a, b = b, a
	}
	d.parent[a] += d.parent[b]
	d.parent[b] = a
	return a
}

// Connect makes one set of those of two numbers, and reports whether they were apart.
func (d *Disjoint) Connect(i, j int32) bool {
	a, b := d.Find(i), d.Find(j)
	if a == b {
		return false
	}
	d.Join(a, b)
	return true
}

// Labels numbers the sets in the order of their first numbers, and returns the label of each number and the sizes of the sets.
func (d *Disjoint) Labels() (label, sizes []int) {
	label = make([]int, len(d.parent))
	for i := range label {
		label[i] = -1
	}
	for i := range label {
		root := d.Find(int32(i))
		if label[root] < 0 { // it is the first of its set, or its label is known before it comes itself
			label[root] = len(sizes)
			sizes = append(sizes, d.Size(root))
		}
		label[i] = label[root]
	}
	return label, sizes
}

// Size returns the size of the set of a representative.
func (d *Disjoint) Size(a int32) int { return int(-d.parent[a]) }
