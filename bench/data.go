package bench

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/files"
)

// Source is where the samples of a case come from: a generator, or a file of the
// data folder.
type Source struct {
	Generator string // a name of [datasets.Names]
	N         int
	Seed      uint64            // 0: 1
	Set       map[string]string // of the generator

	File     string  // such as "usps.X.npy"; in the same folder are, where there are any, usps.y.npy and usps.params.npy
	Classes  []int64 // keep only these classes; nil: all
	PerClass int     // keep this many samples of each class, the first ones; 0: all
}

// Generated is the source of n drawn samples; settings are key, value, key, ….
func Generated(name string, n int, settings ...string) Source {
	s := Source{Generator: name, N: n, Seed: 1}
	for i := 0; i+1 < len(settings); i += 2 {
		if s.Set == nil {
			s.Set = map[string]string{}
		}
		s.Set[settings[i]] = settings[i+1]
	}
	return s
}

// FromFile is the source of the samples in a file of the data folder.
func FromFile(name string) Source { return Source{File: name} }

// Name is what a record says of the source.
func (s Source) Name() string {
	name := s.Generator
	if s.File != "" {
		name = s.File
	}
	if len(s.Classes) > 0 {
		name += fmt.Sprintf(" classes=%v", s.Classes)
	}
	if s.PerClass > 0 {
		name += fmt.Sprintf(", the first %d of each class", s.PerClass)
	}
	var set []string
	for key, value := range s.Set {
		set = append(set, key+"="+value)
	}
	if slices.Sort(set); len(set) > 0 {
		name += " " + strings.Join(set, " ")
	}
	if s.Seed > 1 {
		name += fmt.Sprintf(" seed=%d", s.Seed)
	}
	return name
}

// Needs lists what has to be there to load the source.
func (s Source) Needs() []string {
	if s.File == "" {
		return nil
	}
	needs := []string{"data:" + s.File}
	if s.selects() {
		needs = append(needs, "data:"+s.PartFile("y"))
	}
	return needs
}

// selects reports whether not all samples are kept.
func (s Source) selects() bool { return s.PerClass > 0 || len(s.Classes) > 0 }

// Data is a data set. It is shared: leave it as it is.
type Data struct {
	X      *mat.Dense // n × m, one sample a row
	Truth  *mat.Dense // n × p, the true coordinates; nil: not known
	Labels []int64    // the class of each sample; nil: there are none
	Hash   string     // see [HashMatrix]

	Path string // of the file that holds X and nothing else; "": there is none
}

// Load gives the data set. What was used last is kept in memory (see [Cached]).
func (s Source) Load(e *Env) (*Data, error) {
	key := fmt.Sprintf("%s %d %s", s.Name(), s.N, e.Data)
	return Cached(key, func() (*Data, error) {
		d, err := s.read(e)
		if err != nil {
			return nil, err
		}
		d.Hash = HashMatrix(d.X)
		return d, nil
	})
}

// Cached returns the data set that is kept by this key, or else what load makes,
// which is then kept, up to a bound for all data sets together. The key says
// everything that the data set depends on.
func Cached(key string, load func() (*Data, error)) (*Data, error) {
	if d := loaded.get(key); d != nil {
		return d, nil
	}
	d, err := load()
	if err != nil {
		return nil, err
	}
	loaded.put(key, d)
	return d, nil
}

func (s Source) read(e *Env) (*Data, error) {
	if s.File == "" {
		set, err := datasets.Generate(s.Generator, s.N, max(1, s.Seed), s.Set)
		if err != nil {
			return nil, err
		}
		return &Data{X: set.X, Truth: set.Params, Labels: set.Labels}, nil
	}
	d := &Data{Path: DataFile(e.Data, s.File)}
	var err error
	if d.X, err = files.ReadMatrix(d.Path, files.Options{}); err != nil {
		return nil, err
	}
	if path := DataFile(e.Data, s.PartFile("y")); exists(path) {
		if d.Labels, err = files.ReadLabels(path, files.Options{}); err != nil {
			return nil, err
		}
	}
	if path := DataFile(e.Data, s.PartFile("params")); exists(path) {
		if d.Truth, err = files.ReadMatrix(path, files.Options{}); err != nil {
			return nil, err
		}
	}
	if s.selects() {
		return d.selected(s.Classes, s.PerClass)
	}
	return d, nil
}

