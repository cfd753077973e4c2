package bench

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/testdata"
)

// UserSet is a real data set that suites read from the data folder, and which a user
// brings: only WDBC is part of the project. Its files are NAME.X.npy, one sample a row, and
// with it NAME.y.npy with the classes from 0, or NAME.params.npy.
type UserSet struct {
	Name              string
	Also              []string // names under which the files are found as well
	Samples, Features int
	Classes           int // 0: there are none
	What              string
	Source            string // where it comes from
	Licence           string
	matrix            string // the file of the samples where it is not NAME.X.npy
	truth             bool   // it has params in place of classes
}

const (
	uci          = "CC BY 4.0 (UCI)"
	notStated    = "not stated at its source; not for redistribution"
	researchOnly = "research only"
)

// userSets in the order in which they are listed.
var userSets = []UserSet{
	{Name: "pie27", Also: []string{"cmu-pie"}, Samples: 2856, Features: 1024, Classes: 68, What: "CMU-PIE, frontal pose 27: faces of 32 × 32 bytes, 42 a person", Source: "Sim, Baker, Bsat 2002; D. Cai's preparation", Licence: researchOnly + ", on application to CMU"},
	{Name: "yaleb32", Also: []string{"extended-yale-b"}, Samples: 2414, Features: 1024, Classes: 38, What: "Extended Yale B: faces of 32 × 32 bytes, about 64 a person", Source: "Georghiades, Belhumeur, Kriegman 2001; D. Cai's preparation", Licence: notStated},
	{Name: "orl32", Samples: 400, Features: 1024, Classes: 40, What: "ORL faces of 32 × 32 bytes, 10 a person", Source: "AT&T Laboratories Cambridge; D. Cai's preparation", Licence: notStated},
	{Name: "orl64", Samples: 400, Features: 4096, Classes: 40, What: "the same of 64 × 64 bytes", Source: "AT&T Laboratories Cambridge; D. Cai's preparation", Licence: notStated},
	{Name: "coil20", Samples: 1440, Features: 1024, Classes: 20, What: "COIL-20: views of 32 × 32 pixels in [0, 1], 72 an object, 5 degrees apart", Source: "Columbia University 1996", Licence: "non-commercial research"},
	{Name: "isomap-faces32", Samples: 698, Features: 1024, truth: true, What: "rendered faces of 32 × 32 pixels; params: light and pose", Source: "Tenenbaum, de Silva, Langford 2000", Licence: notStated},
	{Name: "usps", Samples: 11000, Features: 256, Classes: 10, What: "USPS digits of 16 × 16 bytes, 1100 of each", Source: "S. Roweis's page", Licence: notStated},
	{Name: "mnist10k", Samples: 10000, Features: 784, Classes: 10, What: "MNIST, the test digits of 28 × 28 bytes", Source: "Y. LeCun, C. Cortes, C. Burges", Licence: notStated},
	{Name: "mnist60k", Samples: 60000, Features: 784, Classes: 10, matrix: "mnist60k.X.npy.gz", What: "MNIST, the training digits", Source: "Y. LeCun, C. Cortes, C. Burges", Licence: notStated},
	{Name: "20news-w100", Samples: 16242, Features: 100, Classes: 4, matrix: "20news-w100.X.mtx", What: "newsgroups: which of 100 words occur in a posting", Source: "S. Roweis's page", Licence: notStated},
	{Name: "20news-1796", Samples: 5020, Features: 1796, Classes: 20, What: "newsgroups: 1796 words in 5020 postings, the selection of the paper on SMRMF", Source: "its authors", Licence: notStated},
	{Name: "wdbc", Samples: 569, Features: 30, Classes: 2, What: "breast tumours, 30 measurements; 1 = malignant", Source: "UCI", Licence: uci},
	{Name: "musk1", Samples: 476, Features: 166, Classes: 2, What: "molecules, 166 measurements; 1 = musk", Source: "UCI, Musk version 1", Licence: uci},
	{Name: "mfeat-fac", Samples: 2000, Features: 216, Classes: 10, What: "digits, 216 profile correlations", Source: "UCI, Multiple Features", Licence: uci},
	{Name: "mfeat-pix", Samples: 2000, Features: 240, Classes: 10, What: "digits of 16 × 15 pixels from 0 to 6", Source: "UCI, Multiple Features", Licence: uci},
	{Name: "semeion", Samples: 1593, Features: 256, Classes: 10, What: "digits of 16 × 16 bits", Source: "UCI", Licence: uci},
	{Name: "isolet1", Samples: 1560, Features: 617, Classes: 26, What: "spoken letters, the first group of speakers, 60 of each", Source: "UCI, ISOLET", Licence: uci},
	{Name: "ionosphere", Samples: 351, Features: 34, Classes: 2, What: "radar returns", Source: "UCI", Licence: uci},
	{Name: "sonar", Samples: 208, Features: 60, Classes: 2, What: "sonar returns of mines and rocks", Source: "UCI", Licence: uci},
	{Name: "movement", Samples: 360, Features: 90, Classes: 15, What: "Libras Movement: hand movements of Brazilian signs", Source: "UCI", Licence: uci},
	{Name: "pbmc-facs", Samples: 3774, Features: 14072, Classes: 5, matrix: "pbmc-facs.X.npz", What: "counts of genes in five sorted kinds of blood cells", Source: "Zheng and others 2017; the package fastTopics", Licence: notStated},
	{Name: "ova-colon", Samples: 1545, Features: 10935, Classes: 2, What: "gene expression, colon tumours against the others", Source: "OpenML, OVA_Colon", Licence: notStated},
}

