package bench

import (
	"encoding/base64"
	"fmt"
	"html/template"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/draw"
)

// mostImages bounds the images of a picture that are kept: of more, none could be made out.
const mostImages = 100

// imageMatrix is what is kept of images: the first mostImages.
func (p *Picture) imageMatrix() (*mat.Dense, error) {
	n, pixels := p.Images.Dims()
	n = min(n, mostImages)
	for i := range n {
		for _, v := range p.Images.RawRowView(i) {
			if notFinite(v) {
				return nil, fmt.Errorf("image %d of a picture has a pixel that is not finite", i)
			}
		}
	}
	return mat.DenseCopyOf(p.Images.Slice(0, n, 0, pixels)), nil
}

// montageImage draws the images in a file side by side, inline.
func montageImage(path string, height int, about string) (template.HTML, error) {
	x, err := files.ReadMatrix(path, files.Options{})
	if err != nil {
		return "", err
	}
	m := draw.Montage{Images: x, Height: height}
	png, err := m.PNG()
	if err != nil {
		return "", err
	}
	width, tall := m.Size()
	return template.HTML(fmt.Sprintf(`<img width="%d" height="%d" alt="%s" src="data:image/png;base64,%s">`,
		pictureWidth, pictureWidth*tall/width, template.HTMLEscapeString(about), base64.StdEncoding.EncodeToString(png))), nil
}
