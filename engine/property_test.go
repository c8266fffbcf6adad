package engine_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// The properties in this file and in cuts_test.go run 100 random programs each by
// default. To run more:
//
//	go test ./engine -run Property -rapid.checks=20000

// engineContext runs a random program on the engine.
type engineContext struct {
	c *engine.Context
	d *driver
}

type engineFuture struct{ f *engine.Future }

func (f engineFuture) eventID() int64       { return f.f.EventID() }
func (f engineFuture) ready() bool          { return f.f.Ready() }
func (f engineFuture) cancel(reason string) { _ = f.f.Cancel(reason) }
func (f engineFuture) instance() string     { return f.f.Instance() }

func engineFutures(fs []programFuture) []*engine.Future {
	list := make([]*engine.Future, len(fs))
	for i, f := range fs {
		list[i] = f.(engineFuture).f
	}
	return list
}

// classify returns the class of an error in the model's words.
func classify(err error) *programError {
	if err == nil {
		return nil
	}
	e := &programError{class: err.Error(), kind: history.FailureApplication, cause: err}
	var (
		all       *engine.AllFailedError
		own       *programError
		cancelled *engine.CancelledError
		failure   *engine.FailureError
	)
	switch {
	case errors.As(err, &all) && !errors.As(err, &own), errors.As(err, &all) && error(all) == err:
		var errs []*programError
		for _, err := range all.Errs {
			errs = append(errs, classify(err))
		}
		e.class = allFailedClass(errs).class
	case errors.As(err, &own):
		return own
	case errors.As(err, &cancelled):
		e.class = "cancelled " + cancelled.Reason
	case errors.As(err, &failure):
		e.class = "failed " + failure.Failure.Kind + " " + failure.Failure.Message
	case errors.Is(err, engine.ErrUnwinding):
		e.class = unwindingClass
	case errors.Is(err, engine.ErrNothingToWaitFor):
		e.class = "nothing to wait for"
	case errors.Is(err, engine.ErrNested):
		e.class = "nested"
	}
	return e
}

// plain returns err as an error, or nil.
func plain(err *programError) error {
	if err == nil {
		return nil
	}
	return err
}

func (c engineContext) start(s *stmt) programFuture {
	e := schedulingEvent(s)
	switch e.Kind {
	case history.TimerCreated:
		if s.kind == stUntil {
			return engineFuture{c.c.TimerAt(e.FireAtMS)}
		}
		return engineFuture{c.c.Timer(time.Duration(e.DurationMS) * time.Millisecond)}
	case history.ExternalSubscribed:
		if s.flag {
			return engineFuture{c.c.ExternalEventIf(e.Name, func(data []byte) error { return rejectable(string(data)) })}
		}
		return engineFuture{c.c.ExternalEvent(e.Name)}
	case history.SubOrchestrationScheduled:
		return engineFuture{c.c.Child(engine.ChildCall{Name: e.Name, Version: e.Version, Instance: e.Instance, Input: e.Payload, OnParentEnd: e.OnParentEnd})}
	}
	return engineFuture{c.c.Activity(engine.ActivityCall{Name: e.Name, Input: e.Payload, Inline: e.Inline})}
}

func (c engineContext) kept(s *stmt) (bool, *programError) {
	var accepts engine.Acceptor
	if s.flag {
		accepts = func(data []byte) error { return rejectable(string(data)) }
	}
	came, err := c.c.EventKept(schedulingEvent(&stmt{kind: stEvent, n: s.n}).Name, accepts)
	return came, classify(err)
}

func (c engineContext) detach(name string) (string, *programError) {
	v, err := c.c.Detach(engine.ChildCall{Name: name, Input: []byte("1")})
	return v, classify(err)
}

func (c engineContext) now() (string, *programError) {
	v, err := c.c.Now()
	return strconv.FormatInt(v.UnixMilli(), 10), classify(err)
}

func (c engineContext) guid() (string, *programError) {
	v, err := c.c.GUID()
	return v, classify(err)
}

func (c engineContext) sideEffect(name, value string, fails bool) (string, *programError) {
	v, err := c.c.SideEffect(name, func() ([]byte, error) {
		c.d.sideEffects++
		if fails {
			return nil, errors.New("side " + value)
		}
		return []byte(value), nil
	})
	return string(v), classify(err)
}

