package storetest

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/turnstile-go/turnstile/store"
)

// plain is the simple model: turns in a slice, records in a map.
type plain struct {
	turns   map[int64][]store.Turn
	records map[string]store.Record
}

func (m *plain) commit(c store.Commit) error {
	for _, x := range c.Turns {
		for _, stored := range m.turns[x.ExecutionID] {
			if reflect.DeepEqual(stored, x) {
				return nil
			}
		}
	}
	if c.Record != nil {
		var found *store.Record
		if r, ok := m.records[c.Turns[0].Instance]; ok {
			found = &r
		}
		if !c.Record.Holds(found) {
			return store.ErrConflict
		}
	}
	for _, x := range c.Turns {
		for _, stored := range m.turns[x.ExecutionID] {
			if stored.First() == x.First() {
				return store.ErrConflict
			}
		}
	}
	for _, x := range c.Turns {
		m.turns[x.ExecutionID] = append(m.turns[x.ExecutionID], x)
	}
	if c.Record != nil {
		m.records[c.Turns[0].Instance] = c.Record.Apply(m.records[c.Turns[0].Instance])
	}
	return nil
}

func model(t *testing.T, o Options) {
	s := o.Open(t)
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		instance := fmt.Sprintf("order-%d", run)
		m := plain{turns: map[int64][]store.Turn{}, records: map[string]store.Record{}}
		for step := range rapid.IntRange(1, 12).Draw(rt, "steps") {
			e := rapid.Int64Range(1, 3).Draw(rt, "execution")
			first := int64(1)
			if n := len(m.turns[e]); n > 0 {
				first = m.turns[e][n-1].Last() + 1
				if rapid.IntRange(0, 3).Draw(rt, "stale") == 0 {
					first = m.turns[e][rapid.IntRange(0, n-1).Draw(rt, "slot")].First()
				}
			}
			token := fmt.Sprintf("turn-%d", rapid.IntRange(0, 1).Draw(rt, "again")*step)
			c := store.Commit{Turns: []store.Turn{turn(instance, e, first, rapid.IntRange(1, 3).Draw(rt, "events"), token)}}
			if rapid.Bool().Draw(rt, "two executions") && len(m.turns[e+1]) == 0 {
				c.Turns = append(c.Turns, turn(instance, e+1, 1, 1, token))
			}
			if rapid.Bool().Draw(rt, "with record") {
				c.Record = drawChange(rt, instance)
			}
			want := m.commit(c)
			if got := s.Commit(rt.Context(), c); (got == nil) != (want == nil) || want != nil && !errors.Is(got, want) {
				rt.Fatalf("commit%s with %+v: %v, the model says %v", describe(c.Turns), c.Record, got, want)
			}
		}
		for e := int64(1); e <= 4; e++ {
			got, err := s.Read(rt.Context(), instance, e, 1)
			if err != nil || len(got) != len(m.turns[e]) || len(got) > 0 && !reflect.DeepEqual(got, m.turns[e]) {
				rt.Fatalf("execution %d reads%s, %v; the model has%s", e, describe(got), err, describe(m.turns[e]))
			}
		}
		got, err := s.Describe(rt.Context(), instance)
		if want, ok := m.records[instance]; ok != (err == nil) || ok && !reflect.DeepEqual(got, want) {
			rt.Fatalf("record %+v, %v; the model has %+v", got, err, want)
		}
	})
}

func drawChange(rt *rapid.T, instance string) *store.RecordChange {
	c := &store.RecordChange{UpdatedAt: epoch.Add(time.Duration(rapid.IntRange(0, 9).Draw(rt, "at")) * time.Minute)}
	switch rapid.IntRange(0, 2).Draw(rt, "condition") {
	case 0:
		c.If = store.RecordCondition{Absent: true}
		c.Create = ptr(running(instance, rapid.IntRange(0, 9).Draw(rt, "created")))
		return c
	case 1:
		c.If = store.RecordCondition{Exists: true, Running: true}
	case 2:
		c.If = store.RecordCondition{ExecutionID: rapid.Int64Range(1, 2).Draw(rt, "in execution")}
	}
	if rapid.Bool().Draw(rt, "ends") {
		c.Status, c.EndedAt = ptr(store.StatusFailed), ptr(epoch)
	}
	if rapid.Bool().Draw(rt, "goes on") {
		c.ExecutionID = ptr(int64(2))
	}
	if rapid.Bool().Draw(rt, "wakes") {
		c.Stamp = ptr(rapid.Int64Range(0, 2).Draw(rt, "stamp"))
	}
	return c
}
