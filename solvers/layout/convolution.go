package layout

import (
	"context"

	"github.com/orthant-go/orthant/blas"
)

// convolution sums, for every node of a grid, the values of all nodes times a kernel that is even along
// both axes: by Fourier transforms of twice the grid's sides, of which the other halves are 0.
type convolution struct {
	threads       int
	width, height int               // nodes along x and y; the width is even
	rows, columns *fourier          // of 2·width and 2·height
	kernel        []float64         // its transform, height + 1 rows of width + 2, of which the last is unused
	spectrum      []complex128      // (height + 1) × width: the values' transform along y
	together      int               // sequences that are transformed at a time, entry by entry
	scratch       [][2][]complex128 // of the workers
}

// resize sets the sides of the grid. The kernel is undefined then.
func (c *convolution) resize(width, height int) {
	if c.rows == nil || width != c.width {
		c.rows = newFourier(2 * width)
	}
	if c.columns == nil || height != c.height {
		c.columns = newFourier(2 * height)
	}
	c.width, c.height = width, height
	c.spectrum = resized(c.spectrum, (height+1)*width)
	c.kernel = resized(c.kernel, (height+1)*(width+2))
	c.together = 4
	if max(width, height) > 4096 {
		c.together = 1 // more would need much memory and gain nothing
	}
	if c.scratch == nil {
		c.scratch = make([][2][]complex128, blas.Threads(c.threads))
	}
	for w := range c.scratch {
		for k := range c.scratch[w] {
			c.scratch[w][k] = resized(c.scratch[w][k], 2*c.together*max(width, height))
		}
	}
}

// buffers are the buffers of a worker for many sequences of one length.
func (c *convolution) buffers(worker, many, n int) (x, spare []complex128) {
	return c.scratch[worker][0][:many*n], c.scratch[worker][1][:many*n]
}

// setKernel takes the kernel's values at differences of x and y nodes, and the filter by which its
// transform is divided at frequency k of n along an axis. An even kernel has a real transform, so that
// a complex one does two.
func (c *convolution) setKernel(ctx context.Context, value func(x, y int) float64, filter func(k, n int) float64) error {
	width, height, stride := c.width, c.height, c.width+2
	// Along x: two of the rows 0 … height a sequence.
	err := blas.For(ctx, c.threads, height/2+1, c.together, func(worker, lo, hi int) {
		many := hi - lo
		x, spare := c.buffers(worker, many, 2*width)
		for q := range many {
			for j := range width + 1 {
				v := complex(value(j, 2*(lo+q)), value(j, 2*(lo+q)+1))
				x[j*many+q] = v
				if j > 0 && j < width {
					x[(2*width-j)*many+q] = v
				}
			}
		}
		x = c.rows.transform(x, spare, many)
		for q := range many {
			y := 2 * (lo + q)
			for k := range width + 1 {
				c.kernel[y*stride+k] = real(x[k*many+q])
				if y < height {
					c.kernel[(y+1)*stride+k] = imag(x[k*many+q])
				}
			}
			c.kernel[y*stride+width+1] = 0
			if y < height {
				c.kernel[(y+1)*stride+width+1] = 0
			}
		}
	})
	if err != nil {
		return err
	}
	// Along y: two columns a sequence.
	return blas.For(ctx, c.threads, width/2+1, c.together, func(worker, lo, hi int) {
		many := hi - lo
		x, spare := c.buffers(worker, many, 2*height)
		for j := range height + 1 {
			row := c.kernel[j*stride+2*lo:][:2*many]
			for q := range many {
				v := complex(row[2*q], row[2*q+1])
				x[j*many+q] = v
				if j > 0 && j < height {
					x[(2*height-j)*many+q] = v
				}
			}
		}
		x = c.columns.transform(x, spare, many)
		for k := range height + 1 {
			row := c.kernel[k*stride+2*lo:][:2*many]
			// The product of both transforms' lengths makes the inverse one.
			along := float64(4*width*height) * filter(k, 2*height)
			for q := range many {
				row[2*q] = real(x[k*many+q]) / (along * filter(2*(lo+q), 2*width))
				row[2*q+1] = imag(x[k*many+q]) / (along * filter(2*(lo+q)+1, 2*width))
			}
		}
	})
}

