package parquet_test

import (
	"encoding/binary"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	compact "github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/files/internal/tabletest"
	"github.com/orthant-go/orthant/internal/must"
)

// claim is a file of one column of three numbers whose pages claim more than they hold.
type claim struct {
	name  string
	kind  format.Type
	codec format.CompressionCodec
	pages []claimedPage
	want  string
}

type claimedPage struct {
	header format.PageHeader
	body   []byte
}

// first and second are the headers of data pages of either version, dictionary of another.
func first(values int32, coded format.Encoding) format.PageHeader {
	return format.PageHeader{Type: format.DataPage, DataPageHeader: compact.New(format.DataPageHeader{
		NumValues: values, Encoding: coded, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE})}
}

func second(values, levels int32) format.PageHeader {
	return format.PageHeader{Type: format.DataPageV2, DataPageHeaderV2: compact.New(format.DataPageHeaderV2{
		NumValues: values, NumRows: values, DefinitionLevelsByteLength: levels, Encoding: format.Plain})}
}

// plainSecond is not compressed, whatever the codec of its column.
func plainSecond() format.PageHeader {
	h := second(3, 2)
	h.DataPageHeaderV2.V.IsCompressed = compact.New(false)
	return h
}

func dictionary(values int32) format.PageHeader {
	return format.PageHeader{Type: format.DictionaryPage, DictionaryPageHeader: compact.New(format.DictionaryPageHeader{NumValues: values})}
}

// sized gives a page the sizes that its header claims; 0 stands for the true one.
func sized(h format.PageHeader, body []byte, compressed, uncompressed int32) claimedPage {
	if compressed == 0 {
		compressed = int32(len(body))
	}
	if uncompressed == 0 {
		uncompressed = int32(len(body))
	}
	h.CompressedPageSize, h.UncompressedPageSize = compressed, uncompressed
	return claimedPage{h, body}
}

func (c *claim) file(t *testing.T) []byte {
	t.Helper()
	protocol := new(compact.CompactProtocol)
	content := []byte("PAR1")
	for _, p := range c.pages {
		header := must.Get(compact.Marshal(protocol, &p.header))(t)
		content = append(append(content, header...), p.body...)
	}
	footer := must.Get(compact.Marshal(protocol, &format.FileMetaData{
		Version: 1, NumRows: 3,
		Schema: []format.SchemaElement{
			{Name: "table", NumChildren: compact.New[int32](1)},
			{Name: "x", Type: compact.New(c.kind), RepetitionType: compact.New(format.Optional)},
		},
		RowGroups: []format.RowGroup{{NumRows: 3, Columns: []format.ColumnChunk{{MetaData: format.ColumnMetaData{
			Type: c.kind, PathInSchema: []string{"x"}, Codec: c.codec, NumValues: 3,
			DataPageOffset: 4, TotalCompressedSize: int64(len(content) - 4),
		}}}}},
	}))(t)
	content = binary.LittleEndian.AppendUint32(append(content, footer...), uint32(len(footer)))
	return append(content, "PAR1"...)
}

const huge = math.MaxInt32

// present are the levels of three values that are there: a run of three ones behind
// its length; endless is a run of 2³¹.
var (
	present = []byte{2, 0, 0, 0, 6, 1}
	endless = []byte{6, 0, 0, 0, 0x80, 0x80, 0x80, 0x80, 0x10, 1}
	doubles = make([]byte, 24)
)

func joined(parts ...[]byte) (all []byte) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

