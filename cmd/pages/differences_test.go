package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/internal/must"
)

const differencesTitle = "### What differs from the paper"

// differences returns what a section says of how the method differs from its paper. Where
// nothing does the section has to say what was checked, so that a bare "Nothing." is an
// error like no text.
func differences(text string) (string, error) {
	_, rest, found := strings.Cut("\n"+text, "\n"+differencesTitle+"\n")
	if !found {
		return "", errors.New("there is no section \"" + strings.TrimPrefix(differencesTitle, "### ") + "\"")
	}
	if strings.Contains("\n"+rest, "\n"+differencesTitle+"\n") {
		return "", errors.New("there are two sections on what differs from the paper")
	}
	text, _, _ = strings.Cut("\n"+rest, "\n### ")
	text = strings.TrimSpace(text)
	said := strings.TrimSpace(strings.TrimPrefix(strings.Trim(text, "-* "), "Nothing."))
	if said == "" {
		return "", errors.New("the section on what differs from the paper says nothing; name the differences, or what was checked")
	}
	return text, nil
}

// Every section says what differs from the paper, or that nothing does and how that is known.
func TestPagesSayWhatDiffers(t *testing.T) {
	root := golden.Root(t)
	for _, e := range engine.Methods() {
		text, err := differences(sectionOf(t, root, e.Name))
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
			continue
		}
		// A setting that the section names is one of the method's.
		for i, word := range strings.Split(text, "`") {
			key, _, isSetting := strings.Cut(word, "=")
			if quoted := i%2 == 1; quoted && isSetting && !has(e, key) && !common[key] {
				t.Errorf("the section of %s names the parameter %s, which the method does not have", e.Name, key)
			}
		}
	}
}

// common are settings of all methods.
var common = map[string]bool{"components": true, "landmark_choice": true, "landmarks": true}

func has(e engine.Entry, key string) bool {
	for _, p := range e.Parameters {
		if p.Key == key {
			return true
		}
	}
	return false
}

// A setting that the methods of a page share is one that one of them has.
func TestSharedTextNamesParameters(t *testing.T) {
	names, texts := must.Two(methodPages(golden.Root(t)))(t)
	entries := engine.Methods()
	for _, name := range names {
		var here []engine.Entry
		var shared string
		for _, s := range sections(texts[name]) {
			if i := slices.IndexFunc(entries, func(e engine.Entry) bool { return e.Name == s.name }); i >= 0 {
				here = append(here, entries[i])
			} else {
				shared += s.text
			}
		}
		for i, word := range strings.Split(shared, "`") {
			key, _, isSetting := strings.Cut(word, "=")
			if quoted := i%2 == 1; quoted && isSetting && !common[key] && !slices.ContainsFunc(here, func(e engine.Entry) bool { return has(e, key) }) {
				t.Errorf("%s names the parameter %s, which none of its methods has", name, key)
			}
		}
	}
}

func TestEmptyDifferencesAreFound(t *testing.T) {
	for _, page := range []string{
		"## pca\n\n**A method.**\n\n### Source\n\nA paper.\n",
		"## pca\n\n**A method.**\n\n" + differencesTitle + "\n\n### Source\n\nA paper.\n",
		"## pca\n\n**A method.**\n\n" + differencesTitle + "\n### Source\n\nA paper.\n",
		"## pca\n\n**A method.**\n\n" + differencesTitle + "\n\nNothing.\n\n### Source\n\nA paper.\n",
		"## pca\n\n**A method.**\n\n" + differencesTitle + "\n\n- \n",
		"## pca\n\n**A method.**\n\n#" + differencesTitle + "\n\nThe scale.\n",
		differencesTitle + "\n\nThe scale.\n\n" + differencesTitle + "\n\nThe start.\n",
	} {
		if text, err := differences(page); err == nil {
			t.Errorf("the page\n%s\npasses with %q", page, text)
		}
	}
	for _, page := range []string{
		"## pca\n\n**A method.**\n\n" + differencesTitle + "\n\nNothing. Checked: the eigenvalues.\n\n### Source\n",
		"## pca\n\n**A method.**\n\n" + differencesTitle + "\n- The scale.\n### Source\n",
		"## pca\n\n**A method.**\n\n" + differencesTitle + "\n\nThe start.",
	} {
		if _, err := differences(page); err != nil {
			t.Errorf("the page\n%s\nfails: %v", page, err)
		}
	}
}
