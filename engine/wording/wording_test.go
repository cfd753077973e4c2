package wording

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

func TestText(t *testing.T) {
	const marked = `choose ‹components=largest›, ‹dim=3›, ‹dim=auto›, ‹exclude_self=true›, ‹gamma=1e-05› or ‹landmarks=M›; leave ‹alpha_w› and ‹k1› out; "5 ‹ 6" is not a mark; see ‹call=embed›`
	flags := func(key, value string) string { return "--" + key + " " + value }
	for _, c := range []struct {
		w    Wording
		want string
	}{
		{Go, `choose Components: "largest", Dim: 3, Dim: engine.Auto, ExcludeSelf: true, Gamma: 1e-05 or Landmarks: M; leave AlphaW and Within out; "5 ‹ 6" is not a mark; see engine.Embed`},
		{Arguments, `choose components="largest", dim=3, dim="auto", exclude_self=true, gamma=1e-05 or landmarks=M; leave alpha_w and k1 out; "5 ‹ 6" is not a mark; see embed`},
		{flags, `choose --components largest, --dim 3, --dim auto, --exclude_self true, --gamma 1e-05 or --landmarks M; leave --alpha_w  and --k1  out; "5 ‹ 6" is not a mark; see --call embed`},
	} {
		if got := Text(marked, c.w); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// An error within others is worded anew wherever it stands, and errors.Is still finds its cause.
func TestError(t *testing.T) {
	cause := errors.New("cause")
	inner := Errorf("a: ‹fixed=w›: %w", cause)
	outer := fmt.Errorf("b: %w; %w", Errorf("‹dim›: %w", inner), Errorf("‹memory›"))
	if got, want := outer.Error(), `b: Dim: a: Fixed: "w": cause; Options.Memory`; got != want {
		t.Errorf("Error: %s, want %s", got, want)
	}
	if got, want := Error(outer, Arguments), `b: dim: a: fixed="w": cause; memory`; got != want {
		t.Errorf("as arguments: %s, want %s", got, want)
	}
	if got, want := Keep(outer), `b: ‹dim›: a: ‹fixed=w›: cause; ‹memory›`; got != want {
		t.Errorf("kept: %s, want %s", got, want)
	}
	if !errors.Is(outer, cause) {
		t.Error("the cause is lost")
	}
}

func TestOf(t *testing.T) {
	ctx := In(context.Background(), Arguments)
	if got := Of(ctx)("dim", "2"); got != "dim=2" {
		t.Errorf("in a context: %s", got)
	}
	if got := Of(context.Background())("dim", "2"); got != "Dim: 2" {
		t.Errorf("without: %s", got)
	}
}
