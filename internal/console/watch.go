package console

import (
	"context"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/internal/console/api"
)

// watcher polls what open pages show, and sends them the changes. All pages that show the same
// thing share one topic. All topics share one goroutine, which runs while a page is connected.
type watcher struct {
	// changed returns a channel that is closed at the next change; nil if the store does not report
	// changes.
	changed func() <-chan struct{}
	// pause is the shortest time between two polls of a topic without a reported change; settle is
	// how long changes are collected.
	pause, settle time.Duration
	// records is how many records all polls together may read in a minute; 0 for no limit.
	records int
	// most is the maximum number of connected pages.
	most int
	// failed is the message that a poll has failed.
	failed func(error) message

	mu        sync.Mutex
	topics    map[string]*topic
	connected int
	running   bool
	spent     spent
	// poke wakes the goroutine for a new topic, and to end it.
	poke chan struct{}
}

// newWatcher returns the watcher of a handler.
func (h *handler) newWatcher() *watcher {
	w := &watcher{
		pause: max(h.poll, minPoll), settle: gather, records: max(h.records, 1), most: livePages,
		topics: map[string]*topic{}, poke: make(chan struct{}, 1),
		failed: func(err error) message {
			return message{"failed", api.LiveFailed{Now: h.now().UTC(), Error: *h.explain(err)}}
		},
	}
	if h.client.Changed() != nil {
		w.changed, w.pause, w.records = h.client.Changed, pushPause, 0
	}
	return w
}

const (
	minPoll = 100 * time.Millisecond
	// pushPause is the pause if changes are reported. Polling is still needed, because a commit
	// that changes no record is not reported, and costs nothing there.
	pushPause = time.Second
	// gather is how long changes are collected for one poll.
	gather = 100 * time.Millisecond
)

// message is one server-sent event.
type message struct {
	event string
	data  any
}

// topic is something that is polled.
type topic struct {
	key string
	// look returns its state, and how many records it read.
	look func(context.Context) (state any, read int, err error)
	// news returns the messages for a page that knows the state before; before is nil if it knows
	// none.
	news func(before, state any) []message

	// state as of the last successful poll, and the time of that; nil before the first.
	state  any
	looked time.Time
	read   int
	due    time.Time
	subs   map[*subscriber]bool
}

// subscriber is one open page. Its channel is closed if it does not take messages fast enough.
type subscriber struct {
	messages chan message
	// knows is set if it was sent the state of the last poll, and no failure since.
	knows bool
}

// queued is how many messages may wait for a page.
const queued = 64

// subscribe connects a page to a topic; false if too many pages are connected. leave disconnects
// it.
func (w *watcher) subscribe(new *topic) (s *subscriber, leave func(), ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.connected >= w.most {
		return nil, nil, false
	}
	t := w.topics[new.key]
	if t == nil {
		t = new
		t.read, t.subs = 1, map[*subscriber]bool{}
		w.topics[t.key] = t
	}
	s = &subscriber{messages: make(chan message, queued)}
	t.subs[s] = true
	w.connected++
	// If changes are not reported, the page may just have read something newer than an old state,
	// so poll at once.
	fresh := t.looked.Add(w.pause)
	switch {
	case t.state != nil && w.changed != nil:
		t.notifyAll(s)
	case t.state != nil && time.Now().Before(fresh):
		t.notifyAll(s)
		if fresh.Before(t.due) {
			t.due = fresh
		}
	default:
		t.due = time.Time{}
	}
	if !w.running {
		w.running = true
		go w.run()
	}
	w.wake()
	return s, sync.OnceFunc(func() { w.leave(t, s) }), true
}

func (w *watcher) leave(t *topic, s *subscriber) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(t.subs, s)
	w.connected--
	if len(t.subs) == 0 && w.topics[t.key] == t {
		delete(w.topics, t.key)
	}
	w.wake()
}

// notifyAll sends a page the whole state.
func (t *topic) notifyAll(s *subscriber) {
	s.knows = true
	t.tell(s, t.news(nil, t.state))
}

// tell passes messages to a page. A page that does not take them is disconnected; it connects again
// and gets the whole state.
func (t *topic) tell(s *subscriber, say []message) {
	for _, m := range say {
		select {
		case s.messages <- m:
		default:
			delete(t.subs, s)
			close(s.messages)
			return
		}
	}
}

// wake makes the goroutine check its topics again.
func (w *watcher) wake() {
	select {
	case w.poke <- struct{}{}:
	default:
	}
}

// run polls the topics when they are due, until no page is connected.
func (w *watcher) run() {
	for {
		// Request the channel before polling, so that no change is missed.
		var changed <-chan struct{}
		if w.changed != nil {
			changed = w.changed()
		}
		next, ok := w.round()
		if !ok {
			return
		}
		timer := time.NewTimer(time.Until(next))
		select {
		case <-timer.C:
		case <-w.poke:
		case <-changed:
			// Poll once for many changes.
			time.Sleep(w.settle)
			w.allDue()
		}
		timer.Stop()
	}
}

// round polls the due topics and returns when the next one is due; false if there is none.
func (w *watcher) round() (next time.Time, ok bool) {
	for {
		t, due := w.first()
		if t == nil {
			return time.Time{}, false
		}
		if time.Now().Before(due) {
			return due, true
		}
		w.lookAt(t)
	}
}

// first returns the topic that is due first, and when. It returns nil, and the goroutine must end,
// if there is none.
func (w *watcher) first() (first *topic, due time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range w.topics {
		if first == nil || t.due.Before(first.due) {
			first = t
		}
	}
	if w.running = first != nil; !w.running {
		return nil, due
	}
	return first, first.due
}

func (w *watcher) allDue() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range w.topics {
		t.due = time.Time{}
	}
}

// lookTime is the time limit of one poll.
const lookTime = 20 * time.Second

func (w *watcher) lookAt(t *topic) {
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	state, read, err := t.look(ctx)
	cancel()

	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	w.spent.add(now, read)
	t.read = max(read, 1)
	t.due = now.Add(w.interval(t))
	if err != nil {
		say := []message{w.failed(err)}
		for s := range t.subs {
			s.knows = false
			t.tell(s, say)
		}
		return
	}
	news := t.news(t.state, state)
	t.state, t.looked = state, now
	for s := range t.subs {
		if s.knows {
			t.tell(s, news)
		} else {
			t.notifyAll(s)
		}
	}
}