// UserSets lists the sets that suites read from the data folder.
func UserSets() []UserSet { return slices.Clone(userSets) }

// Files lists the files of a set: the samples, then the classes or parameters.
func (s UserSet) Files() []string {
	list := []string{s.Name + ".X.npy"}
	if s.matrix != "" {
		list[0] = s.matrix
	}
	switch {
	case s.Classes > 0:
		list = append(list, s.Name+".y.npy")
	case s.truth:
		list = append(list, s.Name+".params.npy")
	}
	return list
}

// Found says which of the files of a set are not in the data folder, and the shape of
// the samples where they are.
func (s UserSet) Found(folder string) (absent []string, samples, features int) {
	for _, name := range s.Files() {
		if !exists(DataFile(folder, name)) {
			absent = append(absent, name)
		}
	}
	if path := DataFile(folder, s.Files()[0]); len(absent) == 0 {
		if extent, err := files.ExtentOf(path); err == nil {
			samples, features = extent.Rows, extent.Cols
		}
	}
	return absent, samples, features
}

// SuitesBySet lists the suites with a case that reads a set, in their order, by the name of
// each set.
func SuitesBySet(list Suites) map[string][]string {
	names := map[string][]string{}
	for _, suite := range list {
		read := map[string]bool{}
		for _, c := range suite.Cases(&Env{}) {
			for _, need := range c.Needs {
				read[need] = true
			}
		}
		for _, s := range userSets {
			if read["data:"+s.Files()[0]] {
				names[s.Name] = append(names[s.Name], suite.Name)
			}
		}
	}
	return names
}

// DataFile returns the path of a file of the data folder: by its own name, or where that
// is not there, by another name of its set. WDBC comes with the program.
func DataFile(folder, name string) string {
	path := filepath.Join(folder, name)
	if folder != "" && exists(path) {
		return path
	}
	for _, s := range userSets {
		rest, of := strings.CutPrefix(name, s.Name+".")
		if !of {
			continue
		}
		for _, also := range s.Also {
			if other := filepath.Join(folder, also+"."+rest); folder != "" && exists(other) {
				return other
			}
		}
	}
	if own := shippedFile(name); own != "" {
		return own
	}
	return path
}

// shippedName is the set that comes with the program, so that its cases count where there is
// no data folder.
const shippedName = "wdbc"

// shipped is the folder of the set that comes with the program, as its cases read it. It is
// written once, to the user's cache or the system's temporary files; empty: neither takes it.
var shipped = sync.OnceValue(func() string {
	places := []string{os.TempDir()}
	if cache, err := os.UserCacheDir(); err == nil {
		places = []string{cache, os.TempDir()}
	}
	for _, place := range places {
		folder := filepath.Join(place, "orthant", "data")
		if writeShipped(folder) == nil {
			return folder
		}
	}
	return ""
})

// writeShipped writes the files of the set where they are not there yet.
func writeShipped(folder string) error {
	matrix, classes := filepath.Join(folder, shippedName+".X.npy"), filepath.Join(folder, shippedName+".y.npy")
	if exists(matrix) && exists(classes) {
		return nil
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	table, labels := filepath.Join(folder, shippedName+".csv"), filepath.Join(folder, shippedName+".labels.csv")
	for file, text := range map[string][]byte{table: testdata.WDBC, labels: testdata.WDBCLabels} {
		if err := written(files.CreateRaw, file, func(out *files.Output) error {
			_, err := out.Write(text)
			return err
		}); err != nil {
			return err
		}
	}
	x, err := files.ReadMatrix(table, files.Options{})
	if err != nil {
		return err
	}
	y, err := files.ReadLabels(labels, files.Options{})
	if err != nil {
		return err
	}
	// The samples come last: where they are, all is there.
	if err := written(files.Create, classes, func(out *files.Output) error { return out.WriteLabels(y) }); err != nil {
		return err
	}
	return written(files.Create, matrix, func(out *files.Output) error { return out.WriteMatrix(x, files.Options{}) })
}

// written makes one file, whole or not at all.
func written(create func(string, io.Writer) (*files.Output, error), file string, write func(*files.Output) error) error {
	out, err := create(file, nil)
	if err != nil {
		return err
	}
	defer out.Discard()
	if err := write(out); err != nil {
		return err
	}
	return out.Commit()
}

// shippedFile is the path of a file of the set that comes with the program; empty: it is not
// one of it.
func shippedFile(name string) string {
	if rest, of := strings.CutPrefix(name, shippedName+"."); !of || rest != "X.npy" && rest != "y.npy" {
		return ""
	}
	if folder := shipped(); folder != "" {
		return filepath.Join(folder, name)
	}
	return ""
}
