package main

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

var (
	offeredFlags = regexp.MustCompile(`(?:--[a-z][a-z-]* (?:'[^']*'|[^\s,;:()'"][^\s,;()'"]*|:\S[^\s,;()]*)(?:,[^\s,;()'"]+)*(?: |$|[,;:)]))+`)
	oneFlag      = regexp.MustCompile(`(--[a-z][a-z-]*) ('[^']*'|[^\s;()]+)`)
	policyWord   = regexp.MustCompile(`\b(auto|largest|each|joint|bridge)\b`)
)

// remedies are the command lines that a message offers in place of one.
func remedies(line []string, message string) (list [][]string) {
	with := func(flags ...string) {
		changed := slices.Clone(line)
		for i := 0; i < len(flags); i += 2 {
			at := slices.Index(changed, flags[i])
			if flags[i] == "--set" {
				key, _, _ := strings.Cut(flags[i+1], "=")
				at = slices.IndexFunc(changed, func(word string) bool { return strings.HasPrefix(word, key+"=") }) - 1
			}
			if at >= 0 {
				changed[at+1] = flags[i+1]
			} else {
				changed = append(changed, flags[i], flags[i+1])
			}
		}
		if !slices.Equal(changed, line) && !slices.ContainsFunc(list, func(known []string) bool { return slices.Equal(known, changed) }) {
			list = append(list, changed)
		}
	}
	_, offer, _ := strings.Cut(message, "; ") // what is wrong, and what mends it
	for _, sequence := range offeredFlags.FindAllString(offer, -1) {
		var flags []string
		for _, f := range oneFlag.FindAllStringSubmatch(sequence, -1) {
			value := strings.TrimRight(f[2], ",:")
			if value = strings.Trim(value, "'"); f[1] == "--set" && !strings.Contains(value, "=") {
				continue
			}
			flags = append(flags, f[1], value)
		}
		if len(flags) > 0 {
			with(flags...)
		}
	}
	if strings.Contains(offer, "components=") || strings.Contains(message, "components=") && strings.Contains(offer, "choose") {
		for _, policy := range policyWord.FindAllString(offer, -1) {
			with("--set", "components="+policy)
		}
	}
	if at := slices.Index(line, "--model"); at >= 0 && strings.Contains(offer, "leave the model out") {
		list = append(list, slices.Concat(line[:at], line[at+2:]))
	}
	if most := limitOffered.FindStringSubmatch(message); most != nil {
		with(map[string]string{"dim": "--dim", "clusters": "--clusters"}[cmp.Or(most[1], most[2], most[3])], most[4])
	}
	for _, changed := range list {
		if at := slices.Index(changed, "leiden"); at >= 0 { // which finds the number of clusters
			at = slices.Index(changed, "--clusters")
			copy(changed[at:], changed[at+2:])
			list = slices.DeleteFunc(list, func(other []string) bool { return slices.Equal(other, changed) })
			list = append(list, changed[:len(changed)-2])
			break
		}
	}
	return list
}

// limitOffered is a number of dimensions or clusters that a message offers in place of too large or small a one.
var limitOffered = regexp.MustCompile(`(?:(dim) \d+ requested of \d+ samples; give at most|\d+ (clusters);.*ask for|\d+ (clusters) requested of \d+ samples; give a number from \d+ to) (\d+)`)

// secondFault is in messages about what is wrong whatever the components are, besides what is wrong of these.
var secondFault = regexp.MustCompile(`weights=|dim \d+ requested`)

// graphsByEdges are graphs of few vertices, some without edges.
var graphsByEdges = map[string]string{
	"one":      "a,a,1\n",
	"pair":     "a,b,1\n",
	"alone":    "a,a,1\nb,b,1\nc,c,1\nd,d,1\ne,e,1\n",
	"pairs":    "a,b,1\nc,d,2\ne,f,1\n",
	"triangle": "a,b,1\nb,c,2\na,c,1.5\nd,d,1\n",
	"mixed":    "a,b,1\nb,c,2\nc,d,1\nd,e,1\ne,f,2\nf,a,1.5\nb,f,1\ng,h,1\ni,i,1\nj,j,1\n",
	"parts":    "a,b,1\nb,c,2\nc,d,1\nd,a,1\na,c,2\nk,l,1\nl,m,2\nm,n,1\nn,k,1\nk,m,2\n",
}

