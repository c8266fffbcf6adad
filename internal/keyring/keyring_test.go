package keyring_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/store"
)

// fixed is a source of randomness with one byte alone.
type fixed byte

func (f fixed) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(f)
	}
	return len(p), nil
}

// watched counts the reads, and fails while it is told to.
type watched struct {
	keyring.Memory
	mu    sync.Mutex
	reads map[string]int
	down  error
}

func (w *watched) Key(ctx context.Context, id string) ([]byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.reads == nil {
		w.reads = map[string]int{}
	}
	w.reads[id]++
	if w.down != nil {
		return nil, w.down
	}
	return w.Memory.Key(ctx, id)
}

func ready(t *testing.T, keys store.Keys, current string, random fixed, now *time.Time) *keyring.Ring {
	t.Helper()
	r, err := keyring.New(keyring.Config{Keys: keys, Current: current, Random: random, Now: func() time.Time { return *now }})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

// A token is part of what messages hold for weeks: its form, and what goes into
// it, can't change without a new purpose.
func TestATokenIsWhatItWas(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	r := ready(t, &keyring.Memory{}, "1", 7, &now)
	if got, want := r.Token("order-7", 3, 2, 1_900_000_000_000), "1.o8uixyps.f_4cDmz6dZ5oKTZH7DIxUg"; got != want {
		t.Errorf("token %q, want %q", got, want)
	}
}

func TestATokenProvesItsEventAndNoOther(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	r := ready(t, &keyring.Memory{}, "k-1_", 1, &now)
	stranger := ready(t, &keyring.Memory{}, "k-1_", 2, &now)
	rapid.Check(t, func(t *rapid.T) {
		type event struct {
			instance         string
			execution, event int64
		}
		draw := func(name string) event {
			return event{rapid.StringN(1, 12, -1).Draw(t, name), rapid.Int64Range(1, 3).Draw(t, name+" execution"), rapid.Int64Range(1, 300).Draw(t, name+" event")}
		}
		at, other := rapid.Int64Range(0, math.MaxInt64).Draw(t, "time"), rapid.Int64Range(0, math.MaxInt64).Draw(t, "another time")
		a, b := draw("a"), draw("b")
		token := r.Token(a.instance, a.execution, a.event, at)
		if id, keyed := keyring.Keyed(token); !keyed || id != "k-1_" || len(token) > 64 {
			t.Fatalf("%q does not have the form of a token", token)
		}
		if got, ok := keyring.EventTime(token); !ok || got != at {
			t.Fatalf("%q names the time %d, want %d", token, got, at)
		}
		if moved := strings.Replace(token, "."+strconv.FormatInt(at, 36)+".", "."+strconv.FormatInt(other, 36)+".", 1); moved != token && r.Proves(moved, a.instance, a.execution, a.event) {
			t.Fatalf("the token %q holds for the time %d too", token, other)
		}
		if got := r.Proves(token, b.instance, b.execution, b.event); got != (a == b) {
			t.Fatalf("the token of %v proves %v: %v", a, b, got)
		}
		if !r.Proves(token, a.instance, a.execution, a.event) || stranger.Proves(token, a.instance, a.execution, a.event) {
			t.Fatal("a token holds in the stack that made it, and in no other with a key of that id")
		}
		i := rapid.IntRange(0, len(token)-1).Draw(t, "changed")
		to := rapid.StringMatching("[A-Za-z0-9._-]").Draw(t, "to")
		if changed := token[:i] + to + token[i+1:]; changed != token && r.Proves(changed, a.instance, a.execution, a.event) {
			t.Fatalf("%q is believed in place of %q", changed, token)
		}
	})
}

func TestWhatDoesNotHaveTheFormOfATokenIsNotReadFor(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	keys := &watched{}
	r := ready(t, keys, "1", 1, &now)
	clear(keys.reads)
	good := strings.Repeat("a", 22)
	for _, token := range []string{"", ".", "1", ".a." + good, "2.a." + good + "a", "2.a." + good[1:], "2" + good, "2." + good, strings.Repeat("2", 17) + ".a." + good, "2/.a." + good, "é.a." + good, "2.x.y." + good,
		"2.." + good, "2.-1." + good, "2.A." + good, "2.0a." + good, "2.+a." + good, "2." + strings.Repeat("z", 14) + "." + good} {
		if err := r.Learn(t.Context(), token); err != nil || r.Proves(token, "a", 1, 2) || r.Knows(token) {
			t.Errorf("%q: %v, or it is believed", token, err)
		}
	}
	if len(keys.reads) != 0 {
		t.Errorf("keys were read: %v", keys.reads)
	}
}

func TestProcessesThatCreateTheKeyAtOnceHaveOne(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	keys := &keyring.Memory{}
	rings := make([]*keyring.Ring, 8)
	var all sync.WaitGroup
	for i := range rings {
		all.Go(func() { rings[i] = ready(t, keys, "1", fixed(i+1), &now) })
	}
	all.Wait()
	token := rings[0].Token("a", 1, 2, 1000)
	for i, r := range rings {
		if !r.Proves(token, "a", 1, 2) {
			t.Errorf("process %d has another key", i)
		}
	}
}

func TestTokensStayValidAfterAKeyIsChanged(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	keys := &watched{}
	before := ready(t, keys, "1", 1, &now)
	old := before.Token("a", 1, 2, 1000)
	after := ready(t, keys, "2", 2, &now)
	learns := func(r *keyring.Ring, token string) bool {
		t.Helper()
		if err := r.Learn(t.Context(), token); err != nil {
			t.Fatal(err)
		}
		return r.Proves(token, "a", 1, 2)
	}
	// A process that met the new id before its key was there is not misled.
	if !learns(after, old) || !learns(before, after.Token("a", 1, 2, 1000)) || learns(before, strings.Replace(old, "1.", "3.", 1)) {
		t.Error("tokens under both keys hold in both deployments, and under no other")
	}
	third := ready(t, keys, "3", 3, &now)
	if !learns(before, third.Token("a", 1, 2, 1000)) {
		t.Error("that there was no key 3 is remembered, though one has been created since")
	}
	clear(keys.reads)
	for range 100 {
		learns(after, old)
	}
	if keys.reads["1"] != 0 {
		t.Errorf("a key that is known was read %d times", keys.reads["1"])
	}
	// Deleted, its tokens end, ten minutes later at the latest.
	keys.Delete("1")
	if !learns(after, old) {
		t.Error("the deletion was seen without a read")
	}
	now = now.Add(10 * time.Minute)
	if learns(after, old) || after.Knows(old) {
		t.Error("a token holds ten minutes after its key was deleted")
	}
}

// Why the current key must not be deleted: processes that have it go on with
// it, those that start make another under its id, and neither believes what
// the other sends out.
func TestADeletedCurrentKeyPartsTheProcessesThatShareItsID(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	keys := &keyring.Memory{}
	before := ready(t, keys, "1", 1, &now)
	keys.Delete("1")
	after := ready(t, keys, "1", 2, &now)
	now = now.Add(24 * time.Hour)
	for _, r := range []*keyring.Ring{before, after} {
		other := after
		if r == after {
			other = before
		}
		token := r.Token("a", 1, 2, 1000)
		if err := other.Learn(t.Context(), token); err != nil {
			t.Fatal(err)
		}
		if other.Proves(token, "a", 1, 2) || !r.Proves(token, "a", 1, 2) {
			t.Error("a process believes the tokens of its own key under that id, and no others")
		}
	}
}

func TestTroubleWithKeysIsAnErrorAndNoVerdict(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	keys := &watched{}
	token := ready(t, keys, "1", 1, &now).Token("a", 1, 2, 1000)
	keys.down = errors.New("no connection")
	r, err := keyring.New(keyring.Config{Keys: keys, Current: "2"})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Ready(t.Context()); !errors.Is(err, keys.down) {
		t.Errorf("Ready: %v", err)
	}
	if err := r.Learn(t.Context(), token); !errors.Is(err, keys.down) || r.Proves(token, "a", 1, 2) {
		t.Errorf("Learn: %v, or it is believed", err)
	}
	keys.down = nil
	if err := errors.Join(r.Ready(t.Context()), r.Learn(t.Context(), token)); err != nil || !r.Proves(token, "a", 1, 2) {
		t.Errorf("when it is over: %v, or the token is not believed", err)
	}
}

// half keeps what is no key.
type half struct{ store.Keys }

func (half) Key(context.Context, string) ([]byte, error) { return bytes.Repeat([]byte{1}, 16), nil }

func TestWhatIsNoKeyIsRefused(t *testing.T) {
	t.Parallel()
	r, err := keyring.New(keyring.Config{Keys: half{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "16 bytes") {
		t.Errorf("a key of 16 bytes: %v", err)
	}
	for _, id := range []string{"a.b", "a b", strings.Repeat("a", 17), "ü"} {
		if _, err := keyring.New(keyring.Config{Keys: &keyring.Memory{}, Current: id}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", id)) {
			t.Errorf("id %q: %v", id, err)
		}
	}
	if _, err := keyring.New(keyring.Config{}); err == nil {
		t.Error("a ring without keys was made")
	}
}
