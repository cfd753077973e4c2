package samples

// Moved are the same dense samples at other places, n × m entries whose storage they take
// over.
func (x Samples) Moved(data []float64) Samples {
	x.data = data[:x.n*x.m]
	return x
}

// TakeOff takes a sample off all of those that their owner alone has: they change in place.
func (x Samples) TakeOff(point []float64) {
	for i := range x.n {
		row := x.Row(i)
		for j, v := range point {
			row[j] -= v
		}
	}
}