func claims() []claim {
	plain := joined(present, doubles)
	delta := joined(present, []byte{0x80, 1, 4}, binary.AppendUvarint(nil, huge), []byte{0, 0, 0, 0, 0, 0})
	codes := joined(present, []byte{33, 6, 0})
	all := []claim{
		{"sound", format.Double, format.Uncompressed, []claimedPage{sized(first(3, format.Plain), plain, 0, 0)}, ""},
		{"endless levels", format.Double, format.Uncompressed, []claimedPage{sized(first(3, format.Plain), joined(endless, doubles), 0, 0)}, ""},
		{"compressed size", format.Double, format.Uncompressed, []claimedPage{sized(first(3, format.Plain), plain, huge, 0)}, `column "x": a page claims 2147483647 bytes`},
		{"negative size", format.Double, format.Snappy, []claimedPage{sized(first(3, format.Plain), plain, 0, -1)}, "a page claims 30 bytes, -1 unfolded"},
		{"values", format.Double, format.Uncompressed, []claimedPage{sized(first(huge, format.Plain), plain, 0, 0)}, "a page claims 2147483647 values where 3 are left"},
		{"negative values", format.Double, format.Uncompressed, []claimedPage{sized(first(-1, format.Plain), plain, 0, 0)}, "a page claims -1 values"},
		{"values of the second version", format.Double, format.Uncompressed, []claimedPage{sized(second(huge, 2), plain[4:], 0, 0)}, "a page claims 2147483647 values where 3 are left"},
		{"levels", format.Double, format.Uncompressed, []claimedPage{sized(second(3, huge), plain[4:], 0, 0)}, "a page is shorter than its levels"},
		{"negative levels", format.Double, format.Uncompressed, []claimedPage{sized(second(3, -1), plain[4:], 0, 0)}, "a page is shorter than its levels"},
		{"length of levels", format.Double, format.Uncompressed, []claimedPage{sized(first(3, format.Plain), joined([]byte{0xff, 0xff, 0xff, 0xff}, plain[4:]), 0, 0)}, "a page is shorter than its levels"},
		{"entries", format.Double, format.Uncompressed, []claimedPage{sized(dictionary(huge), doubles, 0, 0)}, "a page holds fewer values than its header claims"},
		{"differences", format.Int64, format.Uncompressed, []claimedPage{sized(first(3, format.DeltaBinaryPacked), delta, 0, 0)}, "a page holds fewer values than its header claims"},
		{"too few values", format.Double, format.Uncompressed, []claimedPage{sized(first(3, format.Plain), plain[:20], 0, 0)}, "a page holds fewer values than its header claims"},
		{"too few split values", format.Double, format.Uncompressed, []claimedPage{sized(first(3, format.ByteStreamSplit), plain[:20], 0, 0)}, "a page holds fewer values than its header claims"},
		{"no dictionary", format.Double, format.Uncompressed, []claimedPage{sized(first(3, format.RLEDictionary), codes, 0, 0)}, "a page refers to a dictionary that is not there"},
		{"wide places", format.Double, format.Uncompressed, []claimedPage{sized(dictionary(3), doubles, 0, 0), sized(first(3, format.RLEDictionary), codes, 0, 0)}, "a page holds fewer values than its header claims"},
		{"places outside", format.Double, format.Uncompressed, []claimedPage{sized(dictionary(3), doubles, 0, 0),
			sized(first(3, format.RLEDictionary), joined(present, []byte{2, 6, 3}), 0, 0)}, "a page refers to entry 3 of a dictionary of 3"},
		{"places without bits", format.Double, format.Uncompressed, []claimedPage{sized(dictionary(1), doubles[:8], 0, 0),
			sized(format.PageHeader{Type: format.IndexPage}, []byte{1}, 0, 0), sized(first(3, format.RLEDictionary), joined(present, []byte{0}), 0, 0)}, ""},
		{"places of version 1", format.Double, format.Uncompressed, []claimedPage{sized(dictionary(1), doubles[:8], 0, 0),
			sized(first(3, 2), joined(present, []byte{1, 6, 0}), 0, 0)}, ""},
		{"too few places", format.Double, format.Uncompressed, []claimedPage{sized(dictionary(3), doubles, 0, 0),
			sized(first(3, format.RLEDictionary), joined(present, []byte{2, 2, 0}), 0, 0)}, "a page holds fewer values than its header claims"},
		{"too few packed places", format.Double, format.Uncompressed, []claimedPage{sized(dictionary(3), doubles, 0, 0),
			sized(first(3, format.RLEDictionary), joined(present, []byte{2, 3, 0}), 0, 0)}, "a page holds fewer values than its header claims"},
		{"plain though of a codec", format.Double, format.Zstd, []claimedPage{sized(plainSecond(), plain[4:], 0, 0)}, ""},
		{"no header of the first version", format.Double, format.Uncompressed, []claimedPage{sized(format.PageHeader{Type: format.DataPage}, plain, 0, 0)}, "missing page header"},
		{"no header of the second version", format.Double, format.Uncompressed, []claimedPage{sized(format.PageHeader{Type: format.DataPageV2}, plain, 0, 0)}, "missing page header"},
		{"no header of a dictionary", format.Double, format.Uncompressed, []claimedPage{sized(format.PageHeader{Type: format.DictionaryPage}, plain, 0, 0)}, "missing page header"},
		{"kind of page", format.Double, format.Uncompressed, []claimedPage{sized(format.PageHeader{Type: 9}, plain, 0, 0)}, "a page is of no known type"},
		{"encoding", format.Double, format.Uncompressed, []claimedPage{sized(first(3, format.DeltaByteArray), plain, 0, 0)}, "its values are encoded by DELTA_BYTE_ARRAY, which is not supported"},
		{"old codec", format.Double, format.Lz4, []claimedPage{sized(first(3, format.Plain), plain, 0, 0)}, "it is compressed by LZ4, which is not supported: write it with snappy or zstd"},
		{"no page", format.Double, format.Uncompressed, nil, `column "x" ends after 0 rows`},
		{"checksum", format.Double, format.Uncompressed, []claimedPage{sized(format.PageHeader{Type: format.DataPage, CRC: 7, DataPageHeader: first(3, format.Plain).DataPageHeader}, plain, 0, 0)}, "the checksum of a page is wrong"},
	}
	for _, codec := range []format.CompressionCodec{format.Snappy, format.Gzip, format.Brotli, format.Zstd, format.Lz4Raw} {
		all = append(all,
			claim{codec.String() + " size", format.Double, codec, []claimedPage{sized(first(3, format.Plain), plain, 0, huge)}, "a page claims to unfold to 2147483647 bytes"},
			claim{codec.String() + " junk", format.Double, codec, []claimedPage{sized(first(3, format.Plain), []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 0, 200)}, "a page is no " + codec.String() + " data"})
	}
	return all
}

// What a page claims must not be believed: neither does memory go by it, nor are
// numbers made up.
func TestLyingPages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.parquet")
	for _, c := range claims() {
		t.Run(c.name, func(t *testing.T) {
			tabletest.Put(t, path, c.file(t))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			x, err := files.ReadMatrix(path, files.Options{})
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
				t.Errorf("reading took %d bytes", used)
			}
			if c.want == "" {
				if err != nil || x.At(2, 0) != 0 {
					t.Errorf("%v, error %v", x, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want one that says %q", err, c.want)
			}
		})
	}
}
