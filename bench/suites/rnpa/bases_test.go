package rnpa

import (
	"testing"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/benchtest"
	"github.com/orthant-go/orthant/blas/golden"
)

// A run leaves its components and some of its corrupted images as pictures of faces.
func TestBasesArePictures(t *testing.T) {
	e := &bench.Env{Data: golden.Data(t)}
	name := bases{hiddenImages, nmfCoder}.name()
	for _, c := range Suite.Cases(e) {
		if c.Name != name {
			continue
		}
		out, err := c.Run(t.Context(), e, &c)
		if err != nil {
			t.Fatal(err)
		}
		for _, picture := range []string{"components", "images"} {
			if n, pixels := out.Pictures[picture].Images.Dims(); n != orlSet.classes || pixels != faceHeight*faceHeight {
				t.Errorf("%s: %d images of %d pixels", picture, n, pixels)
			}
		}
	}
	r := benchtest.RunCases(t, &Suite, e, name)
	benchtest.CheckSections(t, &Suite, r)
}