// Every method of graphs takes every graph of few vertices, given by its edges, with each policy for components, or says why not; each remedy that it offers
// works, and coordinates are missing only where that was asked for.
func TestRemediesOfSmallGraphs(t *testing.T) {
	inFolder(t, "60")
	for name, text := range graphsByEdges {
		write(t, name+".csv", "from,to,weight\n"+text)
	}
	var lines []string
	for name := range graphsByEdges {
		for _, given := range []string{"graph", "affinities"} {
			of := fmt.Sprintf(" --%s %s.csv --out y.csv", given, name)
			for _, method := range []string{"le", "nle", "isomap", "diffusion-maps", "umap --set epochs=5", "tsne --iterations 5", "pacmap --set mid_near=0 --iterations 5", "smacof"} {
				for _, policy := range []string{"auto", "error", "largest", "each", "joint", "bridge"} {
					lines = append(lines, "embed --method "+method+of+" --set components="+policy)
				}
			}
			for _, clusters := range []string{"spectral --clusters 1", "spectral --clusters 2", "spectral --clusters 3", "leiden", "hdbscan"} {
				lines = append(lines, "cluster --method "+clusters+of)
			}
		}
	}
	seen, offers := map[string]bool{}, 0
	var run func(line []string, why []string)
	run = func(line []string, why []string) {
		o := orthant(t, line...)
		switch text := strings.Join(line, " "); {
		case o.status == exitDone || o.status == exitNotConverged:
			if strings.Contains(strings.ToLower(string(read(t, "y.csv"))), "nan") && !strings.Contains(text, "components=largest") {
				t.Errorf("orthant %s: NaN that nobody asked for", text)
			}
		case len(why) > 0 && !secondFault.MatchString(why[0]+o.err) || slices.Contains(why, o.err) || len(why) > 2 || o.status != exitUsage || strings.Contains(o.err, "‹"):
			t.Errorf("orthant %s: status %d, %s  after %q", text, o.status, o.err, why)
		default:
			said := strings.Split(strings.TrimSpace(o.err), "\n")
			for _, changed := range remedies(line, said[len(said)-1]) {
				if key := strings.Join(changed, " "); !seen[key] {
					seen[key] = true
					offers++
					run(changed, append(slices.Clone(why), o.err))
				}
			}
		}
	}
	for _, text := range lines {
		run(strings.Fields(text), nil)
	}
	if offers < 60 {
		t.Errorf("%d remedies", offers)
	}
}

