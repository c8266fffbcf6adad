package clock_test

import (
	"slices"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
)

func TestTimersFireInOrderOfTimeThenOfSetting(t *testing.T) {
	t.Parallel()
	begin := time.Unix(0, 0)
	c := clock.NewVirtual(begin)
	var fired []string
	set := func(d time.Duration, name string) func() bool {
		return c.AfterFunc(d, func() { fired = append(fired, name+" "+c.Now().Sub(begin).String()) })
	}
	set(2*time.Second, "late")
	set(time.Second, "first")
	set(time.Second, "second")
	stop := set(time.Second, "stopped")
	set(-time.Hour, "at once")
	if len(fired) != 0 {
		t.Fatalf("AfterFunc called %v before it returned", fired)
	}
	if !stop() || stop() {
		t.Error("stop does not report whether it came in time")
	}
	if !c.Fire(false) || c.Fire(false) {
		t.Error("without a jump, what is due fires and nothing else")
	}
	for c.Fire(true) {
	}
	if want := []string{"at once 0s", "first 1s", "second 1s", "late 2s"}; !slices.Equal(fired, want) {
		t.Errorf("fired %v, want %v", fired, want)
	}
}

func TestSetGoesNoFurtherThanTheNextTimerAndNeverBack(t *testing.T) {
	t.Parallel()
	begin := time.Unix(0, 0)
	c := clock.NewVirtual(begin)
	if _, ok := c.Next(); ok {
		t.Error("it has a timer that nobody set")
	}
	c.AfterFunc(time.Minute, func() {})
	for _, step := range []struct{ to, want time.Duration }{{time.Second, time.Second}, {0, time.Second}, {time.Hour, time.Minute}} {
		if c.Set(begin.Add(step.to)); !c.Now().Equal(begin.Add(step.want)) {
			t.Errorf("set to %s it stands at %s, want %s", step.to, c.Now().Sub(begin), step.want)
		}
	}
	if next, ok := c.Next(); !ok || !next.Equal(begin.Add(time.Minute)) {
		t.Errorf("the next timer is at %s, %t", next, ok)
	}
}
