package quality

// Aim is what the coordinates of a method are to keep of the data, by which they are judged.
type Aim int

const (
	Neighborhoods Aim = iota // near samples stay near each other
	Lengths                  // the coordinates are an affine image of lengths along the data
	Variance                 // the coordinates are the projection of the largest variance
)

// Unjudged is a check that was not made, or that has no answer.
type Unjudged struct {
	What string `json:"what"` // what would have been judged
	Why  string `json:"why"`
}