// at is the kernel, as it is after the division by the filter, at a difference of x and y nodes.
func (c *convolution) at(x, y int) float64 {
	// The ends of an even sequence count once, all between them twice.
	weight := func(k, n int) float64 {
		if k == 0 || k == n {
			return 1
		}
		return 2
	}
	var sum float64
	for k := range c.height + 1 {
		var along float64
		for l, v := range c.kernel[k*(c.width+2):][:c.width+1] {
			along += float64(float64(weight(l, c.width)*v) * real(c.rows.roots[l*x%(2*c.width)]))
		}
		sum += float64(float64(weight(k, c.height)*along) * real(c.columns.roots[k*y%(2*c.height)]))
	}
	return sum
}

// apply replaces the values of the nodes, row by row, by their sums.
func (c *convolution) apply(ctx context.Context, nodes []float64) error {
	if err := c.forth(ctx, nodes); err != nil {
		return err
	}
	if err := c.across(ctx); err != nil {
		return err
	}
	return c.back(ctx, nodes)
}

// forth transforms along y: two columns of real numbers a sequence. The transform of real numbers at
// −k is the conjugate of that at k, which separates the two.
func (c *convolution) forth(ctx context.Context, nodes []float64) error {
	width, height := c.width, c.height
	return blas.For(ctx, c.threads, width/2, c.together, func(worker, lo, hi int) {
		many := hi - lo
		x, spare := c.buffers(worker, many, 2*height)
		for j := range height {
			row := nodes[j*width+2*lo:][:2*many]
			for q := range many {
				x[j*many+q] = complex(row[2*q], row[2*q+1])
			}
		}
		clear(x[height*many:])
		x = c.columns.transform(x, spare, many)
		for k := range height + 1 {
			row := c.spectrum[k*width+2*lo:][:2*many]
			mirror := (2*height - k) % (2 * height)
			for q := range many {
				a, b := x[k*many+q], x[mirror*many+q]
				row[2*q] = complex(0.5*(real(a)+real(b)), 0.5*(imag(a)-imag(b)))
				row[2*q+1] = complex(0.5*(imag(a)+imag(b)), 0.5*(real(b)-real(a)))
			}
		}
	})
}

// swapped exchanges the parts: the transform of swapped numbers is the inverse one, swapped.
func swapped(v complex128) complex128 { return complex(imag(v), real(v)) }

// across transforms along x, multiplies by the kernel, and transforms back.
func (c *convolution) across(ctx context.Context) error {
	width := c.width
	return blas.For(ctx, c.threads, c.height+1, c.together, func(worker, lo, hi int) {
		many := hi - lo
		x, spare := c.buffers(worker, many, 2*width)
		for q := range many {
			for j, v := range c.spectrum[(lo+q)*width:][:width] {
				x[j*many+q] = v
			}
		}
		clear(x[width*many:])
		y := c.rows.transform(x, spare, many)
		if &y[0] != &x[0] {
			spare = x
		}
		for q := range many {
			kernel := c.kernel[(lo+q)*(width+2):][:width+1]
			for k, v := range kernel {
				y[k*many+q] = scaled(v, swapped(y[k*many+q]))
			}
			for k := width + 1; k < 2*width; k++ {
				y[k*many+q] = scaled(kernel[2*width-k], swapped(y[k*many+q]))
			}
		}
		y = c.rows.transform(y, spare, many)
		for q := range many {
			row := c.spectrum[(lo+q)*width:][:width]
			for j := range row {
				row[j] = swapped(y[j*many+q])
			}
		}
	})
}

// back undoes forth.
func (c *convolution) back(ctx context.Context, nodes []float64) error {
	width, height := c.width, c.height
	return blas.For(ctx, c.threads, width/2, c.together, func(worker, lo, hi int) {
		many := hi - lo
		x, spare := c.buffers(worker, many, 2*height)
		for k := range height + 1 {
			row := c.spectrum[k*width+2*lo:][:2*many]
			mirror := 2*height - k
			for q := range many {
				a, b := row[2*q], row[2*q+1]
				x[k*many+q] = complex(imag(a)+real(b), real(a)-imag(b)) // a + ib, swapped
				if k > 0 && k < height {
					x[mirror*many+q] = complex(real(b)-imag(a), real(a)+imag(b))
				}
			}
		}
		x = c.columns.transform(x, spare, many)
		for j := range height {
			row := nodes[j*width+2*lo:][:2*many]
			for q := range many {
				row[2*q], row[2*q+1] = imag(x[j*many+q]), real(x[j*many+q])
			}
		}
	})
}
