package bench

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/must"
)

// Images are kept as they are, no more than can be made out, and a figure with their
// height draws them.
func TestMontageOfARecord(t *testing.T) {
	images := mat.NewDense(maxImages+1, 6, nil)
	images.Set(0, 3, 7)
	x := must.Get((&Picture{Images: images}).matrix())(t)
	if n, pixels := x.Dims(); n != maxImages || pixels != 6 || x.At(0, 3) != 7 {
		t.Errorf("%d images of %d pixels are kept", n, pixels)
	}
	dir := t.TempDir()
	out := must.Get(files.Create(filepath.Join(dir, "bases.npy"), nil))(t)
	defer out.Discard()
	must.Do(t, out.WriteMatrix(x, files.Options{}))
	must.Do(t, out.Commit())
	r := record("fake", "nmf/faces", 1)
	r.Pictures = map[string]string{"bases": "bases.npy"}
	v := &suiteView{dir: dir, records: &Records{List: []*Record{&r}}, anchors: map[string]string{}}
	f := v.drawFigure(Figure{Case: "nmf/faces", Picture: "bases", Height: 2, Caption: "parts <of> faces"})
	if f.Absent != "" || !strings.Contains(string(f.Image), "data:image/png") || strings.Contains(string(f.Image), "<of>") {
		t.Errorf("%+v", f)
	}
	if f = v.drawFigure(Figure{Case: "nmf/faces", Picture: "bases", Height: 4}); !strings.Contains(f.Absent, "no columns of 4") {
		t.Errorf("images of 6 pixels have no columns of 4: %+v", f)
	}
	images.Set(5, 0, math.NaN())
	if _, err := (&Picture{Images: images}).matrix(); err == nil {
		t.Error("a pixel that is not finite is kept")
	}
}
