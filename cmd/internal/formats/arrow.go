//go:build arrow

package formats

// Arrow's library adds 5 MB to the command: "go build -tags arrow ./cmd/orthant".
import _ "github.com/orthant-go/orthant/engine/files/arrow"