func (c engineContext) nested() (string, *programError) {
	v, err := c.c.SideEffect("nested", func() ([]byte, error) {
		_, err := c.c.Await(c.c.Activity(engine.ActivityCall{Name: "never"}))
		_, now := c.c.Now()
		_, sel := c.c.Select(false)
		_, scope := c.c.Detach(engine.ChildCall{Name: "never"})
		return []byte(fmt.Sprintf("%q", fmt.Sprint(plain(classify(err)), " ", plain(classify(now)), " ", plain(classify(sel)), " ", plain(classify(scope))))), nil
	})
	return string(v), classify(err)
}

func (c engineContext) trace(message string) *programError {
	return classify(c.c.Trace(slog.LevelInfo, message))
}

func (c engineContext) historyLength() int64 { return c.c.Info().HistoryLength }
func (c engineContext) err() *programError   { return classify(c.c.Err()) }

func (c engineContext) branch(fn func(programContext) (string, *programError)) programFuture {
	return engineFuture{c.c.Go(func(inner *engine.Context) ([]byte, error) {
		v, err := fn(engineContext{inner, c.d})
		return []byte(v), plain(err)
	})}
}

func (c engineContext) withCancel() (programContext, func(string)) {
	inner, cancel := c.c.WithCancel()
	return engineContext{inner, c.d}, func(reason string) { _ = cancel(reason) }
}

func (c engineContext) withTimeout(seconds int) (programContext, func(string)) {
	inner, cancel := c.c.WithTimeout(time.Duration(seconds) * time.Second)
	return engineContext{inner, c.d}, func(reason string) { _ = cancel(reason) }
}

func (c engineContext) patched(id string) (bool, *programError) {
	has, err := c.c.Patched(id)
	return has, classify(err)
}

func (c engineContext) patchRetired(id string) *programError { return classify(c.c.PatchRetired(id)) }

func (c engineContext) raise(instance, value string) *programError {
	return classify(c.c.RaiseEvent(instance, "told", []byte(value), nil))
}

func (c engineContext) cancelInstance(instance, reason string) *programError {
	return classify(c.c.CancelInstance(instance, reason))
}

func (c engineContext) search(name string, n int) *programError {
	v := history.SearchValue{}
	if n != 0 {
		v = history.SearchNumberOf(int64(n))
	}
	return classify(c.c.SetSearchAttributes(history.SearchAttributes{name: v}))
}

func (c engineContext) shield() programContext { return engineContext{c.c.Shield(), c.d} }

func (c engineContext) await(f programFuture) (string, *programError) {
	v, err := c.c.Await(f.(engineFuture).f)
	return string(v), classify(err)
}

func (c engineContext) selectOf(keep bool, fs []programFuture) (int, *programError) {
	i, err := c.c.Select(keep, engineFutures(fs)...)
	return i, classify(err)
}

func (c engineContext) join(fs []programFuture) ([]string, *programError) {
	vs, err := c.c.Join(engineFutures(fs)...)
	var list []string
	for _, v := range vs {
		list = append(list, string(v))
	}
	return list, classify(err)
}

func programOutcomes(os []engine.Outcome) []programOutcome {
	var list []programOutcome
	for _, o := range os {
		list = append(list, programOutcome{string(o.Value), classify(o.Err)})
	}
	return list
}

func (c engineContext) settle(fs []programFuture) ([]programOutcome, *programError) {
	os, err := c.c.Settle(engineFutures(fs)...)
	return programOutcomes(os), classify(err)
}

func (c engineContext) anyOf(fs []programFuture) (int, string, *programError) {
	i, v, err := c.c.Any(engineFutures(fs)...)
	return i, string(v), classify(err)
}

func (c engineContext) asCompleted(fs []programFuture) iter.Seq2[int, programOutcome] {
	return func(yield func(int, programOutcome) bool) {
		for i, o := range c.c.AsCompleted(engineFutures(fs)...) {
			if !yield(i, programOutcome{string(o.Value), classify(o.Err)}) {
				return
			}
		}
	}
}

func (c engineContext) status(value string) { c.c.SetState(history.ListedState, []byte(value)) }
func (c engineContext) log(line string)     { c.c.Logger().Info(line) }

func (c engineContext) continueAsNew(input string) *programError {
	return &programError{class: "again", cause: c.c.ContinueAsNew("", []byte(input), nil)}
}

