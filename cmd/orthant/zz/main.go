package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
	"github.com/schollz/progressbar/v3"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
)

func main() {
	c := &cobra.Command{Use: "x"}
	if len(os.Args) > 5 {
		p := plot.New()
		_ = p
		_ = vgimg.New
		_ = vgsvg.New
		_ = term.IsTerminal(1)
		_ = progressbar.New
		_ = c
		_ = engine.Methods
		_ = datasets.Names
	}
	fmt.Println("x")
}
