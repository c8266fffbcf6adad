package console

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// scene is a watcher with a topic that can be changed.
type scene struct {
	*watcher
	t *testing.T

	guard sync.Mutex
	looks map[string]int
	reads int
	value int
	err   error
}

func newScene(t *testing.T, records int) *scene {
	s := &scene{t: t, looks: map[string]int{}}
	s.watcher = &watcher{
		pause: 3 * time.Second, settle: 100 * time.Millisecond, records: records, most: 5,
		topics: map[string]*topic{}, poke: make(chan struct{}, 1),
		failed: func(err error) message { return message{"failed", err.Error()} },
	}
	return s
}

// topic is one of which a look reads that many records.
func (s *scene) topic(key string, reads int) *topic {
	return &topic{
		key: key,
		look: func(context.Context) (any, int, error) {
			s.guard.Lock()
			defer s.guard.Unlock()
			s.looks[key]++
			s.reads += reads
			return s.value, reads, s.err
		},
		news: func(before, state any) []message {
			if before == state {
				return nil
			}
			return []message{{"value", state}}
		},
	}
}

// set changes what is seen.
func (s *scene) set(value int, err error) {
	s.guard.Lock()
	defer s.guard.Unlock()
	s.value, s.err = value, err
}

// seen is how often something was looked at, and what all looks read.
func (s *scene) seen(key string) (looks, reads int) {
	s.guard.Lock()
	defer s.guard.Unlock()
	return s.looks[key], s.reads
}

func (s *scene) join(key string, reads int) (*subscriber, func()) {
	s.t.Helper()
	sub, leave, ok := s.subscribe(s.topic(key, reads))
	if !ok {
		s.t.Fatal("no more may be connected")
	}
	return sub, leave
}

// told returns what a page was told.
func told(s *subscriber) string {
	text := ""
	for {
		select {
		case m, more := <-s.messages:
			if !more {
				return text + "end"
			}
			text += fmt.Sprint(m.event, " ", m.data, ";")
		default:
			return text
		}
	}
}

func TestPagesThatShowTheSameShareTheirPolls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, 1_000_000)
		a, leaveA := s.join("x", 1)
		synctest.Wait()
		time.Sleep(time.Second)
		b, leaveB := s.join("x", 1)
		if got := told(b); got != "value 0;" {
			t.Errorf("one who comes later is told %q at once", got)
		}
		s.set(1, nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := told(a) + told(b); got != "value 0;value 1;value 1;" {
			t.Errorf("told were %q", got)
		}
		if n, _ := s.seen("x"); n < 19 || n > 22 {
			t.Errorf("%d looks in a minute, want one each 3 seconds", n)
		}
		leaveA()
		leaveB()
	})
}

func TestALaterSubscriberIsNotNotifiedOfAnOldState(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, 600)
		const reads = 1000 // A look each 100 seconds.
		a, leaveA := s.join("x", reads)
		defer leaveA()
		time.Sleep(50 * time.Second)
		s.set(1, nil)
		// Twice: what has changed, and what has not, is told to who comes.
		for i, others := range []string{"value 0;value 1;", ""} {
			b, leave := s.join("x", reads)
			defer leave()
			synctest.Wait()
			if got := told(b); got != "value 1;" {
				t.Errorf("%d: who comes later is told %q", i, got)
			}
			if got := told(a); got != others {
				t.Errorf("%d: the other is told %q", i, got)
			}
			time.Sleep(50 * time.Second)
		}
		// Soon after a look its state is told at once, and what has changed since soon.
		c, leaveC := s.join("x", reads)
		defer leaveC()
		synctest.Wait()
		told(c)
		time.Sleep(time.Second)
		s.set(2, nil)
		d, leaveD := s.join("x", reads)
		defer leaveD()
		if got := told(d); got != "value 1;" {
			t.Errorf("who comes soon is told %q", got)
		}
		time.Sleep(s.pause)
		synctest.Wait()
		if got := told(d); got != "value 2;" {
			t.Errorf("who has come soon is then told %q", got)
		}
	})
}

func TestNothingIsReadWhileNoPageIsOpen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, 600)
		for range 3 {
			_, leave := s.join("x", 1)
			time.Sleep(10 * time.Second)
			leave()
			leave()
			synctest.Wait()
			before, _ := s.seen("x")
			time.Sleep(time.Hour)
			after, _ := s.seen("x")
			s.mu.Lock()
			if after != before || s.running || s.connected != 0 || len(s.topics) != 0 {
				t.Errorf("%d looks behind the end, %d connected, topics %v", after-before, s.connected, s.topics)
			}
			s.mu.Unlock()
		}
		// synctest fails if the goroutine is still there.
	})
}

