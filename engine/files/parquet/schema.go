package parquet

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/orthant-go/orthant/engine/files"
)

// leaf is a column that values are stored in.
type leaf struct {
	*parquet.Column
	name     string
	kind     parquet.Kind
	unsigned bool
	list     bool
}

// leaves lists the columns of a file with what they are as numbers.
func leaves(root *parquet.Column, schema []format.SchemaElement) ([]leaf, []files.Column) {
	halves := halfColumns(schema)
	var all []leaf
	var described []files.Column
	for _, top := range root.Columns() {
		below := leavesBelow(nil, top)
		for _, c := range below {
			l := leaf{Column: c, name: strings.Join(c.Path(), "."), kind: c.Type().Kind(), list: c.MaxRepetitionLevel() == 1}
			if l.list && len(below) == 1 {
				l.name = top.Name() // not "embedding.list.element"
			}
			d := files.Column{Name: l.name}
			d.Not, d.Lost, l.unsigned = numbers(c.Type())
			if halves[c.Index()] {
				d.Not, d.Lost = "holds numbers of 16 bits, which are not supported: write it as float", true
			}
			if c.MaxRepetitionLevel() > 1 || l.list && len(below) > 1 {
				d.Not, d.Lost = "holds lists of lists, or maps", false
			}
			all, described = append(all, l), append(described, d)
		}
	}
	return all, described
}

// halfColumns reports which columns hold float16, which the library takes for bytes.
func halfColumns(schema []format.SchemaElement) map[int]bool {
	found, at := map[int]bool{}, 0
	for i := range schema {
		if !schema[i].Type.Valid { // a group of columns
			continue
		}
		if _, half := schema[i].LogicalType.Value.(*format.Float16Type); half {
			found[at] = true
		}
		at++
	}
	return found
}

func leavesBelow(found []*parquet.Column, c *parquet.Column) []*parquet.Column {
	if c.Leaf() {
		return append(found, c)
	}
	for _, below := range c.Columns() {
		found = leavesBelow(found, below)
	}
	return found
}

// numbers says why a column cannot be read as numbers, if so.
func numbers(t parquet.Type) (not string, lost, unsigned bool) {
	if logical := t.LogicalType(); logical != nil {
		switch v := logical.Value.(type) {
		case nil:
		case *format.IntType:
			return "", false, !v.IsSigned
		case *format.DecimalType:
			return "holds decimal numbers, which are not supported: write it as double", true, false
		default:
			return fmt.Sprintf("holds no numbers but %s", strings.ToLower(logical.String())), false, false
		}
	} else if old := t.ConvertedType(); old != nil {
		switch *old {
		case deprecated.Int8, deprecated.Int16, deprecated.Int32, deprecated.Int64:
			return "", false, false
		case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
			return "", false, true
		case deprecated.Decimal:
			return "holds decimal numbers, which are not supported: write it as double", true, false
		}
		return "holds no numbers but text, dates or the like", false, false
	}
	switch t.Kind() {
	case parquet.Boolean, parquet.Int32, parquet.Int64, parquet.Float, parquet.Double:
		return "", false, false
	}
	return "holds no numbers but bytes or text", false, false
}

// table is the schema of a file to be written. Unlike a parquet.Group it keeps the
// order of its columns.
type table struct {
	parquet.Group
	fields []parquet.Field
}

func newTable(t files.TableType) table {
	kind := map[files.NumberType]parquet.Type{files.Float64: parquet.DoubleType, files.Float32: parquet.FloatType, files.Int64: parquet.Int64Type}[t.Type]
	s := table{Group: parquet.Group{}}
	for _, name := range t.Names {
		node := parquet.Encoded(parquet.Leaf(kind), &parquet.Plain)
		s.Group[name] = node
		s.fields = append(s.fields, field{node, name})
	}
	return s
}

func (t table) Fields() []parquet.Field { return t.fields }

type field struct {
	parquet.Node
	name string
}

func (f field) Name() string { return f.name }

// Value would serve to take a row apart that is given as a map; rows here are not.
func (f field) Value(base reflect.Value) reflect.Value {
	return base.MapIndex(reflect.ValueOf(f.name))
}
