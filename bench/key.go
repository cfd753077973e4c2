package bench

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"

	"github.com/orthant-go/orthant/blas"
)

// key names what a case is: the case with its parameters, the content of the
// files that it reads, the version of the command, what computes, and whether it
// is the quick version. Measurements under one key may be put together; a case
// with another key is another case.
func (r *run) key(suite string, c *Case) string {
	text := fmt.Sprintf("%s\n%s\n%s\n%d %d\n%s\n%v\n%d\n%t\n%t\n%s\n", suite, c.Name, c.Data, c.N, c.M, c.Method, c.Params, c.ThreadCount(), c.Fresh, r.env.Quick, r.options.Version)
	backend := blas.MustSelect("")
	if c.Backend != "" {
		if chosen, err := blas.Select(c.Backend); err == nil {
			backend = chosen
		}
	}
	text += c.Backend + " " + backend.Name() + " " + blas.Describe(backend).ISA + "\n"
	if len(c.Env) > 0 {
		text += strings.Join(c.Env, " ") + "\n"
	}
	for _, need := range c.Needs {
		if name, isData := strings.CutPrefix(need, "data:"); isData && (r.env.Data != "" || shippedFile(name) != "") {
			text += name + " " + r.fileHash(name) + "\n"
		}
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:16]
}

// fileHash returns the hash of a file of the data folder, read once a run; ""
// where it cannot be read.
func (r *run) fileHash(name string) string {
	if r.hashes == nil {
		r.hashes = map[string]func() string{}
	}
	if r.hashes[name] == nil {
		r.hashes[name] = sync.OnceValue(func() string {
			h, err := hashFile(DataFile(r.env.Data, name))
			if err != nil {
				return ""
			}
			return h
		})
	}
	return r.hashes[name]()
}
