package embedded

import (
	"testing"
	"time"
)

func TestVirtualClockFiresInOrderOfTimeThenOfSetting(t *testing.T) {
	t.Parallel()
	begin := time.Unix(0, 0)
	c := newVirtualClock(begin, func() {})
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
	if !c.fire(false) || c.fire(false) {
		t.Error("without a jump, what is due fires and nothing else")
	}
	for c.fire(true) {
	}
	want := []string{"at once 0s", "first 1s", "second 1s", "late 2s"}
	if len(fired) != len(want) {
		t.Fatalf("fired %v, want %v", fired, want)
	}
	for i := range want {
		if fired[i] != want[i] {
			t.Errorf("fired %v, want %v", fired, want)
		}
	}
}

func TestVirtualClockTellsOfWhatIsDueAtOnce(t *testing.T) {
	t.Parallel()
	told := 0
	c := newVirtualClock(time.Unix(0, 0), func() { told++ })
	c.AfterFunc(time.Second, func() {})
	c.AfterFunc(0, func() {})
	if told != 1 {
		t.Errorf("told %d times, want once", told)
	}
}