// quietHandler lets logs reach Turn.Logs.
type quietHandler struct{}

func (quietHandler) Enabled(context.Context, slog.Level) bool  { return true }
func (quietHandler) Handle(context.Context, slog.Record) error { return nil }
func (h quietHandler) WithAttrs([]slog.Attr) slog.Handler      { return h }
func (h quietHandler) WithGroup(string) slog.Handler           { return h }

// driver is a minimal host: it runs a program turn by turn on the engine, commits the
// results, runs inline activities and continues with the next execution.
type driver struct {
	t       rapid.TB
	p       *program
	panicAt int
	blind   bool
	reg     *engine.Registry
	nowMS   int64
	// parkInline commits an inline result before the code continues.
	parkInline bool
	// cold discards the execution after each turn.
	cold bool
	// feed divides recorded events into the parts that are fed at a time; nil feeds all
	// at once.
	feed func(n int) int

	x         *engine.Execution // warm execution, or nil
	run       *programRun       // of x
	aside     standby
	histories [][]history.Event // committed, by execution
	parked    bool
	last      engine.Turn
	cancelled [][]int64 // by execution
	logs      []string
	status    string
	states    string // encoded, with their numbers
	search    history.SearchAttributes

	everParked  bool
	everStuck   bool
	recovered   bool // in the last call of turn
	sideEffects int
	turns       int
}

func newDriver(t rapid.TB, p *program) *driver { return newDriverOf(t, p, engine.Orchestration{}) }

// newDriverOf uses the options of the orchestration o.
func newDriverOf(t rapid.TB, p *program, o engine.Orchestration) *driver {
	d := &driver{t: t, p: p, nowMS: modelBaseMS, histories: [][]history.Event{nil}, cancelled: [][]int64{nil}}
	o.Name, o.Source = modelName, "here"
	o.Func = func(c *engine.Context, input []byte) ([]byte, error) {
		v, err := d.run.mainFunc(engineContext{c, d}, string(input))
		return []byte(v), plain(err)
	}
	reg, err := engine.NewRegistry(o)
	if err != nil {
		t.Fatal(err)
	}
	d.reg = reg
	return d
}

const modelBaseMS = 1_700_000_000_000

func (d *driver) executionID() int64      { return int64(len(d.histories)) }
func (d *driver) events() []history.Event { return d.histories[len(d.histories)-1] }
func (d *driver) ended() bool             { n := len(d.events()); return n > 0 && d.events()[n-1].Kind.Terminal() }
func (d *driver) fail(f string, a ...any) {
	d.t.Helper()
	d.t.Fatalf(f+"\nhistory:\n%s\nprogram:%v", append(a, show(d.events()), d.p)...)
}

// options differ between programs, because none of them may change the result.
func (d *driver) options() engine.Options {
	o := engine.Options{LogHandler: quietHandler{}}
	if d.p.size%3 == 0 {
		o.Guard = patientGuard{}
	}
	return o
}

// patientGuard runs each turn on its own goroutine.
type patientGuard struct{}

func (patientGuard) Run(run func(), _ func() uint64) string {
	done := make(chan struct{})
	go func() {
		defer close(done)
		run()
	}()
	<-done
	return ""
}

func (d *driver) close() {
	d.cool()
	if d.aside.x != nil {
		d.aside.x.Close()
	}
}

// cool discards the warm execution.
func (d *driver) cool() {
	if d.x == nil {
		return
	}
	d.x.Close()
	d.x = nil
	if len(d.run.broken) > 0 {
		d.fail("%s", strings.Join(d.run.broken, "\n"))
	}
}

// standby is a warm execution in another process. Before its turn it is fed what the
// first process has committed meanwhile.
type standby struct {
	x     *engine.Execution
	run   *programRun
	known int // number of events
}

// swap continues with the other process.
func (d *driver) swap() {
	if len(d.histories) != 1 {
		d.fail("swap knows one execution alone")
	}
	was := standby{d.x, d.run, len(d.events())}
	d.x = d.aside.x
	if d.x != nil {
		d.run = d.aside.run
		d.feedAll(d.events()[d.aside.known:])
	}
	d.aside = was
}

