package main

import (
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
	return list
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
			if again := orthant(t, changed...); again.status != exitDone && again.status != exitNotConverged {
				t.Errorf("orthant %s\n  %s  its remedy, orthant %s\n  %s", text, o.err, key, again.err)
			}
		}
	}
	if offers < 40 {
		t.Errorf("%d remedies", offers)
	}
}
