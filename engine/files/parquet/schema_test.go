package parquet

import (
	"strings"
	"testing"

	library "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// old is a column's type as programs wrote it before there were logical types.
type old struct {
	library.Type
	converted deprecated.ConvertedType
}

func (old) LogicalType() *format.LogicalType           { return nil }
func (o old) ConvertedType() *deprecated.ConvertedType { return &o.converted }

func TestOldTypesOfColumns(t *testing.T) {
	for converted, want := range map[deprecated.ConvertedType]struct {
		not            string
		lost, unsigned bool
	}{
		deprecated.Int8: {}, deprecated.Int16: {}, deprecated.Int32: {}, deprecated.Int64: {},
		deprecated.Uint8: {unsigned: true}, deprecated.Uint16: {unsigned: true}, deprecated.Uint32: {unsigned: true}, deprecated.Uint64: {unsigned: true},
		deprecated.Decimal: {not: "decimal", lost: true}, deprecated.Date: {not: "dates"}, deprecated.UTF8: {not: "text"}, deprecated.TimeMillis: {not: "dates"},
	} {
		not, lost, unsigned := numbers(old{library.Int64Type, converted})
		if (not == "") != (want.not == "") || !strings.Contains(not, want.not) || lost != want.lost || unsigned != want.unsigned {
			t.Errorf("%v: %q, lost %t, unsigned %t, want %+v", converted, not, lost, unsigned, want)
		}
	}
	if not, _, _ := numbers(library.ByteArrayType); !strings.Contains(not, "bytes") {
		t.Errorf("bytes: %q", not)
	}
}