func TestAllPagesTogetherStayWithinTheReadLimit(t *testing.T) {
	t.Parallel()
	for _, open := range []map[string]int{
		{"list": 51}, {"list": 201}, {"instance": 2}, {"list": 51, "instance": 2}, {"list": 201, "other": 101, "instance": 2},
		{"conditions": 1000, "instance": 2}, {"a": 51, "b": 51, "c": 51, "d": 51, "e": 51},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newScene(t, 600)
			first := 0
			for key, reads := range open {
				_, leave := s.join(key, reads)
				defer leave()
				first += reads
			}
			synctest.Wait()
			const minutes = 60
			time.Sleep(minutes * time.Minute)
			synctest.Wait()
			// What a page reads when it opens comes on top, and a look that has
			// begun is finished.
			n, read := s.seen("instance")
			if most := 600*minutes + 2*first; read > most {
				t.Errorf("%v: %d records in an hour, at most %d", open, read, most)
			}
			if open["instance"] > 0 && n < minutes*19 {
				t.Errorf("%v: %d looks at the instance, which needs few, in an hour", open, n)
			}
			if got := s.cost(); got.RecordsAMinute != 600 || got.RecordsLastMinute > 600+first {
				t.Errorf("%v: %+v is said", open, got)
			}
		})
	}
}

func TestWhereChangesAreNotifiedOneIsSeenAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, 0)
		changed := make(chan chan struct{}, 1)
		changed <- make(chan struct{})
		s.changed = func() <-chan struct{} {
			c := <-changed
			defer func() { changed <- c }()
			return c
		}
		s.pause = time.Hour
		sub, leave := s.join("x", 1)
		defer leave()
		time.Sleep(time.Second)
		told(sub)
		for i := 1; i <= 3; i++ {
			s.set(i, nil)
			old := <-changed
			changed <- make(chan struct{})
			close(old)
			time.Sleep(s.settle + time.Millisecond)
			synctest.Wait()
			if got := told(sub); got != fmt.Sprintf("value %d;", i) {
				t.Errorf("told was %q", got)
			}
		}
	})
}

func TestALookThatFailsIsReportedAndTheNextOneContinues(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, 600)
		s.set(0, errors.New("throttled"))
		sub, leave := s.join("x", 1)
		defer leave()
		synctest.Wait()
		s.set(0, nil)
		time.Sleep(4 * time.Second)
		synctest.Wait()
		if got := told(sub); got != "failed throttled;value 0;" {
			t.Errorf("told was %q", got)
		}
		// All is told after a failure, also if it is as it was before, and once.
		s.set(0, errors.New("throttled"))
		time.Sleep(4 * time.Second)
		synctest.Wait()
		s.set(0, nil)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if got := strings.ReplaceAll(told(sub), "failed throttled;", ""); got != "value 0;" {
			t.Errorf("told was %q after the second failure", got)
		}
	})
}

func TestAPageThatDoesNotTakeItsMessagesIsLetGo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, 1_000_000)
		slow, leaveSlow := s.join("x", 1)
		well, leaveWell := s.join("x", 1)
		for i := range 2 * queued {
			s.set(i, nil)
			time.Sleep(4 * time.Second)
			synctest.Wait()
			told(well)
		}
		for range queued {
			<-slow.messages
		}
		if _, more := <-slow.messages; more {
			t.Error("the slow one goes on")
		}
		s.set(-1, nil)
		time.Sleep(4 * time.Second)
		synctest.Wait()
		if got := told(well); got != "value -1;" {
			t.Errorf("the other is told %q", got)
		}
		leaveSlow()
		leaveWell()
	})
}

func TestTheNumberOfConnectedPagesIsLimited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, 600)
		var leaves []func()
		for i := range s.most {
			_, leave := s.join(fmt.Sprint(i), 1)
			leaves = append(leaves, leave)
		}
		if _, _, ok := s.subscribe(s.topic("one more", 1)); ok {
			t.Error("one more is connected")
		}
		leaves[0]()
		_, leave := s.join("now", 1)
		for _, l := range append(leaves, leave) {
			l()
		}
	})
}
