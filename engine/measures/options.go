package measures

import (
	"fmt"

	"github.com/orthant-go/orthant/blas"
)

// Options say what a measure that takes long is computed with. The zero value
// is all cores and the automatic backend. Threads change no bit of a result, nor
// does the backend but for the rounding of [Reconstruction].
type Options struct {
	Kernels *blas.Kernels // nil: $ORTHANT_BLAS, else the automatic choice
	Threads int           // 0: all cores
}

func (o Options) withDefaults(measure string) (Options, error) {
	if o.Kernels == nil {
		kernels, err := blas.Select("")
		if err != nil {
			return o, fmt.Errorf("%s: %w", measure, err)
		}
		o.Kernels = kernels
	}
	o.Threads = blas.Threads(o.Threads)
	return o, nil
}
