package datasets

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// faces is grey images of drawn heads, each of which turns: size × size pixels row by row,
// whole numbers from 0 (black) to 255, as a file of an image has them. Row i shows person
// i mod persons. Per sample 2 uniforms u, v are drawn: the head is turned to the side by
// (2u − 1)·turn degrees and up by (v − ½)·turn; then noise·normals(n × size²) is added
// before rounding. Intrinsic coordinates (side, up), in degrees; labels are the persons.
var faces = &recipe{
	name: "faces",
	parameters: []Parameter{
		count("persons", "1", 1, "number of persons, who are the classes").upTo(1000),
		count("size", "24", 8, "pixels of an image in each direction").upTo(1024),
		nonNegative("turn", "35", "degrees by which a head turns to either side at most; up and down by half of it").upTo(60),
		nonNegative("noise", "2", "standard deviation of the normal noise added to every pixel"),
	},
	features: func(v values) int { return v.count("size") * v.count("size") },
	draw:     drawFaces,
}

func drawFaces(n int, v values, src *source) *Set {
	persons, size, turn := v.count("persons"), v.count("size"), v.number("turn")
	m := size * size
	x, params, labels := mat.NewDense(n, m, nil), mat.NewDense(n, 2, nil), make([]int64, n)
	src.uniforms(params.RawMatrix().Data)
	noise := make([]float64, n*m)
	src.normals(noise)
	sd := v.number("noise")
	parallel(n, 1+4096/m, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			at := params.RawRowView(i)
			at[0], at[1] = (2*at[0]-1)*turn, (at[1]-0.5)*turn
			labels[i] = int64(i % persons)
			row := x.RawRowView(i)
			headOf(i%persons).draw(row, size, at[0]*math.Pi/180, at[1]*math.Pi/180)
			for j := range row {
				row[j] = math.Round(min(max(row[j]+sd*noise[i*m+j], 0), 255))
			}
		}
	})
	return &Set{X: x, Params: params, Labels: labels, Height: size, Width: size}
}

// head is what one person looks like, in units of half the image: an ellipsoid with eyes,
// brows, a nose, a mouth and hair painted on it.
type head struct {
	width, height         float64 // half axes; its depth is 0.8
	eyes, mouth, hairline float64 // distance of an eye from the middle; half the mouth; where hair begins
	skin, hair            float64 // how bright
}

// headOf is the same person each time. The golden ratio spreads the persons over what
// heads can be, with a step of its own for each trait.
func headOf(person int) head {
	trait := func(k int, lo, hi float64) float64 {
		u := 0.5 + float64(person)*math.Pow(0.6180339887498949, float64(k))
		return lo + (hi-lo)*(u-math.Floor(u))
	}
	return head{
		width: trait(1, 0.58, 0.76), height: trait(2, 0.8, 0.95),
		eyes: trait(3, 0.2, 0.32), mouth: trait(4, 0.12, 0.28), hairline: trait(5, 0.3, 0.55),
		skin: trait(6, 0.7, 1), hair: trait(7, 0.1, 0.6),
	}
}

// draw looks at the head from the front, turned by two angles, with the light from above
// on the right. A pixel is the mean of 2 × 2 rays, which keeps edges smooth.
func (h head) draw(row []float64, size int, side, up float64) {
	ss, cs := math.Sincos(side)
	su, cu := math.Sincos(up)
	// turned takes a vector of the room to the head: first back down, then back to the front.
	turned := func(x, y, z float64) (float64, float64, float64) {
		y, z = cu*y-su*z, su*y+cu*z
		return cs*x - ss*z, y, ss*x + cs*z
	}
	lx, ly, lz := turned(0.35, 0.45, 0.82)
	for i := range row {
		sum := 0.0
		for ray := range 4 {
			x := (float64(i%size)+0.25+0.5*float64(ray%2))*2/float64(size) - 1
			y := 1 - (float64(i/size)+0.25+0.5*float64(ray/2))*2/float64(size)
			sum += h.ray(turned, x, y, lx, ly, lz)
		}
		row[i] = 255 * sum / 4
	}
}

// ray is how bright the head is where the ray through (x, y) meets it, 0 outside it.
func (h head) ray(turned func(x, y, z float64) (float64, float64, float64), x, y, lx, ly, lz float64) float64 {
	a, b, c := 1/h.width, 1/h.height, 1/0.8
	px, py, pz := turned(x, y, 0)
	dx, dy, dz := turned(0, 0, 1)
	px, py, pz, dx, dy, dz = a*px, b*py, c*pz, a*dx, b*dy, c*dz
	dd, pd, pp := dx*dx+dy*dy+dz*dz, px*dx+py*dy+pz*dz, px*px+py*py+pz*pz
	inside := pd*pd - dd*(pp-1)
	if inside <= 0 {
		return 0
	}
	t := (math.Sqrt(inside) - pd) / dd
	px, py, pz = px+t*dx, py+t*dy, pz+t*dz // on the unit sphere
	nx, ny, nz := a*px, b*py, c*pz
	lit := max(0, (nx*lx+ny*ly+nz*lz)/math.Sqrt(nx*nx+ny*ny+nz*nz))
	return h.paint(px/a, py/b, pz) * (0.25 + 0.75*lit)
}

// paint is the brightness of the surface at (x, y) of its front (z > 0) or back.
func (h head) paint(x, y, z float64) float64 {
	spot := func(cx, cy, wx, wy float64) float64 {
		u, v := (math.Abs(x)-cx)/wx, (y-cy)/wy
		return math.Exp(-(u*u + v*v) / 2)
	}
	front := 1 / (1 + math.Exp(-12*(z-0.1)))
	dark := 0.85*spot(h.eyes, 0.12, 0.07, 0.05) + 0.6*spot(h.eyes, 0.27, 0.11, 0.03) +
		0.3*spot(0.03, -0.12, 0.05, 0.1) + 0.75*spot(0, -0.42, h.mouth, 0.05)
	face := h.skin * (1 - min(1, front*dark))
	hair := 1 / (1 + math.Exp(-25*(y-h.hairline+0.5*(1-front))))
	return face + (h.hair-face)*hair
}