// PartFile returns the name of the file with a part of the set: usps.y.npy for
// usps.X.npy.
func (s Source) PartFile(part string) string {
	stem, _, _ := strings.Cut(s.File, ".X.")
	return stem + "." + part + ".npy"
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// selected keeps the samples of some classes, and of each the first ones, in
// their order.
func (d *Data) selected(classes []int64, count int) (*Data, error) {
	if n, _ := d.X.Dims(); len(d.Labels) != n {
		return nil, fmt.Errorf("%d labels for %d samples", len(d.Labels), n)
	}
	taken := map[int64]int{}
	var rows []int
	for i, class := range d.Labels {
		if len(classes) > 0 && !slices.Contains(classes, class) {
			continue
		}
		if taken[class]++; count == 0 || taken[class] <= count {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("no sample is of the classes %v", classes)
	}
	return d.Rows(rows), nil
}

func (d *Data) Rows(rows []int) *Data {
	_, m := d.X.Dims()
	kept := &Data{X: mat.NewDense(len(rows), m, nil)}
	if d.Truth != nil {
		_, p := d.Truth.Dims()
		kept.Truth = mat.NewDense(len(rows), p, nil)
	}
	for at, i := range rows {
		kept.X.SetRow(at, d.X.RawRowView(i))
		if d.Truth != nil {
			kept.Truth.SetRow(at, d.Truth.RawRowView(i))
		}
		if d.Labels != nil {
			kept.Labels = append(kept.Labels, d.Labels[i])
		}
	}
	return kept
}

// maxLoaded bounds the data sets kept, in bytes.
const maxLoaded = 512 << 20

// loaded are the data sets used last, the latest at the end.
var loaded cache

// Forget lets go of the data sets used last, for a case that measures the memory of its own
// process.
func Forget() {
	loaded.mu.Lock()
	defer loaded.mu.Unlock()
	loaded.keys, loaded.sets = nil, nil
}

type cache struct {
	mu   sync.Mutex
	keys []string
	sets []*Data
}

func (c *cache) get(key string) *Data {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.keys, key)
	if i < 0 {
		return nil
	}
	d := c.sets[i]
	c.keys = append(slices.Delete(c.keys, i, i+1), key)
	c.sets = append(slices.Delete(c.sets, i, i+1), d)
	return d
}

func (c *cache) put(key string, d *Data) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keys, c.sets = append(c.keys, key), append(c.sets, d)
	total := 0
	for i := len(c.sets) - 1; i >= 0; i-- {
		n, m := c.sets[i].X.Dims()
		if total += 8 * n * m; total > maxLoaded {
			c.keys, c.sets = slices.Delete(c.keys, 0, i+1), slices.Delete(c.sets, 0, i+1)
			return
		}
	}
}

// HashMatrix names the content of a data set: the first 16 hex digits of the
// SHA-256 over the numbers of rows and columns and then the entries row by row,
// all little-endian, as int64 and float64.
func HashMatrix(x mat.Matrix) string {
	rows, cols := x.Dims()
	h := sha256.New()
	line := make([]byte, 0, 8*max(cols, 2))
	line = binary.LittleEndian.AppendUint64(line, uint64(rows))
	line = binary.LittleEndian.AppendUint64(line, uint64(cols))
	h.Write(line)
	dense, _ := x.(*mat.Dense)
	row := make([]float64, cols)
	for i := range rows {
		if dense != nil {
			row = dense.RawRowView(i)
		} else {
			mat.Row(row, i, x)
		}
		line = line[:0]
		for _, v := range row {
			line = binary.LittleEndian.AppendUint64(line, math.Float64bits(v))
		}
		h.Write(line)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// hashFile names the bytes of a file in the same way.
func hashFile(path string) (string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("bench: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])[:16], nil
}

// DrawnRows draws some of n rows, ascending, always the same: they represent a large set.
func DrawnRows(n, count int) []int {
	stream := blas.NewStream(1)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	for i := range count {
		j := i + stream.Below(n-i)
		order[i], order[j] = order[j], order[i]
	}
	slices.Sort(order[:count])
	return order[:count]
}