// What a message offers works: every flag of every remedy is fed back to the command.
func TestRemediesWork(t *testing.T) {
	inFolder(t, "60")
	n := 60
	x := mat.NewDense(n, 2, nil)
	for i := range n { // three groups on a plane
		x.SetRow(i, []float64{float64(i%20)*0.9 + 500*float64(i/20), math.Sin(float64(i*i)) * 3})
	}
	save(t, "groups.npy", x)
	// Graphs of these samples: of groups, with a sample that has no edge, of pairs.
	for name, joined := range map[string]func(i, j int) bool{
		"parts":    func(i, j int) bool { return i/20 == j/20 },
		"isolated": func(i, j int) bool { return i != 17 && j != 17 && (i/20 == j/20 || i%20 == j%20) },
		"alone":    func(i, j int) bool { return i/20 == j/20 && i < 41 && j < 41 },
		"pairs":    func(i, j int) bool { return i/2 == j/2 },
	} {
		var lengths, weights []sparse.Triplet
		for i := range n {
			for j := range n {
				if d := math.Hypot(x.At(i, 0)-x.At(j, 0), x.At(i, 1)-x.At(j, 1)); i != j && joined(i, j) {
					lengths, weights = append(lengths, sparse.Triplet{Row: i, Col: j, Val: d}), append(weights, sparse.Triplet{Row: i, Col: j, Val: 1 / (1 + d)})
				}
			}
		}
		for prefix, entries := range map[string][]sparse.Triplet{"g-": lengths, "w-": weights} {
			a, err := sparse.FromTriplets(n, n, entries)
			if err != nil {
				t.Fatal(err)
			}
			save(t, prefix+name+".npz", a)
		}
	}
	var lines []string
	for _, method := range []string{"le", "isomap", "lle", "neml", "ltsa", "hlle", "diffusion-maps", "lnp", "smce", "lpp", "npp", "nle"} {
		for _, policy := range []string{"error", "auto", "largest", "each", "joint", "bridge"} {
			for _, more := range []string{"", " --dim 8 --neighbors 9", " --neighbors 1", " --model m.model"} {
				lines = append(lines, fmt.Sprintf("embed --method %s --in groups.npy --neighbors 6 --out y.npy --set components=%s%s", method, policy, more))
			}
			for _, graph := range []string{"parts", "isolated", "alone", "pairs"} {
				for _, in := range []string{"", " --in groups.npy"} {
					for _, more := range []string{"", " --model m.model"} {
						lines = append(lines, fmt.Sprintf("embed --method %s --graph g-%s.npz%s --out y.npy --set components=%s%s", method, graph, in, policy, more),
							fmt.Sprintf("embed --method %s --affinities w-%s.npz%s --out y.npy --set components=%s%s", method, graph, in, policy, more))
					}
				}
			}
		}
	}
	for _, graph := range []string{"parts", "isolated", "alone", "pairs"} {
		for _, in := range []string{"", " --in groups.npy"} {
			lines = append(lines, "cluster --method spectral --clusters 3 --out c.npy --affinities w-"+graph+".npz"+in, "cluster --method spectral --clusters 3 --out c.npy --graph g-"+graph+".npz"+in)
		}
	}
	write(t, "iris.csv", "length,width,name,species,site\n"+strings.Repeat("1,2,a,x,n\n3,5,b,y,n\n5,7,c,y,m\n2,1,d,x,m\n", 1)+"6,3,e,x,n\n9,4,f,y,m\n")
	write(t, "gaps.csv", "a,b\n1,2\n3,\n5,7\n2,1\n4,4\n6,9\n")
	write(t, "semicolons.csv", "a;b\n1;2\n3;4\n5;7\n2;1\n4;4\n6;9\n")
	write(t, "signs.csv", "1,-2\n3,4\n5,7\n2,1\n4,4\n6,9\n")
	lines = append(lines, "embed --method pca --in iris.csv --out y.npy", "embed --method pca --in gaps.csv --out y.npy", "embed --method pca --in semicolons.csv --out y.npy",
		"factorize --method nmf --in signs.csv --rank 2 --iterations 5 --out-w w.npy", "cluster --method kmeans --in iris.csv --clusters 2 --out c.npy")
	seen, offers := map[string]bool{}, 0
	for _, text := range lines {
		line := strings.Fields(text)
		o := orthant(t, line...)
		if o.status == exitFailed || strings.Contains(o.err, "‹") {
			t.Errorf("orthant %s: status %d, %s", text, o.status, o.err)
		}
		if o.status != exitUsage {
			continue
		}
		for _, changed := range remedies(line, o.err) {
			key := strings.Join(changed, " ")
			if seen[key] {
				continue
			}
			seen[key] = true
			offers++
			if again := orthant(t, changed...); !reachesResult(t, changed, again, 2) {
				t.Errorf("orthant %s\n  %s  its remedy, orthant %s\n  %s", text, o.err, key, again.err)
			}
		}
	}
	if offers < 40 {
		t.Errorf("%d remedies", offers)
	}
}

// reachesResult reports whether a command ends in a result, if need be by a remedy of another fault, which the first one hid, and so on.
func reachesResult(t *testing.T, line []string, o outcome, faults int) bool {
	if o.status == exitDone || o.status == exitNotConverged {
		return true
	}
	if o.status != exitUsage || faults == 0 {
		return false
	}
	for _, changed := range remedies(line, o.err) {
		if reachesResult(t, changed, orthant(t, changed...), faults-1) {
			return true
		}
	}
	return false
}

