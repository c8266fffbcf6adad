package console

import (
	"context"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/internal/console/api"
)

// watcher looks at what open pages show, and tells them of changes. All pages
// that show the same share one topic, and all topics one goroutine, which is
// there while anybody is connected.
type watcher struct {
	// changed returns a channel that is closed at the next change; nil where
	// nobody tells of changes.
	changed func() <-chan struct{}
	// pause is the shortest time between two looks at a topic that nobody was
	// told to have changed; settle is how long changes are gathered.
	pause, settle time.Duration
	// records is how many all looks may read a minute; 0 for any number.
	records int
	// most is how many may be connected.
	most int
	// failed is what is said of a look that failed.
	failed func(error) message

	mu        sync.Mutex
	topics    map[string]*topic
	connected int
	running   bool
	spent     spent
	// poke wakes the goroutine for a new topic, and for the end.
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
	// pushPause is the pause where changes are told of: a commit that changes no
	// record is not, and looking costs nothing there.
	pushPause = time.Second
	// gather is how long changes are gathered for one look.
	gather = 100 * time.Millisecond
)

// message is one server-sent event.
type message struct {
	event string
	data  any
}

// topic is something that is looked at.
type topic struct {
	key string
	// look returns how it stands, and how many records that read.
	look func(context.Context) (state any, read int, err error)
	// news is what there is to say to those who know before, which is nil for
	// those who know nothing.
	news func(before, state any) []message

	// state as of the last good look, and when that was; nil before the first.
	state  any
	looked time.Time
	read   int
	due    time.Time
	subs   map[*subscriber]bool
}

// subscriber is one open page. Its messages end when it does not take them fast
// enough.
type subscriber struct {
	messages chan message
	// knows the state as of the last look: it was told that, and of no failure since.
	knows bool
}

// queued is how many messages may wait for a page.
const queued = 64

// subscribe connects a page to a topic; false if too many are connected. leave
// ends it.
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
	// Where nobody tells of changes, the page may just have read what is newer than an old state,
	// so there is a look at once.
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

// notifyAll tells a page the whole state.
func (t *topic) notifyAll(s *subscriber) {
	s.knows = true
	t.tell(s, t.news(nil, t.state))
}

// tell hands messages to a page. One that does not take them is let go: it
// connects again, and is told all.
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

// wake lets the goroutine look at its topics anew.
func (w *watcher) wake() {
	select {
	case w.poke <- struct{}{}:
	default:
	}
}

// run looks at the topics as they are due, until nobody is connected.
func (w *watcher) run() {
	for {
		// Asked for before the looks, so that no change falls in between.
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
			// Many changes at once are one look.
			time.Sleep(w.settle)
			w.allDue()
		}
		timer.Stop()
	}
}

// round looks at what is due and returns when the next topic is; false if there
// is none.
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

// first returns the topic that is due first, and when; nil, and the goroutine is to end,
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

// lookTime bounds one look.
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