// warm returns the execution, and builds it from the history if there is none.
func (d *driver) warm() *engine.Execution {
	if d.x != nil {
		return d.x
	}
	d.run = newProgramRun(d.p)
	d.run.panicAt, d.run.blind = d.panicAt, d.blind
	d.x = engine.New(engine.Config{Instance: modelInstance, ExecutionID: d.executionID(), Registry: d.reg, Options: d.options()})
	d.feedAll(d.events())
	return d.x
}

func (d *driver) feedAll(rest []history.Event) {
	for len(rest) > 0 {
		n := len(rest)
		if d.feed != nil {
			n = d.feed(n)
		}
		part := append([]history.Event(nil), rest[:n]...)
		rest = rest[n:]
		if err := d.x.Feed(part, d.parked && len(rest) == 0); err != nil {
			d.fail("feed: %v", err)
		}
	}
}

// turn passes arrivals in and does everything that a host does until the instance rests:
// it runs inline activities and continues with the next execution. It discards a stuck
// execution.
func (d *driver) turn(arrivals ...engine.Arrival) []engine.Verdict {
	d.t.Helper()
	return d.input(engine.Input{Arrivals: arrivals})
}

func (d *driver) input(in engine.Input) []engine.Verdict {
	d.t.Helper()
	in.NowMS = d.nowMS
	verdicts := make([]engine.Verdict, 0, len(in.Arrivals))
	d.recovered = false
	inline := 0 // results of inline activities at the start of in.Arrivals
	for rounds := 0; ; rounds++ {
		if rounds > 1000 {
			d.fail("the turn does not end")
		}
		d.turns++
		turn, err := d.warm().Run(in)
		if err != nil {
			d.fail("run: %v", err)
		}
		if len(turn.Verdicts) != len(in.Arrivals) {
			d.fail("%d verdicts for %d arrivals", len(turn.Verdicts), len(in.Arrivals))
		}
		d.commit(turn)
		pending := in.Arrivals[len(in.Arrivals):]
		for i, v := range turn.Verdicts {
			if i < inline {
				if v.Kind != engine.Recorded {
					d.fail("an inline result is %v: %s", v.Kind, v.Reason)
				}
				continue
			}
			if v.Kind == engine.Pending {
				pending = in.Arrivals[i:]
				break
			}
			verdicts = append(verdicts, v)
		}
		if turn.Stuck != nil {
			d.cool()
		}
		inline = 0
		switch {
		case turn.State == engine.RunInline:
			call := turn.Inline[0]
			result := engine.Arrival{Inline: true, Event: modelInlineResult(history.Event{EventID: call.EventID, Name: call.Name})}
			if d.parkInline {
				if v := d.park(result); v.Kind != engine.Recorded {
					d.fail("parking an inline result: %v", v)
				}
				in.Arrivals = pending
				continue
			}
			inline = 1
			in.Arrivals = append([]engine.Arrival{result}, pending...)
			continue
		case len(pending) > 0:
			d.fail("arrivals left pending in state %v", turn.State)
		case turn.Next != nil:
			d.cool()
			d.histories = append(d.histories, turn.Next)
			d.cancelled = append(d.cancelled, nil)
			d.parked = true
			in.Arrivals = nil
			continue
		}
		return verdicts
	}
}

// park records an arrival without running code.
func (d *driver) park(a engine.Arrival) engine.Verdict {
	d.t.Helper()
	turn, err := d.warm().Run(engine.Input{NowMS: d.nowMS, Park: true, Arrivals: []engine.Arrival{a}})
	if err != nil {
		d.fail("park: %v", err)
	}
	d.commit(turn)
	d.everParked = true
	return turn.Verdicts[0]
}

