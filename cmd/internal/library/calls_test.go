package library

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/orthant-go/orthant/internal/must"
)

func header(t *testing.T) string {
	t.Helper()
	text := string(must.Get(os.ReadFile("../../liborthant/orthant.h"))(t))
	return regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllString(text, "")
}

// Every function of the header is here, with as many arguments, but for those that C makes of others.
func TestFunctionsAreThoseOfTheHeader(t *testing.T) {
	inC := []string{"orthant_log_det", "orthant_eigsh", "orthant_largest", "orthant_svds", "orthant_cholesky", "orthant_ldlt", "orthant_update_values",
		"orthant_shortest_paths", "orthant_connected_components", "orthant_spectral_init", "orthant_lloyd", "orthant_nearest"}
	declared := 0
	for _, f := range regexp.MustCompile(`(?s)orthant_status (orthant_\w+)\(([^)]*)\);`).FindAllStringSubmatch(header(t), -1) {
		declared++
		if arguments := strings.Count(f[2], ",") + 1; Arguments(f[1]) != arguments && !slices.Contains(inC, f[1]) {
			t.Errorf("%s has %d arguments in the header, and %d here", f[1], arguments, Arguments(f[1]))
		}
	}
	if declared != len(functions)+len(inC) {
		t.Errorf("%d functions in the header, %d here and %d in C", declared, len(functions), len(inC))
	}
}

// The structures have the fields of the header, in its order and with its sizes.
func TestStructuresAreThoseOfTheHeader(t *testing.T) {
	text := header(t)
	for name, here := range map[string]any{
		"orthant_matrix": view{}, "orthant_buffer": view{}, "orthant_csr": csrView{}, "orthant_text": said{}, "orthant_options": options{}, "orthant_operator": products{},
		"orthant_components": components{}, "orthant_evaluation": measure{}, "orthant_eigsh_problem": eigshProblem{}, "orthant_largest_problem": largestProblem{},
		"orthant_svds_problem": svdsProblem{}, "orthant_factor_problem": factorProblem{}, "orthant_paths_problem": pathsProblem{}, "orthant_graph_problem": graphProblem{},
		"orthant_lloyd_problem": lloydProblem{}, "orthant_nearest_problem": nearestProblem{},
	} {
		body := regexp.MustCompile(`(?s)typedef struct ` + name + ` \{(.*?)\} ` + name + `;`).FindStringSubmatch(text)
		if body == nil {
			t.Errorf("the header has no %s", name)
			continue
		}
		var fields []string
		for declaration := range strings.SplitSeq(body[1], ";") {
			words := strings.Fields(strings.ReplaceAll(declaration, "*", " * "))
			if len(words) == 0 {
				continue
			}
			size, list := map[bool]int{true: 4, false: 8}[words[0] == "int32_t"], strings.Split(strings.Join(words[1:], " "), ",")
			for _, one := range list {
				words := strings.Fields(one)
				fields = append(fields, fmt.Sprint(plainly(words[len(words)-1]), " ", size))
			}
		}
		of := reflect.TypeOf(here)
		var ours []string
		for i := range of.NumField() {
			ours = append(ours, fmt.Sprint(plainly(of.Field(i).Name), " ", of.Field(i).Type.Size()))
		}
		if !slices.Equal(fields, ours) {
			t.Errorf("%s: the header has %v, and Go %v", name, fields, ours)
		}
	}
}

// said is orthant_text under another name, so that a test may have variables of the name text.
type said = text

// plainly is a name without the marks of either language, and the type under one word.
func plainly(name string) string {
	name = strings.ToLower(strings.ReplaceAll(name, "_", ""))
	for ours, theirs := range map[string]string{"kind": "type", "indexkind": "indextype", "sized": "structsize"} {
		if name == ours {
			return theirs
		}
	}
	return name
}

// A call by its name is that of C: its result has a handle, its error a text, and a NULL is an error and not a crash.
func TestCallsByName(t *testing.T) {
	x := waves(30, 3)
	of := viewing(x, 30, 3, 3, typeFloat64)
	method, buffer, result := []byte("pca\x00"), make([]byte, 200), uintptr(0)
	to := text{&buffer[0], uintptr(len(buffer)), 0}
	call := func(name string, arguments ...any) int32 {
		list := make([]unsafe.Pointer, len(arguments)) // as slots, of pointers that the collector knows
		numbers := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(list))), len(list))
		for i, a := range arguments {
			switch v := a.(type) {
			case *byte:
				list[i] = unsafe.Pointer(v)
			case *view:
				list[i] = unsafe.Pointer(v)
			case *uintptr:
				list[i] = unsafe.Pointer(v)
			case *text:
				list[i] = unsafe.Pointer(v)
			case *float64:
				list[i] = unsafe.Pointer(v)
			case uintptr:
				numbers[i] = uint64(v)
			}
		}
		return Call(name, unsafe.Pointer(unsafe.SliceData(list)))
	}
	says := func() string { return string(buffer[:to.needed-1]) }
	if code := call("orthant_embed", &method[0], nil, &of, nil, &result, &to); code != 0 || result == 0 {
		t.Fatalf("status %d: %s", code, says())
	}
	name, value := []byte("warnings\x00"), 7.0
	if code := call("orthant_number", result, &name[0], &value, &to); code != 0 || value != 0 {
		t.Errorf("status %d, %v warnings", code, value)
	}
	for wants, code := range map[string]int32{
		"the method is NULL":                       call("orthant_embed", nil, nil, &of, nil, &result, nil),
		"the place of the result is NULL":          call("orthant_embed", &method[0], nil, &of, nil, nil, nil),
		"there is no function of that name at all": call("orthant_unknown", nil),
	} {
		if code != 1 {
			t.Errorf("%s: status %d", wants, code)
		}
	}
	if call("orthant_embed", &method[0], nil, nil, nil, &result, &to) != 1 || !strings.Contains(says(), "x is NULL") || result != 0 {
		t.Errorf("%q, %d", says(), result)
	}
}
