package main

import (
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/files"
)

// namedPixels is the number of pixels up to which each has a name, which takes some memory.
const namedPixels = 1 << 16

// readImages reads a folder or a pattern of images.
func (t *tableFlags) readImages(inv *invocation, in string) (mat.Matrix, error) {
	if len(t.columns)+len(t.drop) > 0 || t.id != "" {
		return nil, wrong("--columns, --drop and --id are for tables, and %s means images; leave them out", in)
	}
	im, err := files.ReadImages(in, inv.reading(), files.ImageOptions{Height: t.resize.height, Width: t.resize.width, Grey: t.grey})
	if err != nil {
		return nil, err
	}
	t.ids, t.idName, t.titled = im.Names, "image", true
	if im.Height*im.Width <= namedPixels {
		t.names = im.PixelNames()
	}
	t.total = len(im.Names)
	inv.images = im
	return im.X, nil
}

// tellImages says which images the samples are.
func (inv *invocation) tellImages() {
	if inv.images == nil {
		return
	}
	colours := "grey"
	if inv.images.Channels == 3 {
		colours = "colour"
	}
	line(inv.say(), "images", "%d of %d × %d pixels, %s", len(inv.images.Names), inv.images.Height, inv.images.Width, colours)
}
