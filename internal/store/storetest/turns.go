package storetest

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// epoch is the time at which the suite's histories start.
var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// turn builds a turn of n external events from event id first on, with small payloads that contain the
// token.
func turn(instance string, executionID, first int64, n int, token string) store.Turn {
	t := store.Turn{Instance: instance, ExecutionID: executionID, Token: token, Messaged: true}
	for i := range int64(n) {
		t.Events = append(t.Events, history.Event{
			Kind: history.ExternalEvent, EventID: first + i, AtMS: epoch.UnixMilli() + first + i,
			Name: "approved", SenderID: fmt.Sprintf("%s/%d", token, i),
			Payload: fmt.Appendf(nil, `{"by":%q,"n":%d}`, token, i),
		})
	}
	return t
}

// withPayloads gives each event of the turn a JSON string of size bytes:
// random text, or all one letter.
func withPayloads(t store.Turn, size int, random bool) store.Turn {
	for i := range t.Events {
		p := bytes.Repeat([]byte{'x'}, size)
		if random {
			var seed [32]byte
			seed[0], seed[1], seed[2] = byte(i), byte(size), byte(size>>8)
			raw := make([]byte, size*3/4+3)
			// Reading from a ChaCha8 cannot fail.
			_, _ = rand.NewChaCha8(seed).Read(raw)
			copy(p, base64.StdEncoding.EncodeToString(raw))
		}
		p[0], p[size-1] = '"', '"'
		t.Events[i].Payload = p
	}
	return t
}

func commit(t testing.TB, s store.Store, turns ...store.Turn) {
	t.Helper()
	if err := s.Commit(t.Context(), store.Commit{Turns: turns}); err != nil {
		t.Fatalf("commit of %s: %v", describe(turns), err)
	}
}

func read(t testing.TB, s store.Store, instance string, executionID, from int64) []store.Turn {
	t.Helper()
	turns, err := s.Read(t.Context(), instance, executionID, from)
	if err != nil {
		t.Fatalf("read of %q execution %d from %d: %v", instance, executionID, from, err)
	}
	return turns
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func create(t testing.TB, s store.Store, r store.Record) {
	t.Helper()
	if err := s.UpdateRecord(t.Context(), r.Instance, store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &r}); err != nil {
		t.Fatalf("create record of %q: %v", r.Instance, err)
	}
}

// running returns a record of a running instance that started n seconds after the epoch.
func running(instance string, n int) store.Record {
	at := epoch.Add(time.Duration(n) * time.Second)
	return store.Record{
		Instance: instance, ExecutionID: 1, FirstExecution: 1, StartID: "start-" + instance,
		Name: "Fulfil", Version: "1.0", Status: store.StatusRunning, CreatedAt: at, UpdatedAt: at,
	}
}

func ptr[T any](v T) *T { return &v }

func describe(turns []store.Turn) string {
	s := ""
	for i := range turns {
		t := &turns[i]
		if len(t.Events) == 0 {
			s += " [empty]"
			continue
		}
		s += fmt.Sprintf(" [%s execution %d events %d-%d token %s]", short(t.Instance), t.ExecutionID, t.First(), t.Last(), t.Token)
	}
	return s
}

func short(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}

// same fails the test unless got are the wanted turns, byte for byte.
func same(t testing.TB, got, want []store.Turn) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("read %d turns%s, want %d%s", len(got), describe(got), len(want), describe(want))
	}
	for i := range got {
		if !reflect.DeepEqual(got[i], want[i]) {
			g, w := got[i], want[i]
			for j := range min(len(g.Events), len(w.Events)) {
				if !reflect.DeepEqual(g.Events[j], w.Events[j]) {
					t.Fatalf("event %d differs:\n got %.300v\nwant %.300v", w.Events[j].EventID, g.Events[j], w.Events[j])
				}
			}
			g.Events, w.Events = nil, nil
			t.Fatalf("turn %d differs: read%s, want%s; marks %+v, want %+v", i, describe(got[i:i+1]), describe(want[i:i+1]), g, w)
		}
	}
}

func wantConflict(t testing.TB, err error) {
	t.Helper()
	if !errors.Is(err, store.ErrConflict) {
		t.Fatalf("got %v, want ErrConflict", err)
	}
}

// settle repeats an identical commit whose outcome is unknown until its outcome is known, as every
// writer must.
func settle(ctx context.Context, s store.Store, c store.Commit) error {
	for range 20 {
		err := s.Commit(ctx, c)
		if !errors.Is(err, store.ErrUnknownOutcome) && !errors.Is(err, store.ErrUnavailable) {
			return err
		}
	}
	return errors.New("storetest: no answer to 20 identical appends")
}
