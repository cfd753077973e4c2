package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/internal/disk"
	"github.com/orthant-go/orthant/internal/release"
)

// newMan returns the hidden command that writes the man pages: make man.
func newMan(inv *invocation) *cobra.Command {
	return &cobra.Command{
		Use: "man FOLDER", Short: "Write the man pages", Hidden: true,
		Long:    "Man writes a man page for the command and for each of its subcommands into a folder.",
		Example: "  orthant man share/man/man1\n  man -l share/man/man1/orthant-embed.1",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return wrong("give the folder for the man pages")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if err := disk.MakeFolders(filepath.Clean(args[0])); err != nil {
				return &inputError{Err: err}
			}
			root := newRoot(inv)
			pages := []*cobra.Command{root}
			for at := 0; at < len(pages); at++ {
				pages = append(pages, below(pages[at])...)
			}
			for _, c := range pages {
				out, err := inv.createRaw(filepath.Join(args[0], manName(c)+".1"))
				if err != nil {
					return err
				}
				if _, err := out.Write([]byte(manPage(c))); err != nil {
					return err
				}
			}
			return inv.commit()
		},
	}
}

// manName is a command's name as man pages have it: orthant-embed.
func manName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manPage is the help of a command in the language of man. It has no date: the same
// version gives the same bytes.
func manPage(c *cobra.Command) string {
	var b strings.Builder
	name := manName(c)
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"orthant %s\" \"Orthant\"\n", strings.ToUpper(escaped(name)), escaped(release.Version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", escaped(name), escaped(strings.ToLower(c.Short[:1])+c.Short[1:]))
	usage := c.UseLine()
	if !c.HasParent() {
		usage = "orthant COMMAND [flags]"
	}
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", escaped(usage))
	text := c.Long
	if text == "" {
		text = c.Short + "."
	}
	b.WriteString(".SH DESCRIPTION\n" + manText(filled(text)))
	if list := below(c); len(list) > 0 {
		b.WriteString(".SH COMMANDS\n")
		for _, sub := range list {
			fmt.Fprintf(&b, ".TP\n.BR %s (1)\n%s\n", escaped(manName(sub)), escaped(sub.Short))
		}
	}
	if c.Example != "" {
		b.WriteString(".SH EXAMPLES\n" + manText(c.Example))
	}
	heading := ""
	flag := func(of string, f *pflag.Flag) {
		if of != heading {
			heading = of
			fmt.Fprintf(&b, ".SH %s\n", strings.ToUpper(escaped(of)))
		}
		b.WriteString(manFlag(f))
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if of := f.Annotations[headingKey]; of != nil {
			flag(of[0], f)
		}
	})
	c.Root().PersistentFlags().VisitAll(func(f *pflag.Flag) { flag("Common flags", f) })
	if c.HasParent() {
		fmt.Fprintf(&b, ".SH SEE ALSO\n.BR %s (1)\n", escaped(manName(c.Parent())))
		return b.String()
	}
	first, rest, _ := strings.Cut(rootStatuses, "\n")
	fmt.Fprintf(&b, ".SH %s\n%s", strings.ToUpper(strings.TrimSuffix(first, ":")), manText(rest))
	return b.String()
}

// below are the subcommands that the help names.
func below(c *cobra.Command) (list []*cobra.Command) {
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			list = append(list, sub)
		}
	}
	return list
}

// manFlag is the entry of one flag.
func manFlag(f *pflag.Flag) string {
	value, usage := pflag.UnquoteUsage(f)
	short := ""
	if f.Shorthand != "" {
		short = "\\fB\\-" + f.Shorthand + "\\fR, "
	}
	if value != "" {
		value = " \\fI" + escaped(value) + "\\fR"
	}
	usage = filled(usage)
	if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "[]" && !strings.Contains(usage, "(default") {
		usage += " (default " + f.DefValue + ")"
	}
	return fmt.Sprintf(".TP\n%s\\fB\\-\\-%s\\fR%s\n%s\n", short, escaped(f.Name), value, escaped(usage))
}

// manText sets paragraphs, and leaves lines that are indented as they are.
func manText(text string) string {
	var b strings.Builder
	asIs := false
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		line = strings.TrimSuffix(line, "\n")
		switch indented := strings.HasPrefix(line, " "); {
		case line == "":
			if asIs {
				b.WriteString(".fi\n")
			}
			asIs = false
			b.WriteString(".PP\n")
			continue
		case indented && !asIs:
			b.WriteString(".nf\n")
			asIs = true
		case !indented && asIs:
			b.WriteString(".fi\n")
			asIs = false
		}
		b.WriteString(escaped(line) + "\n")
	}
	if asIs {
		b.WriteString(".fi\n")
	}
	return b.String()
}

// escaped has nothing that man would take for a command.
func escaped(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, `\`, `\e`), "-", `\-`)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
