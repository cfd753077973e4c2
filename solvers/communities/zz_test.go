package communities_test
import ("testing";"os";"bufio";"encoding/binary";"github.com/orthant-go/orthant/sparse";"github.com/orthant-go/orthant/solvers/communities")
func TestZZ(t *testing.T){
	f, err := os.Open(os.Getenv("ZZ"))
	if err != nil { t.Skip() }
	rd := bufio.NewReaderSize(f, 1<<20)
	var h [2]int64
	binary.Read(rd, binary.LittleEndian, &h)
	pairs := make([][2]int32, h[1])
	binary.Read(rd, binary.LittleEndian, &pairs)
	a, _ := sparse.FromEntries(int(h[0]), int(h[0]), func(put func(i, j int, v float64)) {
		for _, p := range pairs { put(int(p[0]), int(p[1]), 1); put(int(p[1]), int(p[0]), 1) }
	})
	p,_:=communities.Leiden(t.Context(),a,communities.Options{Threads:2})
	t.Log(p.Quality,p.Count,p.Iterations)
}
