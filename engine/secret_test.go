package engine_test

import (
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// Executions that were started before there were keys keep their secret, and
// its rule, to their end; the execution that continues one has none.
func TestAnExecutionWithASecretBelievesItsOwnTokensAlone(t *testing.T) {
	t.Parallel()
	const secret = "00112233445566778899aabbccddeeff"
	f := newFixture(t, func(ctx *engine.Context, input []byte) ([]byte, error) {
		if string(input) == "next" {
			return input, nil
		}
		if _, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "A"})); err != nil {
			return nil, err
		}
		return nil, ctx.ContinueAsNew("", []byte("next"), nil)
	})
	begin := start("0")
	begin.Event.Start.Secret = secret
	f.turn(begin)
	own := history.Token(secret, "i", 1, 2)
	for name, a := range map[string]engine.Arrival{
		"proven under a key of the stack": {Proven: true},
		"made up":                         {Token: strings.Repeat("0", 32)},
		"of another event":                {Token: history.Token(secret, "i", 1, 3)},
	} {
		a.ExecutionID, a.Event = 1, completed(2, "1").Event
		if v := f.cold().Judge(a); v.Kind != engine.Forged {
			t.Errorf("%s: judged %v, want forged", name, v.Kind)
		}
	}
	turn := f.turn(engine.Arrival{ExecutionID: 1, Token: own, Event: completed(2, "1").Event})
	if len(turn.Next) == 0 || turn.Next[0].Start.Secret != "" {
		t.Fatalf("next execution begins with %+v, want a start without a secret", turn.Next)
	}
}

func TestAnExecutionWithoutASecretTakesWhatIsProvenAlone(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(ctx *engine.Context, _ []byte) ([]byte, error) {
		return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "A"}))
	})
	f.turn(start("0"))
	// What the rule of secrets would make of no secret is no token.
	empty := engine.Arrival{ExecutionID: 1, Token: history.Token("", "i", 1, 2), Event: completed(2, "1").Event}
	if v := f.cold().Judge(empty); v.Kind != engine.Forged {
		t.Errorf("judged %v, want forged", v.Kind)
	}
	if v := f.cold().Judge(completed(2, "1")); v.Kind != engine.Recorded {
		t.Errorf("judged %v, want recorded", v.Kind)
	}
}
