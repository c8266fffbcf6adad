package wire_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/turnstile-go/turnstile/internal/wire"
)

func TestActivityTokensRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := wire.ActivityToken{
			Instance:    rapid.StringN(1, 100, -1).Draw(t, "instance"),
			ExecutionID: rapid.Int64Range(1, 1<<62).Draw(t, "execution"),
			EventID:     rapid.Int64Range(1, 1<<62).Draw(t, "event"),
			Token:       rapid.StringMatching("[0-9a-f]{32}|[A-Za-z0-9_-]{1,16}[.][0-9a-z]{1,13}[.][A-Za-z0-9_-]{22}").Draw(t, "token"),
		}
		text := want.String()
		got, err := wire.ParseActivityToken(text)
		if err != nil || got != want {
			t.Fatalf("%q is %+v, %v; want %+v", text, got, err, want)
		}
		if i := strings.IndexFunc(text, func(r rune) bool {
			return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '_' || r == '.')
		}); i >= 0 {
			t.Fatalf("%q does not fit into a link: %q", text, text[i])
		}
	})
}

func TestA12AnInvalidActivityTokenIsATypedError(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "t1", "t2.1.2.YQ.aa", "t1.1.2.YQ", "t1.0.2.YQ.aa", "t1.1.-2.YQ.aa", "t1.x.2.YQ.aa", "t1.1.2..aa", "t1.1.2.YQ.",
		"t1.1.2.Y$.aa", "t1.1.2.YQ.aa.bb.cc.more", "t1.1.2.YQ..aa", "t1.1.2.YQ.aa.", "t1.9223372036854775808.2.YQ.aa"} {
		if got, err := wire.ParseActivityToken(text); err == nil {
			t.Errorf("%q was taken for %+v", text, got)
		}
	}
}

func TestAnActivityTokenReplacesItsFields(t *testing.T) {
	t.Parallel()
	token := wire.ActivityToken{Instance: "order-1", ExecutionID: 3, EventID: 7, Token: "abc"}.String()
	for _, c := range []struct{ name, body, problem string }{
		{"completed", `{"kind":"ActivityCompleted","activity_token":"` + token + `"}`, ""},
		{"failed", `{"kind":"ActivityFailed","activity_token":"` + token + `","details":{"message":"no"}}`, ""},
		{"a heartbeat", `{"kind":"ActivityHeartbeat","activity_token":"` + token + `"}`, ""},
		{"together with a field that it stands for", `{"kind":"ActivityCompleted","instance":"a","activity_token":"` + token + `"}`, "given together with instance"},
		{"of a kind that has none", `{"kind":"TimerFired","fire_at_ms":1,"activity_token":"` + token + `"}`, "not allowed for this kind"},
		{"malformed", `{"kind":"ActivityCompleted","activity_token":"t1.1"}`, "not an activity token"},
		{"no text", `{"kind":"ActivityCompleted","activity_token":7}`, "expected a string"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			item, err := wire.Parse([]byte(c.body))
			if c.problem != "" {
				if err == nil || !strings.Contains(err.Error(), c.problem) || !strings.Contains(err.Error(), "activity_token") {
					t.Fatalf("got %v, want a problem with activity_token: %s", err, c.problem)
				}
				return
			}
			if err != nil || item.Instance != "order-1" || item.ExecutionID != 3 || item.SourceEventID != 7 || item.Token != "abc" || item.ActivityToken != "" {
				t.Errorf("%+v, %v", item, err)
			}
		})
	}
}
