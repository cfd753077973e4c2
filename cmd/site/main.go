// Site writes the documentation as static pages, which read nothing from the network: README, docs, and of each method its picture,
// parameters and example in four languages. Run it from the root of the repository with the folder to write: make site.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "site: give the folder to write, such as out/site")
		os.Exit(2)
	}
	s, err := read(".")
	if err == nil {
		err = s.write(os.Args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
	fmt.Printf("wrote %s: %d pages, of which index.html is the first\n", os.Args[1], len(s.pages))
}
