package embedded

import (
	"testing"
	"time"
)

func TestVirtualClockReportsTimersThatAreDueImmediately(t *testing.T) {
	t.Parallel()
	told := 0
	c := newVirtualClock(time.Unix(0, 0), func() { told++ })
	c.AfterFunc(time.Second, func() {})
	c.AfterFunc(0, func() {})
	if told != 1 {
		t.Errorf("told %d times, want once", told)
	}
}
