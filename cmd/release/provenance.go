package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// statement is an in-toto statement (v1) whose predicate is SLSA's provenance (v1): these files, with
// their sums, were made of this commit by these tools. It has no times and no name of a machine, so that who
// makes the release again gets the same bytes. It is not signed.
type statement struct {
	Type          string     `json:"_type"`
	Subject       []resource `json:"subject"`
	PredicateType string     `json:"predicateType"`
	Predicate     predicate  `json:"predicate"`
}

type resource struct {
	Name        string            `json:"name,omitempty"`
	URI         string            `json:"uri,omitempty"`
	Digest      map[string]string `json:"digest,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type predicate struct {
	BuildDefinition struct {
		BuildType            string            `json:"buildType"`
		ExternalParameters   map[string]string `json:"externalParameters"`
		InternalParameters   map[string]string `json:"internalParameters"`
		ResolvedDependencies []resource        `json:"resolvedDependencies"`
	} `json:"buildDefinition"`
	RunDetails struct {
		Builder struct {
			ID      string            `json:"id"`
			Version map[string]string `json:"version"`
		} `json:"builder"`
	} `json:"runDetails"`
}

const repository = "https://github.com/orthant-go/orthant"

// compilers are programs that a release is made by, and how each says its version, in the first line.
var compilers = [][]string{
	{"gcc", "--version"}, {"aarch64-linux-gnu-gcc", "--version"}, {"x86_64-w64-mingw32-gcc", "--version"}, {"python3", "--version"}, {"R", "--version"},
}

// provenance writes provenance.intoto.json into a folder, of all other files in it. Each tool is name=version.
func provenance(folder string, tools []string) error {
	const name = "provenance.intoto.json"
	files, err := sums(folder, name, "SHA256SUMS")
	if err != nil {
		return err
	}
	commit, err := output(".", nil, "git", "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	modules, err := sumOf("go.sum")
	if err != nil {
		return err
	}
	versions, err := versionsOf(tools)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(stated(files, strings.TrimSpace(commit), modules, versions), "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, name), append(text, '\n'), 0o644)
}

// stated is the statement about files of a commit.
func stated(files []resource, commit string, modules resource, versions map[string]string) statement {
	s := statement{Type: "https://in-toto.io/Statement/v1", Subject: files, PredicateType: "https://slsa.dev/provenance/v1"}
	build := &s.Predicate.BuildDefinition
	build.BuildType = repository + "/blob/main/docs/releasing.md"
	build.ExternalParameters = map[string]string{"source": "git+" + repository, "version": os.Getenv("VERSION"), "command": "make release"}
	build.InternalParameters = map[string]string{"system": runtime.GOOS + "/" + runtime.GOARCH, "SOURCE_DATE_EPOCH": os.Getenv("SOURCE_DATE_EPOCH")}
	modules.Annotations = map[string]string{"content": "the sums of all modules"}
	build.ResolvedDependencies = []resource{{URI: "git+" + repository, Digest: map[string]string{"gitCommit": commit}}, modules}
	s.Predicate.RunDetails.Builder.ID = repository + "/blob/main/.ci/release"
	s.Predicate.RunDetails.Builder.Version = versions
	return s
}

// versionsOf are the versions of Go, of the compilers and of the tools that are given as name=version.
func versionsOf(tools []string) (map[string]string, error) {
	versions := map[string]string{}
	for _, tool := range tools {
		name, version, given := strings.Cut(tool, "=")
		if !given {
			return nil, fmt.Errorf("%q is not TOOL=VERSION", tool)
		}
		versions[name] = version
	}
	for _, c := range append(compilers, []string{goCommand(), "version"}) {
		text, err := output(".", nil, c[0], c[1:]...)
		if err != nil {
			return nil, err
		}
		first, _, _ := strings.Cut(text, "\n")
		versions[filepath.Base(c[0])] = first
	}
	return versions, nil
}

// sums are the files of a folder but some, by name.
func sums(folder string, without ...string) (list []resource, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if slices.Contains(without, e.Name()) {
			continue
		}
		one, err := sumOf(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s has no files", folder)
	}
	return list, nil
}

func sumOf(path string) (resource, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return resource{}, err
	}
	sum := sha256.Sum256(data)
	return resource{Name: filepath.Base(path), Digest: map[string]string{"sha256": hex.EncodeToString(sum[:])}}, nil
}
