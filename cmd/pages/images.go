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
)

// draw runs the commands of the pages of docs that show pictures of their own, and puts
// these, made small, where the pages look for them. orthant is the command's file. Without
// names of pages all are drawn.
func draw(root, orthant string, only []string) error {
	orthant, err := filepath.Abs(orthant)
	if err != nil {
		return err
	}
	list, err := illustrated(root)
	if err != nil {
		return err
	}
	for _, page := range list {
		if len(only) > 0 && !slices.Contains(only, strings.TrimSuffix(filepath.Base(page), ".md")) {
			continue
		}
		if err := drawPage(root, page, orthant); err != nil {
			return fmt.Errorf("%s: %w", page, err)
		}
	}
	return nil
}

// illustrated are the pages with pictures: those of the methods, and the tutorial.
func illustrated(root string) ([]string, error) {
	list, err := filepath.Glob(filepath.Join(root, "docs", "methods", "*.md"))
	return append(list, filepath.Join(root, "docs", "tutorial.md")), err
}

func drawPage(root, page, orthant string) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
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
	for _, line := range commands(string(text)) {
		cmd := exec.Command("sh", "-c", strings.Replace(line, "orthant ", `"$ORTHANT" --quiet `, 1))
		cmd.Dir, cmd.Stderr, cmd.Env = folder, os.Stderr, append(os.Environ(), "ORTHANT="+orthant)
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
	}
	for _, address := range drawn(string(text)) {
		to := filepath.Join(filepath.Dir(page), filepath.FromSlash(address))
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
