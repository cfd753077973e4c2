package engine

import (
	"context"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// Every method that solves for smallest eigenpairs proves that none was missed, by the solver and once more by
// verification, and coordinates of other eigenvectors are refused by the count alone.
func TestCertified(t *testing.T) {
	x := generate(t, "swiss-roll", 1200, 1).X
	for _, m := range []Method{NEML{}, MLLE{}, LTSA{}, HLLE{}, LE{}} {
		r := embed(t, x, m, Options{Certified: true})
		c, is := r.Details["certificate"].(*sparse.Certificate)
		if !is || !c.Holds() || c.Pairs != 2 || c.Below != 3 || c.Missed != 0 {
			t.Errorf("%s: %+v", m.Name(), c)
			continue
		}
		plain := embed(t, x, m, Options{})
		if !mat.Equal(plain.Y, r.Y) {
			t.Errorf("%s: the certificate changed the coordinates", m.Name())
		}
		told := VerifyOptions{Options: Options{Certified: true}, Eigenvalues: r.Values, Next: r.Next}
		if v := verify(t, x, r.Y, m, told); v.Certificate == nil || !v.Certificate.Holds() || v.Certificate.Below != 3 || strings.Contains(v.Verdict, "lie below") {
			t.Errorf("%s: %+v, %q", m.Name(), v.Certificate, v.Verdict)
		}
	}
	// The third and fourth eigenvectors in place of the first two.
	six := embed(t, x, LTSA{Dim: 4}, Options{})
	v := verify(t, x, six.Y.Slice(0, 1200, 2, 4), LTSA{}, VerifyOptions{Options: Options{Certified: true}})
	if v.Passed || v.Certificate == nil || v.Certificate.Below <= v.Certificate.Known || !strings.Contains(v.Verdict, "eigenvalues lie below") {
		t.Errorf("%+v, %q", v.Certificate, v.Verdict)
	}
	if v := verify(t, x, six.Y.Slice(0, 1200, 2, 4), LTSA{}, VerifyOptions{}); v.Certificate != nil {
		t.Error("a plain verification counts")
	}
}

func TestCertifiedRefuses(t *testing.T) {
	x := generate(t, "swiss-roll", 300, 1).X
	for _, m := range []Method{PCA{}, Isomap{}, DiffusionMaps{}} {
		_, err := Embed(context.Background(), x, m, Options{Certified: true})
		if err == nil || !strings.Contains(err.Error(), "a certificate counts the eigenvalues") || !strings.Contains(err.Error(), "ltsa") || strings.Contains(err.Error(), "isomap,") {
			t.Errorf("%s: %v", m.Name(), err)
		}
	}
}
