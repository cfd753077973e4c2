package measures

import (
	"fmt"

	"github.com/orthant-go/orthant/blas"
)

// Options configure measures that take long. The zero value
// uses all cores and the automatic backend. Results do not depend on the threads, nor
// on the backend, except for the rounding of [Reconstruction].
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