// What a message about a table offers works on that table: each remedy is fed back, and leads in the end to a result,
// never to a message that was seen before.
func TestRemediesOfTablesEnd(t *testing.T) {
	inFolder(t, "60")
	tables := map[string]string{
		"text.csv":      "name,length,species,width\na,1,x,2\nb,2,x,1\nc,3,y,5\nd,5,y,4\n",
		"dates.csv":     "time,length,width\n2024-01-31 10:00,1,2\n2024-01-31 11:00,2,1\n2024-01-31 12:00,3,5\n",
		"hours.txt":     "date time v w\n2024-01-31 10:00 1 2\n2024-02-01 11:00 2 1\n2024-02-02 12:00 3 5\n",
		"nameless.csv":  "31.01.2024,1,2\n01.02.2024,2,1\n02.02.2024,3,5\n",
		"booleans.csv":  "a,b,ok\n1,2,TRUE\n3,5,FALSE\n4,4,TRUE\n6,9,FALSE\n",
		"mixed.csv":     "name,b,ok\nu,2,TRUE\nv,5,FALSE\nw,4,TRUE\nx,9,FALSE\n",
		"preamble.csv":  "Device: 7\nSerial: 8\n\ntime,v,w\ns,V,A\n0,1,2\n1,3,5\n2,4,4\n",
		"preamble.txt":  "Device 7\nSerial number 8 of 9\ntime v\n0 1\n1 3\n2 5\n",
		"narrow.csv":    "Data of May\n1,2\n3,5\n4,4\n",
		"blank.csv":     "Data of May\n\na,b\n1,2\n3,5\n4,4\n",
		"bars.csv":      "a|b\n1|2\n3|5\n4|4\n",
		"semicolon.csv": "a;b,c\n1;2\n3;5\n4;4\n",
		"tabs.csv":      "a\tb\n1\t2\n3\t5\n4\t4\n",
		"commas.tsv":    "a,b\n1,2\n3,5\n4,4\n",
		"thousands.csv": "a;b\n1,234;2\n2,345;5\n4,567;4\n",
		"both.csv":      "a;b\n1,234;2.5\n2,345;5\n4,567;4\n",
		"gaps.csv":      "a,b\n1,2\n3,\n5,7\n2,1\n4,4\n",
		"gapsNA.csv":    "when,a,b\n2024-01-01,1,2\n2024-01-02,NA,3\n2024-01-03,5,7\n2024-01-04,6,1\n",
		"trailing.csv":  "a,b,\n1,2,\n3,5,\n4,4,\n2,7,\n6,1,9\n",
		"unnamed.csv":   "a,,b\n1,,2\n3,,5\n4,,4\n2,,7\n6,8,1\n",
		"pauses.csv":    "a,b\n1,2\n# pause\n3,5\n4,4\n",
		"slip.csv":      "a,b\n1,2\n3,#5\n4,4\n",
		"index.csv":     ",a,b\nr1,1,2\nr2,3,5\nr3,4,4\n",
		"numbered.csv":  ",0,1\n0,1,2\n1,3,5\n2,4,4\n",
	}
	flag := regexp.MustCompile(`--(drop|id|labels|delimiter|missing|skip-rows|comment|columns|thousands|booleans)(?: ('[^']*'|[^\s;()']+))?`)
	offers := 0
	// follow reports whether a line of commands, or a remedy of what it says, gives a result.
	var follow func(line, seen []string) bool
	follow = func(line, seen []string) bool {
		o := orthant(t, line...)
		if o.status != exitUsage {
			return o.status == exitDone
		}
		said := strings.Split(strings.TrimSuffix(o.err, "\n"), "\n")
		message := said[len(said)-1]
		if slices.Contains(seen, message) || len(seen) > 4 {
			t.Errorf("orthant %s\n  %s  comes back after %q", strings.Join(line, " "), message, seen)
			return false
		}
		seen = append(slices.Clone(seen), message)
		works := false
		// What is offered together is between "or": the flags of each alternative.
		for _, alternative := range strings.Split(message, " or ") {
			changed := slices.Clone(line)
			for _, f := range flag.FindAllStringSubmatch(alternative, -1) {
				value := strings.Trim(strings.TrimRight(f[2], ":"), "'")
				if len(value) > 1 {
					value = strings.TrimRight(value, ",")
				}
				if f[1] == "booleans" {
					changed = append(changed, "--booleans")
				} else if value != "" {
					if at := slices.Index(changed, "--"+f[1]); at >= 0 && f[1] == "drop" { // in addition
						value = changed[at+1] + "," + value
					}
					changed = append(changed, "--"+f[1], value)
				}
			}
			if len(changed) > len(line) {
				offers++
				works = follow(changed, seen) || works
			}
		}
		return works
	}
	for name, text := range tables {
		write(t, name, text)
		if !follow([]string{"embed", "--method", "pca", "--dim", "1", "--in", name, "--out", "y.npy"}, nil) && name != "slip.csv" {
			t.Errorf("%s: no remedy that works", name)
		}
	}
	if offers < 30 {
		t.Errorf("%d remedies", offers)
	}
}
