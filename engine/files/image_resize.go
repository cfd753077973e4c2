package files

import "math"

// resized brings a picture to another size, one side after the other: a side that shrinks
// by the mean over the area that a new pixel covers, one that grows by straight lines between the
// centres of pixels.
func (p picture) resized(height, width int) picture {
	if p.height == height && p.width == width {
		return p
	}
	c := p.channels
	across := picture{p.height, width, c, make([]float64, p.height*width*c)}
	for x, mix := range mixtures(p.width, width) {
		for y := range p.height {
			for k := range c {
				var sum float64
				for i, w := range mix.weights {
					sum += w * p.pixels[(y*p.width+mix.first+i)*c+k]
				}
				across.pixels[(y*width+x)*c+k] = sum
			}
		}
	}
	down := picture{height, width, c, make([]float64, height*width*c)}
	for y, mix := range mixtures(p.height, height) {
		row := down.pixels[y*width*c : (y+1)*width*c]
		for i, w := range mix.weights {
			from := across.pixels[(mix.first+i)*width*c:]
			for j := range row {
				row[j] += w * from[j]
			}
		}
	}
	return down
}

// mixture are the old pixels that a new one is a mean of.
type mixture struct {
	first   int
	weights []float64 // of sum 1
}

// mixtures are those of all new pixels of a side.
func mixtures(from, to int) []mixture {
	all := make([]mixture, to)
	ratio := float64(from) / float64(to)
	for i := range all {
		if to < from {
			all[i] = areaMixture(float64(i)*ratio, float64(i+1)*ratio, from)
			continue
		}
		at := min(max((float64(i)+0.5)*ratio-0.5, 0), float64(from-1))
		first := min(int(at), max(from-2, 0))
		if all[i].first = first; from == 1 {
			all[i].weights = []float64{1}
		} else {
			all[i].weights = []float64{1 - (at - float64(first)), at - float64(first)}
		}
	}
	return all
}

// areaMixture is the mean over lo ≤ x < hi.
func areaMixture(lo, hi float64, from int) mixture {
	m := mixture{first: int(lo)}
	for j := m.first; j < from && float64(j) < hi; j++ {
		if share := math.Min(hi, float64(j+1)) - math.Max(lo, float64(j)); share > 0 || len(m.weights) > 0 {
			m.weights = append(m.weights, max(share, 0)/(hi-lo))
		} else {
			m.first++
		}
	}
	return m
}
