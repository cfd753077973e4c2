//go:build !js

package main

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/base64"
	"fmt"
	"os"
	"strings"
)

//go:embed page
var parts embed.FS

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "orthant-wasm: give the program, Go's wasm_exec.js, and the page to write: make wasm does so")
		os.Exit(2)
	}
	if err := pack(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "orthant-wasm:", err)
		os.Exit(1)
	}
}

// pack writes the page with the program, compressed, and all scripts in it.
func pack(program, support, to string) error {
	code, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	helper, err := os.ReadFile(support)
	if err != nil {
		return err
	}
	var small bytes.Buffer
	w, _ := gzip.NewWriterLevel(&small, gzip.BestCompression) // the level is one
	if _, err := w.Write(code); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	part := func(name string) string {
		text, err := parts.ReadFile("page/" + name)
		if err != nil {
			panic(err) // it was embedded
		}
		return string(text)
	}
	page := strings.NewReplacer("{{STYLE}}", part("page.css"), "{{SCRIPT}}", part("page.js"), "{{WORKER}}", part("files.js")+string(helper)+part("worker.js"),
		"{{PROGRAM}}", base64.StdEncoding.EncodeToString(small.Bytes())).Replace(part("page.html"))
	if err := os.WriteFile(to, []byte(page), 0o644); err != nil {
		return err
	}
	fmt.Printf("wrote %s: the program has %.1f MB, compressed %.1f MB\n", to, float64(len(code))/1e6, float64(small.Len())/1e6)
	return nil
}