func (d *driver) commit(turn engine.Turn) {
	k := len(d.histories) - 1
	d.histories[k] = append(d.histories[k][:len(d.histories[k]):len(d.histories[k])], turn.Events...)
	d.cancelled[k] = append(d.cancelled[k], turn.Cancelled...)
	for _, id := range turn.Cancelled {
		if id < 1 || id > int64(len(d.histories[k])) || !cancellable(&d.histories[k][id-1]) {
			d.fail("cancelled %v, but event %d is nothing that can be cancelled", turn.Cancelled, id)
		}
	}
	if len(turn.Events) > 0 {
		d.parked = turn.Parked
	}
	for _, l := range turn.Logs {
		d.logs = append(d.logs, l.Record.Message)
	}
	if turn.StatesChanged {
		d.status, d.states = string(history.StateNamed(turn.States, history.ListedState)), string(turn.States)
	}
	if string(turn.States) != d.states && turn.Stuck == nil && !turn.Parked && d.histories[k][len(d.histories[k])-1].Forced == "" {
		d.fail("states are %s, the changes so far give %s", turn.States, d.states)
	}
	d.search = d.search.With(turn.SearchSet)
	if turn.Search.String() != d.search.String() && turn.Stuck == nil && !turn.Parked && d.histories[k][len(d.histories[k])-1].Forced == "" {
		d.fail("search attributes are %v, the changes so far give %v", turn.Search, d.search)
	}
	d.recovered = d.recovered || turn.Recovered
	d.everStuck = d.everStuck || turn.Stuck != nil
	d.last = turn
}

// repeats reports whether logs and cancellations may be repeated: an arrival that was
// parked and then run without giving an event is still marked parked for the next cold
// turn.
func (d *driver) repeats() bool { return d.cold && d.everParked }

