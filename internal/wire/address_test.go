package wire_test

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// allowed is what SQS accepts as a message group or deduplication id.
var allowed = regexp.MustCompile("^[a-zA-Z0-9!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~]{1,128}$")

func TestM17EveryInstanceHasAGroupThatSQSAccepts(t *testing.T) {
	t.Parallel()
	all := ""
	for c := ' ' + 1; c <= '~'; c++ {
		all += string(c)
	}
	for _, plain := range []string{"order-1", all, strings.Repeat("x", 128)} {
		if got := wire.Group(plain); got != plain {
			t.Errorf("Group(%q) = %q, want the id itself", plain, got)
		}
	}
	seen := map[string]string{}
	for _, id := range []string{"", "order 1", "order 2", "größe", "a\x7fb", strings.Repeat("x", 129), strings.Repeat("x", 200)} {
		got := wire.Group(id)
		if !allowed.MatchString(got) || got == id {
			t.Errorf("Group(%q) = %q", id, got)
		}
		if other, taken := seen[got]; taken {
			t.Errorf("%q and %q share the group %q", id, other, got)
		}
		seen[got] = id
	}
	if got := wire.Group("order 1"); got != "sha256-f3d6f0d55b053fdeb0116c2eaffd74e9113b2fd19d7d0675fd8c87a430993b8d" {
		t.Errorf("Group changed: %q", got)
	}
}

// Each of these changes makes the item report another fact, so both messages must be
// delivered.
func TestE04DeduplicationUsesTheFactAlone(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, base := range items() {
		variants := map[string]wire.Item{"as it is": base}
		change := func(name string, f func(*wire.Item)) {
			i := base
			f(&i)
			if !reflect.DeepEqual(i, base) {
				variants[name] = i
			}
		}
		change("instance", func(i *wire.Item) {
			if i.ParentInstance != "" {
				i.ParentInstance += "x"
			} else {
				i.Instance += "x"
			}
		})
		change("execution", func(i *wire.Item) {
			if i.ParentInstance != "" {
				i.ParentExecutionID += 10
			} else {
				i.ExecutionID += 10
			}
		})
		change("hops", func(i *wire.Item) { i.Hops++ })
		if base.Kind.CarriesID() {
			change("id", func(i *wire.Item) { i.ID += "x" })
		} else {
			change("token", func(i *wire.Item) { i.Token += "x" })
			change("source", func(i *wire.Item) { i.SourceEventID += 10 })
		}
		if base.Kind == wire.ActivityExecute {
			change("attempt", func(i *wire.Item) { i.Attempt++ })
			change("event", func(i *wire.Item) { i.SchedulingEventID++ })
		}
		if base.Kind == wire.ActivityPending {
			change("attempt", func(i *wire.Item) { i.Attempt++ })
			change("limit", func(i *wire.Item) { i.NotBeforeMS++ })
		}
		if base.Kind == wire.Wake {
			change("number", func(i *wire.Item) { i.Number++ })
		}
		for name, i := range variants {
			id := wire.DedupID(&i)
			if !allowed.MatchString(id) {
				t.Errorf("%s, %s: %q is not taken by SQS", base.Kind, name, id)
			}
			what := fmt.Sprintf("%s, %s", base.Kind, name)
			if other, taken := seen[id]; taken {
				t.Errorf("%s and %s have one deduplication id", what, other)
			}
			seen[id] = what
		}
		// The content is not part of the fact.
		other := base
		other.Input, other.Data, other.Result, other.Reason, other.FirstSeenMS = []byte("7"), []byte("7"), []byte("7"), "7", 7
		if wire.DedupID(&other) != wire.DedupID(&base) {
			t.Errorf("%s: the deduplication id depends on the content", base.Kind)
		}
	}
}

func TestAnItemThatLacksItsIDIsNotDeduplicatedByItsFact(t *testing.T) {
	t.Parallel()
	for _, i := range items() {
		i.ID = ""
		if got := wire.DedupID(&i); (got == "") != i.Kind.CarriesID() {
			t.Errorf("%s: DedupID = %q", i.Kind, got)
		}
	}
}

func TestM18EveryHopHasItsOwnDeduplicationID(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, fact := range []string{"", "a", "ab"} {
		for _, message := range []string{"m", "bm", "m2"} {
			id := wire.HopDedupID(fact, message)
			if seen[id] || !allowed.MatchString(id) {
				t.Errorf("HopDedupID(%q, %q) = %q", fact, message, id)
			}
			if id != wire.HopDedupID(fact, message) {
				t.Error("a hop that is made twice has two ids")
			}
			seen[id] = true
		}
	}
}

func TestWithIDFillsInMissingIDs(t *testing.T) {
	t.Parallel()
	start := wire.Item{Kind: wire.StartOrchestration, Instance: "i", Name: "n", Events: []wire.StartEvent{{Name: "a"}, {Name: "b", ID: "own"}}}
	got := start.WithID("m-1")
	if got.ID != "m-1" || got.Events[0].ID != "m-1#0" || got.Events[1].ID != "own" {
		t.Errorf("got %+v", got)
	}
	if start.Events[0].ID != "" {
		t.Error("the item itself was changed")
	}
	if again := got.WithID("m-2"); !reflect.DeepEqual(again, got) {
		t.Errorf("an id was replaced: %+v", again)
	}
	for _, i := range items() {
		i.ID = ""
		if got := i.WithID("m-1").ID; (got == "m-1") != i.Kind.CarriesID() {
			t.Errorf("%s: id %q", i.Kind, got)
		}
	}
}

func TestFailuresConvertBetweenHistoryAndWire(t *testing.T) {
	t.Parallel()
	full := &history.Failure{Kind: "panic", Message: "m", Code: "c", Source: "s", Instance: "i", Attempt: 2, Retryable: true, Stack: "st", Details: []byte(`{"a": 1}`)}
	if got := wire.FailureOf(full).History(); !reflect.DeepEqual(got, full) {
		t.Errorf("got %+v, want %+v", got, full)
	}
	if wire.FailureOf(nil) != nil || (*wire.Failure)(nil).History() != nil {
		t.Error("nil is not nil any more")
	}
	if got := (&wire.Failure{Message: "m"}).History().Kind; got != history.FailureApplication {
		t.Errorf("a failure without a kind is %q", got)
	}
}

func TestAnyFailureIsAccepted(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]history.Failure{
		"long texts":           {Message: strings.Repeat("ä", 100_000), Stack: strings.Repeat("s", 1<<20), Code: strings.Repeat("c", 1<<17)},
		"texts not UTF-8":      {Message: "a\xffb", Stack: "\xc3\x28", Source: "\xed\xa0\x80"},
		"details not JSON":     {Message: "m", Details: []byte("{")},
		"details not UTF-8":    {Message: "m", Details: []byte("\"\xff\"")},
		"details over a limit": {Message: "m", Details: []byte(`"` + strings.Repeat("d", 1<<20) + `"`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := wire.Item{Kind: wire.ActivityFailed, Instance: "i", ExecutionID: 1, SourceEventID: 1, Token: "t", Details: wire.FailureOf(&f)}
			got, err := wire.Parse(encode(t, i))
			if err != nil {
				t.Fatal(err)
			}
			if f.Message[:1] != got.Details.Message[:1] {
				t.Errorf("message %.20q became %.20q", f.Message, got.Details.Message)
			}
			if (len(f.Details) > 0) != strings.Contains(string(got.Details.Details), "left out") {
				t.Errorf("details %s", got.Details.Details)
			}
		})
	}
}
