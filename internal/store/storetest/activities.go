package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

func sameBeat(a, b store.Heartbeat) bool {
	return a.Attempt == b.Attempt && a.At.Equal(b.At) && bytes.Equal(a.Details, b.Details) && a.Codec == b.Codec
}

// wantBeat records a heartbeat and checks what is recorded afterwards.
func wantBeat(t *testing.T, a store.Activities, key store.ActivityKey, beat, want store.Heartbeat) store.ActivityState {
	t.Helper()
	got, err := a.Heartbeat(t.Context(), key, beat, beat.At.Add(24*time.Hour))
	if err != nil || !sameBeat(got.Beat, want) {
		t.Fatalf("heartbeat %+v gave %+v, %v; want %+v", beat, got.Beat, err, want)
	}
	s, err := a.State(t.Context(), key)
	if err != nil || !sameBeat(s.Beat, want) {
		t.Fatalf("state after heartbeat %+v: %+v, %v; want %+v", beat, s.Beat, err, want)
	}
	return got
}

// RunActivities runs the suite for store.Activities. now returns the time of the backend's clock.
func RunActivities(t *testing.T, open func(t *testing.T) store.Activities, now func() time.Time) {
	t.Helper()
	key := store.ActivityKey{Instance: "order-7", ExecutionID: 1, EventID: 2}
	wantStop := func(t *testing.T, a store.Activities, key store.ActivityKey, reason string, stop bool) {
		t.Helper()
		s, err := a.State(t.Context(), key)
		if err != nil || s.StopReason != reason || s.Stop != stop {
			t.Fatalf("state of %+v: %+v, %v; want stop %v for %q", key, s, err, stop, reason)
		}
	}
	request := func(t *testing.T, a store.Activities, key store.ActivityKey, reason string) {
		t.Helper()
		must(t, a.RequestStop(t.Context(), key, reason, now().Add(time.Hour)))
	}
	for _, c := range []struct {
		name string
		run  func(t *testing.T, a store.Activities)
	}{
		{"nobody asked for a stop", func(t *testing.T, a store.Activities) {
			wantStop(t, a, key, "", false)
		}},
		{"a stop is seen with its reason, and the first reason stays", func(t *testing.T, a store.Activities) {
			request(t, a, key, "order withdrawn")
			wantStop(t, a, key, "order withdrawn", true)
			request(t, a, key, "another reason")
			wantStop(t, a, key, "order withdrawn", true)
		}},
		{"a stop without a reason is a stop", func(t *testing.T, a store.Activities) {
			request(t, a, key, "")
			wantStop(t, a, key, "", true)
		}},
		{"S-12 activities of other instances, executions and events are not stopped", func(t *testing.T, a store.Activities) {
			keys := []store.ActivityKey{
				key, {Instance: "order-7", ExecutionID: 1, EventID: 21}, {Instance: "order-7", ExecutionID: 12, EventID: 1},
				{Instance: "1#order-7", ExecutionID: 1, EventID: 2}, {Instance: "2#order-7", ExecutionID: 1, EventID: 2},
				{Instance: "order-7#1", ExecutionID: 1, EventID: 2}, {Instance: "日本", ExecutionID: 1, EventID: 2},
			}
			for i, k := range keys {
				for _, later := range keys[i:] {
					wantStop(t, a, later, "", false)
				}
				request(t, a, k, "stop")
				wantStop(t, a, k, "stop", true)
			}
		}},
		{"a heartbeat is seen with its details, which stay until others come", func(t *testing.T, a store.Activities) {
			at := now().UTC().Truncate(time.Millisecond)
			first := store.Heartbeat{Attempt: 1, At: at, Details: []byte(`{"page":7}`)}
			wantBeat(t, a, key, first, first)
			wantBeat(t, a, key, store.Heartbeat{Attempt: 1, At: at.Add(time.Second)},
				store.Heartbeat{Attempt: 1, At: at.Add(time.Second), Details: first.Details})
			other := store.Heartbeat{Attempt: 2, At: at.Add(2 * time.Second), Details: []byte("\xff\x00"), Codec: "aes"}
			wantBeat(t, a, key, other, other)
			wantBeat(t, a, key, store.Heartbeat{Attempt: 1, At: at.Add(time.Hour), Details: []byte("1")}, other)
		}},
		{"a heartbeat learns of a stop, and a stop keeps the heartbeat", func(t *testing.T, a store.Activities) {
			beat := store.Heartbeat{Attempt: 1, At: now().UTC().Truncate(time.Millisecond), Details: []byte("1")}
			request(t, a, key, "order withdrawn")
			got := wantBeat(t, a, key, beat, beat)
			if !got.Stop || got.StopReason != "order withdrawn" {
				t.Errorf("the heartbeat found %+v, want the stop", got)
			}
			request(t, a, key, "again")
			if s, err := a.State(t.Context(), key); err != nil || !sameBeat(s.Beat, beat) {
				t.Errorf("behind the stop: %+v, %v", s, err)
			}
		}},
		{"A-16 one attempt is claimed once, its repeats by one token are granted", func(t *testing.T, a store.Activities) {
			until := now().UTC().Truncate(time.Millisecond).Add(time.Minute)
			claim := func(attempt int, token string, want *store.Claim) {
				t.Helper()
				err := a.Claim(t.Context(), key, store.Claim{Attempt: attempt, Token: token, Until: until}, now().Add(time.Hour))
				claimed, refused := errors.AsType[*store.ClaimedError](err)
				switch {
				case want == nil && err != nil:
					t.Fatalf("claim of attempt %d by %q: %v", attempt, token, err)
				case want != nil && (!refused || claimed.Found.Attempt != want.Attempt || claimed.Found.Token != want.Token || !claimed.Found.Until.Equal(until) || claimed.Key != key):
					t.Fatalf("claim of attempt %d by %q: %v; want refused for %+v", attempt, token, err, want)
				}
			}
			claim(1, "a", nil)
			claim(1, "a", nil)
			claim(1, "b", &store.Claim{Attempt: 1, Token: "a"})
			claim(2, "b", nil)
			claim(1, "a", &store.Claim{Attempt: 2, Token: "b"})
			claim(2, "c", &store.Claim{Attempt: 2, Token: "b"})
			wantStop(t, a, key, "", false)
			if s, err := a.State(t.Context(), key); err != nil || s.Claim.Attempt != 2 || s.Claim.Token != "b" || !s.Claim.Until.Equal(until) {
				t.Errorf("the claim is seen as %+v, %v", s.Claim, err)
			}
		}},
		{"A-16 that a claimed attempt is over is seen by the next claim of it", func(t *testing.T, a store.Activities) {
			for _, until := range []time.Time{now().Add(time.Minute), {}} {
				must(t, a.Claim(t.Context(), key, store.Claim{Attempt: 1, Token: "a", Until: until}, now().Add(time.Hour)))
			}
			err := a.Claim(t.Context(), key, store.Claim{Attempt: 1, Token: "b", Until: now().Add(time.Minute)}, now().Add(time.Hour))
			if claimed, refused := errors.AsType[*store.ClaimedError](err); !refused || !claimed.Found.Until.IsZero() {
				t.Errorf("another claim: %v; want it refused for one that is over", err)
			}
			if s, err := a.State(t.Context(), key); err != nil || s.Claim.Attempt != 1 || !s.Claim.Until.IsZero() {
				t.Errorf("the claim is seen as %+v, %v", s.Claim, err)
			}
		}},
		{"a permit of a limit is a claim under a key of its own", func(t *testing.T, a store.Activities) {
			// No instance id contains a tab, and a permit belongs to no execution.
			permits := []store.ActivityKey{{Instance: "limit\tstripe", EventID: 0}, {Instance: "limit\tstripe", EventID: 1}, {Instance: "rate\tstripe", EventID: 0}}
			until := now().UTC().Truncate(time.Millisecond).Add(time.Minute)
			for _, permit := range permits {
				if err := a.Claim(t.Context(), permit, store.Claim{Attempt: 1, Token: "a", Until: until}, now().Add(time.Hour)); err != nil {
					t.Fatalf("%+v: %v", permit, err)
				}
			}
			// The first permit is released and taken by another attempt; a late second release changes
			// nothing.
			for _, c := range []struct {
				claim store.Claim
				taken bool
			}{{store.Claim{Attempt: 1, Token: "a"}, true}, {store.Claim{Attempt: 2, Token: "b", Until: until}, true}, {store.Claim{Attempt: 1, Token: "a"}, false}} {
				if err := a.Claim(t.Context(), permits[0], c.claim, now().Add(time.Hour)); (err == nil) != c.taken {
					t.Fatalf("%+v: %v", c.claim, err)
				}
			}
			for i, permit := range permits {
				want := []string{"b", "a", "a"}[i]
				if s, err := a.State(t.Context(), permit); err != nil || s.Claim.Token != want || !s.Claim.Until.Equal(until) {
					t.Errorf("permit %+v is seen as %+v, %v; want that of %q", permit, s.Claim, err, want)
				}
			}
		}},
		{"A-16 of many claims of one attempt at the same time one is granted", func(t *testing.T, a store.Activities) {
			var granted atomic.Int32
			var all sync.WaitGroup
			for i := range 16 {
				all.Go(func() {
					err := a.Claim(t.Context(), key, store.Claim{Attempt: 1, Token: strconv.Itoa(i), Until: now()}, now().Add(time.Hour))
					if err == nil {
						granted.Add(1)
					} else if _, refused := errors.AsType[*store.ClaimedError](err); !refused {
						t.Errorf("claim: %v", err)
					}
				})
			}
			all.Wait()
			if granted.Load() != 1 {
				t.Errorf("%d claims were granted, want 1", granted.Load())
			}
		}},
		{"A-08 a suspect's mark is seen until it is taken away, and leaves the rest as it is", func(t *testing.T, a store.Activities) {
			key := store.ActivityKey{Instance: "i", ExecutionID: 1, EventID: 2}
			until := now().UTC().Truncate(time.Millisecond).Add(time.Minute)
			request(t, a, key, "enough")
			for _, mark := range []store.Suspect{{Attempt: 1, Until: until}, {Attempt: 1, Deaths: 2, Until: until.Add(time.Second)}, {Attempt: 2, Until: until}, {}, {}} {
				must(t, a.SetSuspect(t.Context(), key, mark, now().Add(time.Hour)))
				state, err := a.State(t.Context(), key)
				if err != nil || state.Suspect != mark || !state.Stop {
					t.Errorf("state %+v, %v; want the mark %+v beside the request to stop", state, err, mark)
				}
			}
		}},
		{"the next attempt is seen, the newest that was noted, and leaves the rest as it is", func(t *testing.T, a store.Activities) {
			key := store.ActivityKey{Instance: "i", ExecutionID: 1, EventID: 2}
			noted := now().UTC().Truncate(time.Millisecond)
			second := store.NextAttempt{Attempt: 2, DueAt: noted.Add(time.Second), NotedAt: noted, Kind: "application", Message: "the bank ü is closed"}
			third := store.NextAttempt{Attempt: 3, DueAt: noted.Add(time.Minute), NotedAt: noted.Add(time.Second), Kind: "timeout"}
			again := third
			again.DueAt = third.DueAt.Add(time.Second)
			request(t, a, key, "enough")
			for _, c := range []struct{ note, want store.NextAttempt }{{second, second}, {third, third}, {second, third}, {again, again}} {
				must(t, a.NoteNext(t.Context(), key, c.note, now().Add(time.Hour)))
				state, err := a.State(t.Context(), key)
				if err != nil || state.Next != c.want || !state.Stop {
					t.Errorf("state %+v, %v; want the next attempt %+v beside the request to stop", state, err, c.want)
				}
			}
		}},
		{"the failed attempts before the last one are kept, the newest three, in order", func(t *testing.T, a store.Activities) {
			key := store.ActivityKey{Instance: "i", ExecutionID: 1, EventID: 2}
			noted := now().UTC().Truncate(time.Millisecond)
			note := func(attempt int) store.NextAttempt {
				at := noted.Add(time.Duration(attempt) * time.Second)
				n := store.NextAttempt{Attempt: attempt, DueAt: at.Add(time.Minute), NotedAt: at, Kind: "application", Message: fmt.Sprintf("%d: the bank is closed", attempt)}
				if attempt%2 == 0 { // A worker may not report when and where it started.
					n.StartedAt, n.RequestID = at.Add(-200*time.Millisecond), fmt.Sprintf("6a1c9c3e-0000-4000-8000-%012d", attempt)
				}
				if attempt%3 == 0 { // The failed attempt was requested by an actor.
					n.Actor = "ada %ü of the bank"
				}
				return n
			}
			long := note(9)
			long.Message = strings.Repeat("€", store.MaxNextText/3)
			cut := long.Earlier()
			if n := len(cut.Message); n > store.MaxEarlierText || n < store.MaxEarlierText-2 || !cut.DueAt.IsZero() {
				t.Fatalf("what is kept of %+v is %+v", long, cut)
			}
			earlier := func(attempts ...int) (notes []store.NextAttempt) {
				for _, n := range attempts {
					notes = append(notes, note(n).Earlier())
				}
				return notes
			}
			for _, c := range []struct {
				about   string
				note    store.NextAttempt
				want    store.NextAttempt
				earlier []store.NextAttempt
			}{
				{"the first", note(2), note(2), nil},
				{"the second", note(3), note(3), earlier(2)},
				{"the same again", note(3), note(3), earlier(2)},
				{"an earlier one", note(2), note(3), earlier(2)},
				{"the third", note(4), note(4), earlier(2, 3)},
				{"the fourth", note(5), note(5), earlier(2, 3, 4)},
				{"the fifth", note(6), note(6), earlier(3, 4, 5)},
				{"one that leaves others out", note(8), note(8), earlier(5, 6)},
				{"one whose text is long", long, long, earlier(6, 8)},
				{"one behind that", note(10), note(10), append(earlier(8), cut)},
				{"one much later", note(20), note(20), nil},
			} {
				must(t, a.NoteNext(t.Context(), key, c.note, now().Add(time.Hour)))
				state, err := a.State(t.Context(), key)
				if err != nil || state.Next != c.want || !slices.Equal(state.Earlier, c.earlier) {
					t.Errorf("%s: %v\nhave %+v\nand  %+v\nwant %+v\nand  %+v", c.about, err, state.Next, state.Earlier, c.want, c.earlier)
				}
			}
		}},
		{"S-15 a cancelled context stops the call", func(t *testing.T, a store.Activities) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := a.RequestStop(ctx, key, "", now()); !errors.Is(err, context.Canceled) {
				t.Fatalf("request: got %v, want context.Canceled", err)
			}
			if _, err := a.State(ctx, key); !errors.Is(err, context.Canceled) {
				t.Fatalf("state: got %v, want context.Canceled", err)
			}
			if _, err := a.Heartbeat(ctx, key, store.Heartbeat{Attempt: 1, At: now()}, now()); !errors.Is(err, context.Canceled) {
				t.Fatalf("heartbeat: got %v, want context.Canceled", err)
			}
			if err := a.Claim(ctx, key, store.Claim{Attempt: 1, Token: "a"}, now()); !errors.Is(err, context.Canceled) {
				t.Fatalf("claim: got %v, want context.Canceled", err)
			}
			if err := a.NoteNext(ctx, key, store.NextAttempt{Attempt: 2}, now()); !errors.Is(err, context.Canceled) {
				t.Fatalf("next attempt: got %v, want context.Canceled", err)
			}
			wantStop(t, a, key, "", false)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t, open(t))
		})
	}
}