func unique(ids []int64) []int64 {
	var list []int64
	for _, id := range ids {
		if !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	return list
}

func startArrival() engine.Arrival {
	return engine.Arrival{Event: history.Event{Kind: history.OrchestrationStarted, Name: modelName, Payload: []byte("0"),
		Start: &history.Start{ExecutionID: 1, StartID: "s1"}}}
}

// drawWith gives some starts external events.
func drawWith(t *rapid.T, start *engine.Arrival) {
	if rapid.IntRange(0, 3).Draw(t, "start brings events") > 0 {
		return
	}
	for i := range rapid.IntRange(1, 4).Draw(t, "events") {
		start.With = append(start.With, history.Event{Kind: history.ExternalEvent, Name: fmt.Sprint("e", i/2), Payload: []byte(fmt.Sprint(i)), SenderID: fmt.Sprint("w", i)})
	}
}

// arrivalOf makes an arrival from an event to record.
func (d *driver) arrivalOf(e history.Event) engine.Arrival {
	a := engine.Arrival{Event: e, ExecutionID: d.executionID()}
	if e.SourceEventID != 0 {
		a.Proven = true
	}
	if e.Kind == history.ExternalEvent || e.Kind == history.OrchestrationCancelRequested {
		a.ExecutionID = 0
	}
	return a
}

// cancellable events belong to operations that code can wait for.
func cancellable(e *history.Event) bool {
	return e.Kind == history.ActivityScheduled || e.Kind == history.ExternalSubscribed || stoppable(e)
}

// stoppable events have work outside that a cancellation must stop.
func stoppable(e *history.Event) bool {
	return e.Kind == history.ActivityScheduled && !e.Inline || e.Kind == history.TimerCreated || e.Kind == history.SubOrchestrationScheduled
}

// drawArrival picks an arrival that may come next: a completion of an operation that is
// still open in the history, including cancelled ones, an event, or rarely a cancel.
func drawArrival(t *rapid.T, events []history.Event, serial int) history.Event {
	var open []*history.Event
	requested := false
	for i := range events {
		e := &events[i]
		requested = requested || e.Kind == history.OrchestrationCancelRequested
		if stoppable(e) {
			completed := false
			for j := range events {
				completed = completed || events[j].SourceEventID == e.EventID
			}
			if !completed {
				open = append(open, e)
			}
		}
	}
	choice := rapid.IntRange(0, 19).Draw(t, "arrival")
	switch {
	case choice == 0 && !requested:
		return history.Event{Kind: history.OrchestrationCancelRequested, Reason: "enough", SenderID: fmt.Sprint("c", serial)}
	case choice <= 6 || len(open) == 0:
		return history.Event{Kind: history.ExternalEvent, Name: fmt.Sprint("e", choice%2), Payload: []byte(fmt.Sprint(serial)), SenderID: fmt.Sprint("s", serial)}
	}
	e := open[rapid.IntRange(0, len(open)-1).Draw(t, "which")]
	fails := rapid.IntRange(0, 4).Draw(t, "fails") == 0
	c := history.Event{SourceEventID: e.EventID, Payload: []byte(fmt.Sprint(serial))}
	failure := &history.Failure{Kind: history.FailureApplication, Message: fmt.Sprint("m", serial)}
	if fails && serial%3 == 0 {
		failure.Kind = history.FailureCancelled
	}
	if fails && serial%5 == 0 && e.Kind == history.SubOrchestrationScheduled {
		failure.Kind = history.FailureTerminated
	}
	switch e.Kind {
	case history.TimerCreated:
		return history.Event{Kind: history.TimerFired, SourceEventID: e.EventID, FireAtMS: e.FireAtMS}
	case history.ActivityScheduled:
		c.Kind = history.ActivityCompleted
		if fails {
			c.Kind, c.Payload, c.Failure = history.ActivityFailed, nil, failure
		}
	default:
		c.Kind = history.SubOrchestrationCompleted
		if fails {
			c.Kind, c.Payload, c.Failure = history.SubOrchestrationFailed, nil, failure
		}
	}
	return c
}

// comparable masks what the model does not know: GUIDs, and everything in failures except
// kind and message.
func comparableEvents(events []history.Event) string {
	list := append([]history.Event(nil), events...)
	for i := range list {
		e := &list[i]
		if e.Kind == history.SystemCall && e.Op == history.OpGUID {
			e.Payload = nil
		}
		if e.Failure != nil {
			e.Failure = &history.Failure{Kind: e.Failure.Kind, Message: e.Failure.Message}
		}
		if e.Kind == history.OrchestrationStarted {
			e.Start = nil
		}
	}
	return strings.ReplaceAll(string(history.Encode(list)), `{"event_id"`, "\n{\"event_id\"")
}

func firstDifference(got, want []string) string {
	for i := 0; i < len(got) || i < len(want); i++ {
		switch {
		case i >= len(got):
			return fmt.Sprintf("line %d: nothing, want %q", i, want[i])
		case i >= len(want):
			return fmt.Sprintf("line %d: %q, want nothing", i, got[i])
		case got[i] != want[i]:
			return fmt.Sprintf("line %d: %q, want %q", i, got[i], want[i])
		}
	}
	return ""
}

// replaysCleanly checks that feeding the history to a fresh execution gives no event,
// action, log line or error, the lines of the live run, and the same outcome.
func (d *driver) replaysCleanly(events []history.Event, executionID int64, lines []string) {
	d.t.Helper()
	run := newProgramRun(d.p)
	run.blind = d.blind
	effects := d.sideEffects
	live := d.run
	d.run = run
	defer func() { d.run = live }()
	x := engine.New(engine.Config{Instance: modelInstance, ExecutionID: executionID, Registry: d.reg, Options: d.options()})
	if err := x.Feed(events, false); err != nil {
		d.fail("replay: %v", err)
	}
	turn, err := x.Run(engine.Input{NowMS: d.nowMS + 777_777, Seed: [16]byte{9}})
	x.Close()
	switch {
	case err != nil:
		d.fail("replay: %v", err)
	case turn.Stuck != nil:
		d.fail("replay is stuck: %v", turn.Stuck)
	case len(turn.Events)+len(turn.Cancelled)+len(turn.Logs) > 0 || turn.StatesChanged:
		d.fail("replay is not clean: events %s, cancelled %v, logs %d, status changed: %v", show(turn.Events), turn.Cancelled, len(turn.Logs), turn.StatesChanged)
	case d.sideEffects != effects:
		d.fail("replay ran a side effect")
	}
	wantState := engine.Waiting
	if events[len(events)-1].Kind.Terminal() {
		wantState = engine.Ended
	}
	if turn.State != wantState && turn.State != engine.RunInline {
		d.fail("replay is in state %v, want %v", turn.State, wantState)
	}
	if lines != nil {
		if diff := firstDifference(run.lines, lines); diff != "" {
			d.fail("replay shows the program something else: %s", diff)
		}
	}
	if len(run.broken) > 0 {
		d.fail("%s", strings.Join(run.broken, "\n"))
	}
}

// oracle keeps the model's predictions for an instance.
type oracle struct {
	p      *program
	groups []modelArrivals // of the current execution
	status string          // that it began with
	search map[string]int  // that it began with

	past     []modelResult // executions that continued as new
	now      modelResult
	logs     []string // of past executions
	deadlock bool     // there was one: logs may repeat
	again    map[int]int64
}

// arrive predicts the result of arrivals that are recorded together and for which the
// code runs immediately.
func (o *oracle) arrive(nowMS int64, events ...history.Event) { o.parked(nowMS, nowMS, events...) }

// parked predicts the result of arrivals that are recorded together and for which the
// code runs later.
func (o *oracle) parked(recordedMS, nowMS int64, events ...history.Event) {
	if o.now.deadlock {
		// Its scheduling events were dropped; the code makes them again now.
		o.again[o.now.rest] = nowMS
	}
	if recordedMS != nowMS {
		o.again[len(o.now.events)+len(events)] = nowMS
	}
	o.groups = append(o.groups, modelArrivals{events: events, nowMS: recordedMS})
	for {
		o.now = runModel(o.p, int64(len(o.past))+1, o.status, o.search, o.groups, o.again)
		o.deadlock = o.deadlock || o.now.deadlock
		next := o.now.next
		if next == nil {
			return
		}
		o.past, o.logs, o.status, o.search = append(o.past, o.now), append(o.logs, o.now.logs...), next.status, next.search
		start := history.Event{Kind: history.OrchestrationStarted, Name: modelName, Payload: []byte(next.input)}
		o.groups = []modelArrivals{{events: append([]history.Event{start}, next.carried...), nowMS: nowMS}}
		o.again = map[int]int64{}
	}
}

// agree compares the driver's executions with the model's.
func (o *oracle) agree(d *driver) {
	d.t.Helper()
	results := append(append([]modelResult(nil), o.past...), o.now)
	if len(d.histories) != len(results) {
		d.fail("%d executions, the model has %d", len(d.histories), len(results))
	}
	for i, want := range results {
		if len(want.broken) > 0 {
			d.fail("the model itself is broken: %v", want.broken)
		}
		if got, want := comparableEvents(d.histories[i]), comparableEvents(want.events); got != want {
			d.fail("execution %d: %s\nevents are %s\nthe model has %s", i+1,
				firstDifference(strings.Split(got, "\n"), strings.Split(want, "\n")), got, want)
		}
		got := d.cancelled[i]
		if d.repeats() || o.deadlock {
			got = unique(got)
		}
		if fmt.Sprint(got) != fmt.Sprint(want.cancelled) {
			d.fail("execution %d: cancelled %v, the model has %v", i+1, got, want.cancelled)
		}
	}
	if !o.now.deadlock {
		if diff := firstDifference(d.run.lines, o.now.lines); diff != "" {
			d.fail("the program saw something else than in the model: %s", diff)
		}
	}
	if logs := append(append([]string(nil), o.logs...), o.now.logs...); !o.deadlock && !d.repeats() && !reflect.DeepEqual(d.logs, logs) && len(d.logs)+len(logs) > 0 {
		d.fail("logged %q, the model %q", d.logs, logs)
	}
	if d.status != o.now.status {
		d.fail("status %q, the model has %q", d.status, o.now.status)
	}
	if got := d.searchText(); got != o.now.search {
		d.fail("search attributes %q, the model has %q", got, o.now.search)
	}
	stuck := d.last.Stuck
	if o.now.deadlock != (stuck != nil) || stuck != nil && stuck.Kind != engine.StuckDeadlock {
		d.fail("stuck: %v, the model has a deadlock: %v", stuck, o.now.deadlock)
	}
	if d.ended() != o.now.ended || o.now.ended != (d.last.State == engine.Ended) {
		d.fail("state %v, the model has ended: %v", d.last.State, o.now.ended)
	}
}

// searchText returns the search attributes in the model's form.
func (d *driver) searchText() string {
	set := map[string]int{}
	for name, v := range d.search {
		n, _ := v.Whole()
		set[name] = int(n)
	}
	return searchText(set)
}

// parkSome records up to three arrivals without running the code, then runs it.
func parkSome(t *rapid.T, d *driver, o *oracle, serial int) {
	if d.parked && d.events()[len(d.events())-1].Kind.Arrival() {
		// For a cold process, arrivals that were parked and then run without giving an
		// event look like arrivals that were not run; this process has run them.
		d.turn()
	}
	d.nowMS += 1000
	var events []history.Event
	for i := range rapid.IntRange(1, 3).Draw(t, "parked") {
		e := drawArrival(t, d.events(), 1000+10*serial+i)
		if v := d.park(d.arrivalOf(e)); v.Kind != engine.Recorded {
			d.fail("parking %s: %v", e.Kind, v)
		}
		events = append(events, e)
		if d.cold {
			d.cool()
		}
	}
	recorded := d.nowMS
	d.nowMS += 1000
	d.turn()
	if d.last.Stuck == nil && !d.recovered {
		d.fail("the turn went past parked arrivals and does not say so")
	}
	o.parked(recorded, d.nowMS, events...)
}

// The engine and the reference model agree, arrival by arrival, about events, what the
// program sees, cancellations and log lines, live and replayed.
func TestPropertyEngineAgreesWithTheModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t, everything)
		d := newDriver(t, p)
		defer d.close()
		d.cold = rapid.Bool().Draw(t, "cold")
		d.parkInline = rapid.Bool().Draw(t, "park inline results")
		start := startArrival()
		drawWith(t, &start)
		o := &oracle{p: p, again: map[int]int64{}}
		o.arrive(d.nowMS, append([]history.Event{start.Event}, start.With...)...)
		d.turn(start)
		n := rapid.IntRange(0, 14).Draw(t, "arrivals")
		for serial := range n {
			o.agree(d)
			if d.ended() {
				break
			}
			if d.cold {
				d.cool()
			}
			if !o.now.deadlock && rapid.IntRange(0, 5).Draw(t, "park") == 0 {
				parkSome(t, d, o, serial)
				continue
			}
			e := drawArrival(t, d.events(), serial)
			d.nowMS += 1000
			// Code that was stuck in a deadlock runs again, at another time now, and may
			// end before the arrival.
			v := d.turn(d.arrivalOf(e))[0]
			if v.Kind != engine.Recorded && !(o.now.deadlock && v.Kind == engine.Late) {
				d.fail("%s is %v: %s", e.Kind, v.Kind, v.Reason)
			}
			o.arrive(d.nowMS, e)
		}
		o.agree(d)
		for i, events := range d.histories {
			lines := o.now.lines
			if i < len(o.past) {
				lines = o.past[i].lines
			} else if o.now.deadlock {
				break
			}
			d.replaysCleanly(events, int64(i)+1, lines)
		}
	})
}

