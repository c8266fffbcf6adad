package clock_test

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
)

// sleeper is the clock of a machine that sleeps: its alarms stand still meanwhile.
type sleeper struct {
	*clock.Virtual
	slept time.Duration
}

func (s *sleeper) Now() time.Time { return s.Virtual.Now().Add(s.slept) }
func (s *sleeper) Jumps() bool    { return true }

func TestAnAlarmFiresOnTimeAfterTheMachineHasSlept(t *testing.T) {
	t.Parallel()
	begin := time.Unix(0, 0)
	for name, c := range map[string]struct {
		sleeps time.Duration
		back   time.Duration // by which the clock is set back meanwhile
		most   time.Duration // that the alarm may be late
	}{
		"it does not sleep":        {},
		"it sleeps past the time":  {sleeps: 20 * time.Hour, most: time.Minute},
		"it sleeps for an hour":    {sleeps: time.Hour},
		"its clock is set back":    {back: time.Hour},
		"it sleeps nearly so long": {sleeps: 10*time.Hour - 2*time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &sleeper{Virtual: clock.NewVirtual(begin)}
			var came []time.Time
			at := begin.Add(10 * time.Hour)
			clock.At(s, at, func() { came = append(came, s.Now()) })
			for s.Virtual.Now().Before(begin.Add(30*time.Second)) && s.Fire(true) {
			}
			awake := s.Virtual.Now()
			s.slept += c.sleeps - c.back
			for len(came) == 0 && s.Fire(true) {
			}
			if len(came) != 1 || came[0].Before(at) {
				t.Fatalf("the alarm for %s came at %v", at, came)
			}
			if late := s.Virtual.Now().Sub(awake); c.most > 0 && late > c.most {
				t.Errorf("it came %s after the machine woke up", late)
			}
			if late := came[0].Sub(at); c.most == 0 && late != 0 {
				t.Errorf("it came %s late", late)
			}
			if s.Fire(true) {
				t.Error("it is armed still")
			}
		})
	}
}

func TestAnAlarmThatIsStoppedDoesNotCome(t *testing.T) {
	t.Parallel()
	s := &sleeper{Virtual: clock.NewVirtual(time.Unix(0, 0))}
	stop := clock.At(s, s.Now().Add(time.Hour), func() { t.Error("it came") })
	s.Fire(true) // It looks at the time, after a minute.
	if !stop() || stop() {
		t.Error("stop does not report whether it came in time")
	}
	for s.Fire(true) {
	}
}

// A clock that does not jump is asked for the time itself, and for no other.
func TestAVirtualClockGoesStraightToTheTime(t *testing.T) {
	t.Parallel()
	c := clock.NewVirtual(time.Unix(0, 0))
	came := false
	clock.At(c, c.Now().Add(24*time.Hour), func() { came = true })
	if !c.Fire(true) || !came {
		t.Error("one step does not lead there")
	}
}
