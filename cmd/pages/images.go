package main

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/engine"
)

// illustration is a part of a page that shows pictures which its own commands draw.
type illustration struct {
	name string // the method, or tutorial
	page string // the file
	text string
}

// draw runs the commands of all illustrations and puts their pictures, made small, where the
// pages look for them. orthant is the command's file. With names only these are drawn.
func draw(root, orthant string, only []string) error {
	orthant, err := filepath.Abs(orthant)
	if err != nil {
		return err
	}
	list, err := illustrated(root)
	if err != nil {
		return err
	}
	for _, x := range list {
		if len(only) > 0 && !slices.Contains(only, x.name) {
			continue
		}
		if err := x.draw(root, orthant); err != nil {
			return fmt.Errorf("%s: %s: %w", x.page, x.name, err)
		}
	}
	return nil
}

// illustrated are the sections of the methods, and the tutorial.
func illustrated(root string) (list []illustration, err error) {
	names, texts, err := methodPages(root)
	if err != nil {
		return nil, err
	}
	entries := engine.Methods()
	for _, name := range names {
		for _, s := range sections(texts[name]) {
			if isMethod(entries, s.name) {
				list = append(list, illustration{s.name, filepath.Join(root, "docs", "methods", name), s.text})
			}
		}
	}
	tutorial := filepath.Join(root, "docs", "tutorial.md")
	text, err := os.ReadFile(tutorial)
	return append(list, illustration{"tutorial", tutorial, string(text)}), err
}

func (x illustration) draw(root, orthant string) error {
	folder, err := os.MkdirTemp("", "orthant-page")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if root, err = filepath.Abs(root); err != nil {
		return err
	}
	if err := os.Symlink(filepath.Join(root, "testdata"), filepath.Join(folder, "testdata")); err != nil {
		return err
	}
	for _, line := range commands(x.text) {
		cmd := exec.Command("sh", "-c", strings.Replace(line, "orthant ", `"$ORTHANT" --quiet `, 1))
		cmd.Dir, cmd.Stderr, cmd.Env = folder, os.Stderr, append(os.Environ(), "ORTHANT="+orthant)
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
	}
	for _, address := range drawn(x.text) {
		to := filepath.Join(filepath.Dir(x.page), filepath.FromSlash(address))
		if err := shrink(filepath.Join(folder, filepath.Base(to)), to); err != nil {
			return err
		}
		fmt.Println("drew", to)
	}
	return nil
}

// shrink writes a picture anew, small enough for a page.
func shrink(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	im, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return err
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&out, fewColours(narrowed(im, pageWidth), pageColours)); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return replace(to, out.String())
}