// Rule 9: in strict mode, the model and the engine find the same completion that the code
// does not wait for, live, warm or cold.
func TestPropertyRule9StrictMode(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t, programOptions{inline: true, ends: true})
		d := newDriverOf(t, p, engine.Orchestration{Strict: true})
		defer d.close()
		start := startArrival()
		drawWith(t, &start)
		groups := []modelArrivals{{events: append([]history.Event{start.Event}, start.With...), nowMS: d.nowMS}}
		d.turn(start)
		for serial := range 12 {
			want := strictModel(p, groups)
			if got, want := comparableEvents(d.events()), comparableEvents(want.events); got != want {
				d.fail("events are %s, the model has %s", got, want)
			}
			var nd *engine.NondeterminismError
			if want.surprise != 0 {
				if d.last.Stuck == nil || !errors.As(d.last.Stuck, &nd) || nd.Rule != 9 || nd.EventID != want.surprise {
					d.fail("stuck %v, the model is surprised by event %d", d.last.Stuck, want.surprise)
				}
				return
			}
			if d.last.Stuck != nil || d.ended() {
				if want.deadlock != (d.last.Stuck != nil) {
					d.fail("stuck %v, the model has a deadlock: %v", d.last.Stuck, want.deadlock)
				}
				break
			}
			if rapid.Bool().Draw(t, "cold") {
				d.cool()
			}
			e := drawArrival(t, d.events(), serial)
			if rapid.IntRange(0, 3).Draw(t, "park") > 0 {
				d.turn(d.arrivalOf(e))
				groups = append(groups, modelArrivals{events: []history.Event{e}, nowMS: d.nowMS})
				continue
			}
			d.turn() // See parkSome.
			d.park(d.arrivalOf(e))
			second := drawArrival(t, d.events(), 100+serial)
			d.park(d.arrivalOf(second))
			d.turn()
			groups = append(groups, modelArrivals{events: []history.Event{e, second}, nowMS: d.nowMS})
		}
		if d.last.Stuck == nil {
			d.replaysCleanly(d.events(), 1, d.run.lines)
		}
	})
}
