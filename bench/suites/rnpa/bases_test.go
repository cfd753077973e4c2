package rnpa

import (
	"testing"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/benchtest"
	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/internal/must"
)

// A run leaves its components and some of its corrupted images as pictures of faces.
func TestBasesArePictures(t *testing.T) {
	e := &bench.Env{Data: golden.Data(t)}
	name := bases{hiddenImages, nmfCoder}.name()
	for _, c := range Suite.Cases(e) {
		if c.Name != name {
			continue
		}
		out := must.Get(c.Run(t.Context(), e, &c))(t)
		for _, picture := range []string{"components", "images"} {
			if n, pixels := out.Pictures[picture].Images.Dims(); n != orlSet.classes || pixels != faceHeight*faceHeight {
				t.Errorf("%s: %d images of %d pixels", picture, n, pixels)
			}
		}
	}
	r := benchtest.RunCases(t, &Suite, e, name)
	benchtest.CheckSections(t, &Suite, r)
}
