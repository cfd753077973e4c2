package method

import (
	"fmt"
	"testing"

	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/param"
)

// Every allowed map has a rule for new samples that a model can hold.
func TestBoundsOfModelsAreThoseOfParameters(t *testing.T) {
	want := map[string]string{"epochs": fmt.Sprintf("from 1 to %d", extend.MaxFitEpochs), "negatives": fmt.Sprintf("from 1 to %d", extend.MaxNegatives)}
	for _, f := range param.Fields(&UMAP{}) {
		if text, bounded := want[f.Key]; bounded && f.Allowed != text {
			t.Errorf("%s is allowed %s, and models %s", f.Key, f.Allowed, text)
		}
		delete(want, f.Key)
	}
	if len(want) > 0 {
		t.Errorf("there is no parameter %v", want)
	}
}
