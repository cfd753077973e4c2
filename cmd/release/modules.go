package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// module is a module of Go that something of this project is built with.
type module struct {
	Path, Version, Dir string
	Main               bool
}

// goCommand is the Go that everything is built with, as in the Makefile.
func goCommand() string {
	if named := os.Getenv("GO"); named != "" {
		return named
	}
	return "go"
}

// output runs a command in a folder and returns what it printed.
func output(folder string, env []string, name string, args ...string) (string, error) {
	var out, said bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = folder, append(os.Environ(), env...), &out, &said
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, said.String())
	}
	return out.String(), nil
}

// target is a system that the command is built for.
type target struct{ os, arch string }

// targets are those of goreleaser.yaml.
var targets = []target{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

// modulesOf lists the third-party modules that the named packages are built from, by
// path. With all set it covers every system that a release is for, as some are required on one alone.
func modulesOf(root string, all bool, cgo string, args ...string) (map[string]module, error) {
	found := map[string]module{}
	systems := []target{{}}
	if all {
		systems = targets
	}
	for _, system := range systems {
		env := []string{cgo}
		if system.os != "" {
			env = append(env, "GOOS="+system.os, "GOARCH="+system.arch)
		}
		text, err := output(root, env, goCommand(), append([]string{"list", "-deps", "-json=Module"}, args...)...)
		if err != nil {
			return nil, err
		}
		decoder := json.NewDecoder(strings.NewReader(text))
		for {
			var p struct{ Module *module }
			if err := decoder.Decode(&p); err == io.EOF {
				break
			} else if err != nil {
				return nil, fmt.Errorf("go list: %w", err)
			}
			if p.Module != nil && !p.Module.Main {
				found[p.Module.Path] = *p.Module
			}
		}
	}
	return found, nil
}

// inOrder are the modules by path.
func inOrder(of map[string]module) []module {
	var list []module
	for _, path := range slices.Sorted(maps.Keys(of)) {
		list = append(list, of[path])
	}
	return list
}
