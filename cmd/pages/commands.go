package main

import (
	"path"
	"regexp"
	"strings"
)

// call is a line that is typed: of the command, or of the tools that put its inputs together.
var call = regexp.MustCompile(`^    (orthant|paste|head|for|echo) `)

// commands are the lines of a text that are typed.
func commands(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if call.MatchString(line) {
			list = append(list, strings.TrimSpace(line))
		}
	}
	return list
}

var picture = regexp.MustCompile(`!\[[^\]]*\]\(([^)]+[.]png)\)`)

// pictures are the addresses of those that a text shows.
func pictures(text string) []string {
	var list []string
	for _, found := range picture.FindAllStringSubmatch(text, -1) {
		list = append(list, found[1])
	}
	return list
}

var plotted = regexp.MustCompile(`--plot (\S+[.]png)\b`)

// drawn are the pictures of a text that its own commands draw: a picture has the name
// of the file behind --plot.
func drawn(text string) (list []string) {
	names := map[string]bool{}
	for _, command := range commands(text) {
		for _, found := range plotted.FindAllStringSubmatch(command, -1) {
			names[found[1]] = true
		}
	}
	for _, address := range pictures(text) {
		if names[path.Base(address)] {
			list = append(list, address)
		}
	}
	return list
}
