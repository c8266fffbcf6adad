package engine_test

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"runtime"
	"slices"
	"sort"
	"strconv"

	"github.com/turnstile-go/turnstile/history"
)

// The reference model is deliberately simple. It knows nothing of cursors, claims, rounds
// or heaps. For every arrival it runs the whole program again from the beginning, with
// plain slices, searches, goroutines and channels. It shares no code with the engine.

// modelArrivals are arrivals that are recorded together before any code runs: one, unless
// they were parked.
type modelArrivals struct {
	events []history.Event
	nowMS  int64
}

// modelResult is the model's prediction for an execution.
type modelResult struct {
	events    []history.Event
	lines     []string
	logs      []string
	cancelled []int64
	status    string
	search    string
	ended     bool
	deadlock  bool
	rest      int // number of events when the code last ran
	next      *modelNext
	broken    []string
	surprise  int64 // the event that violates rule 9
}

type modelNext struct {
	input   string
	carried []history.Event
	status  string
	search  map[string]int
}

const (
	modelInstance = "i"
	modelName     = "Test"
)

// runModel runs one execution with all its arrivals. The first group has the
// OrchestrationStarted. again has the times at which the code ran once more after a
// deadlock, by the number of events at that point.
func runModel(p *program, executionID int64, status string, search map[string]int, groups []modelArrivals, again map[int]int64) modelResult {
	m := &model{run: newProgramRun(p), executionID: executionID, status: status, attributes: maps.Clone(search)}
	return m.runAll(groups, again)
}

// replayModel runs the arrivals of a recorded history and returns the result of the code.
func replayModel(p *program, executionID int64, events []history.Event, groups []modelArrivals) modelResult {
	m := &model{run: newProgramRun(p), executionID: executionID, replayed: events}
	return m.runAll(groups, nil)
}

// strictModel is runModel in strict mode.
func strictModel(p *program, groups []modelArrivals) modelResult {
	m := &model{run: newProgramRun(p), executionID: 1, strict: true}
	return m.runAll(groups, nil)
}

func (m *model) runAll(groups []modelArrivals, again map[int]int64) modelResult {
	defer m.kill()
	rest := 0
	for i, g := range groups {
		if m.ended || m.surprise != 0 {
			break
		}
		m.nowMS = g.nowMS
		at, cancelledAt, statusAt, searchAt := m.record(m.grouped(g.events)), len(m.cancelled), m.status, maps.Clone(m.attributes)
		rest = at + len(g.events)
		m.rest = rest
		m.runsAt(again[rest])
		for j := 0; j < len(g.events) && !m.ended; j++ {
			m.visit(m.events[at+j])
			if m.surprise != 0 {
				break
			}
		}
		for !m.ended && m.surprise == 0 {
			f := m.openInline()
			if f == nil || m.replayed != nil {
				break
			}
			at, cancelledAt, statusAt, searchAt = m.record([]history.Event{modelInlineResult(m.events[f.id-1])}), len(m.cancelled), m.status, maps.Clone(m.attributes)
			rest = at + 1
			m.rest = rest
			m.runsAt(again[rest])
			m.visit(m.events[at])
		}
		if m.ended {
			m.close()
			break
		}
		if m.surprise != 0 {
			// The code is stuck here: what it did is not recorded.
			m.events = m.events[:rest]
			break
		}
		if i == len(groups)-1 && !m.anythingOpen() {
			m.deadlock = true
			if m.replayed != nil {
				break
			}
			m.events, m.cancelled, m.status, m.attributes = m.events[:rest], m.cancelled[:cancelledAt], statusAt, searchAt
		}
	}
	return modelResult{events: m.events, lines: append([]string(nil), m.run.lines...), logs: m.logs, cancelled: m.cancelled,
		status: m.status, search: searchText(m.attributes), ended: m.ended, deadlock: m.deadlock, rest: rest, next: m.next, broken: m.run.broken, surprise: m.surprise}
}

// grouped marks events that were recorded together. Replayed events keep their recorded
// mark.
func (m *model) grouped(events []history.Event) []history.Event {
	if m.replayed != nil {
		return events
	}
	events = slices.Clone(events)
	for i := range events {
		events[i].WithPrevious = i > 0
	}
	return events
}

// modelInlineResult is the result of every inline activity in these tests.
func modelInlineResult(e history.Event) history.Event {
	if e.Name == "I3" {
		return history.Event{Kind: history.ActivityFailed, SourceEventID: e.EventID,
			Failure: &history.Failure{Kind: history.FailureApplication, Message: "inline " + e.Name}}
	}
	return history.Event{Kind: history.ActivityCompleted, SourceEventID: e.EventID, Payload: []byte(fmt.Sprintf("%q", "inline "+e.Name))}
}

type model struct {
	run *programRun
	// replayed is the history being replayed, if any. The model takes from it values that
	// the code cannot know, and adds no events of its own.
	replayed []history.Event
	// strict enables rule 9; surprise is the event that violates it.
	strict      bool
	surprise    int64
	executionID int64
	nowMS       int64
	events      []history.Event
	visiting    int64
	// asked are the external events that were delivered before their visit because the
	// code asked for them; asking is set during such a delivery.
	asked  map[int64]bool
	asking bool

	futures  []*modelFuture // all, in the order of creation
	branches []*modelBranch
	scopes   []*modelScope
	readied  int
	current  *modelBranch

	ended     bool
	value     string
	err       *programError
	deadlock  bool
	next      *modelNext
	cancelled []int64
	status    string
	logs      []string
	guids     int
	// attributes are the search attributes; patches are the decisions about patches; rest
	// is the number of events at the start of the response to this round.
	attributes map[string]int
	patches    map[string]bool
	rest       int
}

func searchText(attributes map[string]int) string {
	text := ""
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		text += fmt.Sprintf("%s=%d ", name, attributes[name])
	}
	return text
}

func (m *model) runsAt(ms int64) {
	if ms != 0 {
		m.nowMS = ms
	}
}

// systemCall records a system call and returns it. If the history has the same call
// there, it returns the recorded value.
func (m *model) systemCall(e history.Event) history.Event {
	if i := len(m.events); i < len(m.replayed) {
		if r := m.replayed[i]; r.Kind == e.Kind && r.Op == e.Op {
			e.Payload, e.Failure = r.Payload, r.Failure
		}
	}
	return m.events[m.record([]history.Event{e})]
}

// childInstance returns a derived id, or the recorded one.
func (m *model) childInstance(kind history.Kind) string {
	if i := len(m.events); i < len(m.replayed) {
		if r := m.replayed[i]; r.Kind == kind && !r.ExplicitID {
			return r.Instance
		}
	}
	return fmt.Sprintf("%s/%d/%d", modelInstance, m.executionID, len(m.events)+1)
}

// record appends events and returns the index of the first.
func (m *model) record(events []history.Event) int {
	at := len(m.events)
	for _, e := range events {
		e.EventID, e.AtMS = int64(len(m.events))+1, m.nowMS
		m.events = append(m.events, e)
	}
	return at
}

// awaited reports whether a branch is waiting for f.
func (m *model) awaited(f *modelFuture) bool {
	if f.ends != nil {
		return true // Its scope waits for it.
	}
	for _, b := range m.branches {
		if b.until != nil && slices.Contains(b.waitsFor, f) {
			return true
		}
	}
	return false
}

func (m *model) visit(e history.Event) {
	m.visiting = e.EventID
	if m.asked[e.EventID] {
		return
	}
	if e.Kind == history.ParentAttached || e.Kind == history.OrchestrationSuspended || e.Kind == history.OrchestrationResumed || e.Kind == history.OrchestrationRedriven {
		return // Other events of a damaged history have no effect on the code.
	}
	if m.strict {
		for _, f := range m.futures {
			takes := f.event.Kind == history.ExternalSubscribed && e.Kind == history.ExternalEvent && f.event.Name == e.Name && !m.wouldReject(f.rejecting, e) ||
				e.SourceEventID != 0 && f.id == e.SourceEventID
			if f.event.Kind == history.ExternalSubscribed && f.event.Name == e.Name && !f.isReady && !takes {
				break // It is rejected.
			}
			if !takes || f.isReady {
				continue
			}
			if !m.awaited(f) {
				m.surprise = e.EventID
				return
			}
			break
		}
	}
	m.deliver(e)
	for !m.ended {
		b := m.runnable()
		if b == nil {
			return
		}
		m.runBranch(b)
	}
}

func (m *model) deliver(e history.Event) {
	switch e.Kind {
	case history.OrchestrationStarted:
		root := &modelScope{}
		m.scopes = append(m.scopes, root)
		m.newBranch(root, nil, func(c programContext) (string, *programError) { return m.run.mainFunc(c, string(e.Payload)) })
	case history.OrchestrationCancelRequested:
		m.cancelScope(m.scopes[0], e.Reason)
	case history.ExternalEvent:
		for _, f := range m.futures {
			if f.event.Kind == history.ExternalSubscribed && !f.isReady && f.event.Name == e.Name {
				if m.rejects(f.rejecting, e) {
					break
				}
				f.eventTaken = e.EventID
				m.makeReady(f, string(e.Payload), nil)
				break
			}
		}
	default:
		for _, f := range m.futures {
			if f.id != e.SourceEventID || f.isReady {
				continue
			}
			switch e.Kind {
			case history.ActivityFailed, history.SubOrchestrationFailed:
				failure := history.Failure{Kind: history.FailureApplication}
				if e.Failure != nil {
					failure = *e.Failure
				}
				m.makeReady(f, "", &programError{class: "failed " + failure.Kind + " " + failure.Message, kind: failure.Kind})
			case history.TimerFired:
				m.makeReady(f, "", nil)
				if f.ends != nil {
					m.cancelScopeBy(f.ends, &programError{kind: history.FailureTimeout, scope: history.FailureTimeout,
						class: fmt.Sprintf("cancelled the scope's timeout of %ds was exceeded", f.event.DurationMS/1000)})
				}
			default:
				m.makeReady(f, string(e.Payload), nil)
			}
		}
	}
}

// ask delivers events that were recorded with the visited one and are visited later, one
// by one, for as long as the code wants more.
func (m *model) ask(enough func() bool, wants func(history.Event) bool) {
	for i := int(m.visiting); i < len(m.events) && m.events[i].WithPrevious && !enough(); i++ {
		e := m.events[i]
		if !wants(e) || m.asked[e.EventID] {
			continue
		}
		if e.Kind == history.ExternalEvent {
			if m.asked == nil {
				m.asked = map[int64]bool{}
			}
			m.asked[e.EventID] = true
		}
		m.asking = true
		m.deliver(e)
		m.asking = false
	}
}

func (c *modelContext) kept(s *stmt) (bool, *programError) {
	if err := c.enter(); err != nil {
		return false, err
	}
	name := schedulingEvent(&stmt{kind: stEvent, n: s.n}).Name
	came := func() bool { return c.m.oldestKept(name, s.flag) != nil }
	c.m.ask(came, func(e history.Event) bool { return e.Kind == history.ExternalEvent && e.Name == name })
	return came(), nil
}

// oldestKept returns the oldest delivered event with a name that was not taken and that a
// wait does not reject; nil if there is none.
func (m *model) oldestKept(name string, rejecting bool) *history.Event {
	for i := range m.events {
		e := m.events[i]
		if e.Kind == history.ExternalEvent && (e.EventID <= m.visiting || m.asked[e.EventID]) && e.Name == name && !m.taken(e.EventID) && !m.rejects(rejecting, e) {
			return &e
		}
	}
	return nil
}

// close records the end.
func (m *model) close() {
	for _, f := range m.futures {
		if f.id != 0 && !f.isReady && (f.event.Kind == history.ActivityScheduled && !f.event.Inline || f.event.Kind == history.TimerCreated || f.event.OnParentEnd != "") {
			m.cancelled = append(m.cancelled, f.id)
		}
	}
	e := history.Event{Kind: history.OrchestrationCompleted, Payload: []byte(m.value)}
	switch {
	case m.err != nil && m.err.kind == "again":
		e = history.Event{Kind: history.OrchestrationContinuedAsNew, Payload: []byte(m.err.class)}
		m.next = &modelNext{input: m.err.class, status: m.status, search: m.attributes}
		for _, kept := range m.events {
			switch {
			case kept.Kind == history.ExternalEvent && (!m.taken(kept.EventID) || m.unreported(kept.EventID)):
				m.next.carried = append(m.next.carried, kept)
			case kept.Kind == history.OrchestrationCancelRequested && kept.EventID > m.visiting:
				m.next.carried = append(m.next.carried, kept)
			}
		}
	case m.err != nil:
		kind := m.err.kind
		if kind == history.FailureTerminated || kind == history.FailureCancelled && m.scopes[0].err == nil {
			kind = history.FailureApplication // It was not cancelled itself.
		}
		e = history.Event{Kind: history.OrchestrationFailed, Failure: &history.Failure{Kind: kind, Message: m.err.class}}
	}
	m.record([]history.Event{e})
}

// wouldReject reports whether an event with the wait's name is rejected: by the recorded
// events if there are any, otherwise by its data.
func (m *model) wouldReject(rejecting bool, e history.Event) bool {
	if i := len(m.events); i < len(m.replayed) {
		r := m.replayed[i]
		return r.Kind == history.ExternalRejected && r.SourceEventID == e.EventID
	}
	if (e.EventID == m.visiting || m.asking) && e.EventID <= int64(len(m.replayed)) {
		return false // This round was run before and recorded no rejection.
	}
	return rejecting && rejectable(string(e.Payload)) != nil
}

// rejects records the rejection, if there is one.
func (m *model) rejects(rejecting bool, e history.Event) bool {
	if !m.wouldReject(rejecting, e) {
		return false
	}
	reason := ""
	if err := rejectable(string(e.Payload)); err != nil {
		reason = err.Error()
	}
	m.record([]history.Event{{Kind: history.ExternalRejected, SourceEventID: e.EventID, Name: e.Name, Reason: reason}})
	return true
}

// taken reports whether a wait took the event, or rejected it.
func (m *model) taken(event int64) bool {
	for _, e := range m.events {
		if e.Kind == history.ExternalRejected && e.SourceEventID == event {
			return true
		}
	}
	for _, f := range m.futures {
		if f.eventTaken == event {
			return true
		}
	}
	return false
}

// unreported reports whether a wait took the event without the code receiving it.
func (m *model) unreported(event int64) bool {
	for _, f := range m.futures {
		if f.eventTaken == event {
			return !f.told
		}
	}
	return false
}

// --- futures and scopes

type modelFuture struct {
	m          *model
	id         int64
	event      history.Event
	rejecting  bool // a wait that may reject an event
	isReady    bool
	order      int // the order in which it became ready
	value      string
	err        *programError
	scope      *modelScope
	branch     *modelBranch
	eventTaken int64
	told       bool        // the code knows that it is ready
	ends       *modelScope // the scope whose timeout it is
}

type modelScope struct {
	parent   *modelScope
	shielded bool
	err      *programError
	since    int // the number of ready futures when it was cancelled
}

// before reports whether f became ready before the scope was cancelled. A future that
// became ready later is not an outcome for calls that wait in the scope.
func (s *modelScope) before(f *modelFuture) bool { return s.err == nil || f.order <= s.since }

func (f *modelFuture) eventID() int64 { return f.id }
func (f *modelFuture) ready() bool {
	if f.branch == nil && f.id != 0 && !f.m.current.unwinding {
		f.m.ask(func() bool { return f.isReady }, func(e history.Event) bool {
			if f.event.Kind == history.ExternalSubscribed {
				return e.Kind == history.ExternalEvent && e.Name == f.event.Name
			}
			return e.SourceEventID == f.id && e.Kind.Completes() != history.KindUnknown
		})
	}
	f.told = f.told || f.isReady && !f.m.current.unwinding
	return f.isReady
}
func (f *modelFuture) instance() string {
	if f.event.Kind == history.SubOrchestrationScheduled {
		return f.event.Instance
	}
	return ""
}

func (f *modelFuture) cancel(reason string) {
	if f.m.current.unwinding {
		return
	}
	f.m.cancelFuture(f, reason)
}

func (m *model) makeReady(f *modelFuture, value string, err *programError) {
	if f.isReady {
		return
	}
	m.readied++
	f.isReady, f.order, f.value, f.err = true, m.readied, value, err
}

func (m *model) cancelFuture(f *modelFuture, reason string) {
	m.cancelFutureBy(f, cancelledClass(reason))
}

func (m *model) cancelFutureBy(f *modelFuture, err *programError) {
	if f.isReady {
		return
	}
	m.makeReady(f, "", err)
	switch {
	case f.branch != nil:
		m.cancelScopeBy(f.branch.scope, err)
	default:
		m.cancelled = append(m.cancelled, f.id)
	}
}

func cancelledClass(reason string) *programError {
	return &programError{class: "cancelled " + reason, kind: history.FailureCancelled, scope: history.FailureCancelled}
}

// inside reports whether a cancellation of outer reaches s.
func (s *modelScope) inside(outer *modelScope) bool {
	for p := s; p != nil; p = p.parent {
		if p == outer {
			return true
		}
		if p.shielded {
			return false
		}
	}
	return false
}

func (m *model) cancelScope(s *modelScope, reason string) { m.cancelScopeBy(s, cancelledClass(reason)) }

func (m *model) cancelScopeBy(s *modelScope, err *programError) {
	if s.err != nil {
		return
	}
	for _, other := range m.scopes {
		if other.inside(s) && other.err == nil {
			other.err, other.since = err, m.readied
		}
	}
	var reached []*modelFuture
	for _, f := range m.futures {
		if f.branch == nil && !f.isReady && f.scope.inside(s) {
			reached = append(reached, f)
		}
	}
	sort.Slice(reached, func(i, j int) bool { return reached[i].id < reached[j].id })
	for _, f := range reached {
		m.cancelFutureBy(f, err)
	}
	for _, b := range m.branches {
		if b.until != nil && b.waitErr == nil && b.waitScope.inside(s) && !b.until() {
			b.waitErr = b.waitScope.err
		}
	}
}

func (m *model) openInline() *modelFuture {
	for _, f := range m.futures {
		if f.event.Inline && !f.isReady {
			return f
		}
	}
	return nil
}

func (m *model) anythingOpen() bool {
	for _, f := range m.futures {
		if f.branch == nil && !f.isReady {
			return true
		}
	}
	return false
}

// --- branches: goroutines that pass a baton back and forth

type modelBranch struct {
	m      *model
	number int
	scope  *modelScope
	future *modelFuture
	fn     func(programContext) (string, *programError)

	begun, over bool
	unwinding   bool
	baton       chan bool // true: continue; closed: unwind
	back        chan struct{}

	until     func() bool // what it waits for; nil while it does not wait
	waitsFor  []*modelFuture
	waitScope *modelScope
	waitErr   *programError
}

func (m *model) newBranch(s *modelScope, f *modelFuture, fn func(programContext) (string, *programError)) *modelBranch {
	b := &modelBranch{m: m, number: len(m.branches), scope: s, future: f, fn: fn, baton: make(chan bool), back: make(chan struct{})}
	m.branches = append(m.branches, b)
	return b
}

// runnable returns the branch that was started first among those that can run.
func (m *model) runnable() *modelBranch {
	for _, b := range m.branches {
		if !b.over && (!b.begun || b.waitErr != nil || b.until()) {
			return b
		}
	}
	return nil
}

func (m *model) runBranch(b *modelBranch) {
	m.current = b
	if !b.begun {
		b.begun = true
		go b.body()
	} else {
		b.baton <- true
	}
	<-b.back
	m.current = nil
}

func (b *modelBranch) body() {
	defer func() { b.back <- struct{}{} }()
	value, err := b.fn(&modelContext{b.m, b.scope})
	b.over = true
	if b.number == 0 {
		b.m.ended, b.m.value, b.m.err = true, value, err
		return
	}
	b.m.makeReady(b.future, value, err)
}

func (m *model) wait(s *modelScope, fs []*modelFuture, until func() bool) *programError {
	if s.err != nil {
		return s.err
	}
	b := m.current
	b.until, b.waitsFor, b.waitScope, b.waitErr = until, fs, s, nil
	b.back <- struct{}{}
	if !<-b.baton {
		b.unwinding = true
		runtime.Goexit()
	}
	err := b.waitErr
	b.until, b.waitErr = nil, nil
	return err
}

func (m *model) kill() {
	for i := len(m.branches) - 1; i >= 0; i-- {
		b := m.branches[i]
		if b.begun && !b.over {
			m.current = b
			close(b.baton)
			<-b.back
		}
	}
}

// --- the context

type modelContext struct {
	m     *model
	scope *modelScope
}

func (c *modelContext) enter() *programError {
	if c.m.current.unwinding {
		return &programError{class: unwindingClass}
	}
	return nil
}

// schedulingEvent returns the event that a statement schedules.
func schedulingEvent(s *stmt) history.Event {
	switch s.kind {
	case stInline:
		return history.Event{Kind: history.ActivityScheduled, Name: fmt.Sprint("I", s.n), Payload: []byte("1"), Inline: true}
	case stTimer:
		return history.Event{Kind: history.TimerCreated, DurationMS: int64(s.n-1) * 1000}
	case stUntil:
		return history.Event{Kind: history.TimerCreated, FireAtMS: untilMS(s)}
	case stEvent:
		return history.Event{Kind: history.ExternalSubscribed, Name: fmt.Sprint("e", s.n%2)}
	case stChild:
		e := history.Event{Kind: history.SubOrchestrationScheduled, Name: "C", Payload: []byte("1")}
		if s.n == 3 {
			e.Instance, e.ExplicitID, e.Version = "own", true, "2"
		}
		e.OnParentEnd = []string{"", history.ParentEndCancel, history.ParentEndTerminate, ""}[s.n]
		return e
	}
	return history.Event{Kind: history.ActivityScheduled, Name: fmt.Sprint("A", s.n%2), Payload: []byte(fmt.Sprint(s.n / 2))}
}

// untilMS returns the time until which a statement waits: before most programs, during
// them, or after them.
func untilMS(s *stmt) int64 { return modelBaseMS + int64(s.n-1)*7_777 }

func (c *modelContext) start(s *stmt) programFuture {
	m := c.m
	f := &modelFuture{m: m, event: schedulingEvent(s), scope: c.scope, rejecting: s.flag}
	if c.scope.err != nil {
		m.futures = append(m.futures, f)
		f.event = history.Event{}
		m.makeReady(f, "", c.scope.err)
		return f
	}
	if s.kind == stUntil {
		f.event.DurationMS = max(untilMS(s)-m.nowMS, 0)
	}
	if f.event.Kind == history.TimerCreated {
		f.event.FireAtMS = m.nowMS + max(f.event.DurationMS, 0)
	}
	if f.event.Kind == history.SubOrchestrationScheduled && f.event.Instance == "" {
		f.event.Instance = m.childInstance(f.event.Kind)
	}
	f.id = int64(m.record([]history.Event{f.event})) + 1
	if f.event.Kind == history.ExternalSubscribed {
		if e := m.oldestKept(f.event.Name, f.rejecting); e != nil {
			f.eventTaken = e.EventID
			m.makeReady(f, string(e.Payload), nil)
		}
	}
	m.futures = append(m.futures, f)
	return f
}

func (c *modelContext) detach(name string) (string, *programError) {
	if err := c.enter(); err != nil {
		return "", err
	}
	if c.scope.err != nil {
		return "", c.scope.err
	}
	instance := c.m.childInstance(history.OrchestrationChained)
	c.m.record([]history.Event{{Kind: history.OrchestrationChained, Name: name, Payload: []byte("1"), Instance: instance}})
	return instance, nil
}

func (c *modelContext) now() (string, *programError) {
	if err := c.enter(); err != nil {
		return "", err
	}
	e := c.m.systemCall(history.Event{Kind: history.SystemCall, Op: history.OpNow, Payload: strconv.AppendInt(nil, c.m.nowMS, 10)})
	return string(e.Payload), nil
}

func (c *modelContext) guid() (string, *programError) {
	c.m.guids++
	e := c.m.systemCall(history.Event{Kind: history.SystemCall, Op: history.OpGUID})
	if e.Payload != nil {
		return string(e.Payload), nil
	}
	return fmt.Sprint("model guid ", c.m.guids), nil
}

func (c *modelContext) sideEffect(name, value string, fails bool) (string, *programError) {
	e := history.Event{Kind: history.SystemCall, Op: history.OpSideEffect, Name: name, Payload: []byte(value)}
	if fails {
		e.Payload, e.Failure = nil, &history.Failure{Kind: history.FailureApplication, Message: "side " + value}
	}
	e = c.m.systemCall(e)
	if e.Failure != nil {
		return "", &programError{class: "failed " + e.Failure.Kind + " " + e.Failure.Message, kind: e.Failure.Kind}
	}
	return string(e.Payload), nil
}

func (c *modelContext) nested() (string, *programError) {
	return c.sideEffect("nested", `"nested nested nested nested"`, false)
}

func (c *modelContext) trace(message string) *programError {
	payload, _ := json.Marshal(struct {
		Level   string `json:"level"`
		Message string `json:"message"`
	}{"INFO", message})
	c.m.systemCall(history.Event{Kind: history.SystemCall, Op: history.OpTrace, Payload: payload})
	c.m.logs = append(c.m.logs, message)
	return nil
}

func (c *modelContext) log(line string)     { c.m.logs = append(c.m.logs, line) }
func (c *modelContext) status(value string) { c.m.status = value }

// historyLength returns the id of the last event that was visited or that the code made,
// whichever is higher.
func (c *modelContext) historyLength() int64 {
	n := c.m.visiting
	for _, e := range c.m.events {
		if e.Kind.Scheduling() && e.EventID > n {
			n = e.EventID
		}
	}
	return n
}

func (c *modelContext) err() *programError { return c.scope.err }

func (c *modelContext) newScope(shielded bool) *modelScope {
	s := &modelScope{parent: c.scope, shielded: shielded}
	if !shielded {
		s.err, s.since = c.scope.err, c.scope.since
	}
	c.m.scopes = append(c.m.scopes, s)
	return s
}

func (c *modelContext) branch(fn func(programContext) (string, *programError)) programFuture {
	f := &modelFuture{m: c.m, scope: c.scope}
	f.branch = c.m.newBranch(c.newScope(false), f, fn)
	c.m.futures = append(c.m.futures, f)
	return f
}

func (c *modelContext) withCancel() (programContext, func(string)) {
	inner := &modelContext{c.m, c.newScope(false)}
	return inner, func(reason string) { c.m.cancelScope(inner.scope, reason) }
}

func (c *modelContext) withTimeout(seconds int) (programContext, func(string)) {
	inner := &modelContext{c.m, c.newScope(false)}
	timer := inner.start(&stmt{kind: stTimer, n: seconds + 1}).(*modelFuture)
	if !timer.isReady {
		timer.ends = inner.scope
	}
	return inner, func(reason string) { c.m.cancelScope(inner.scope, reason) }
}

// patched: an execution has the patch if it is asked for where no event exists yet, or if
// the marker is the next event.
func (c *modelContext) patched(id string) (bool, *programError) {
	if err := c.enter(); err != nil {
		return false, err
	}
	m := c.m
	if has, asked := m.patches[id]; asked {
		return has, nil
	}
	return m.decide(id, m.replayed == nil || len(m.replayed) == m.rest || m.markerIsNext(id)), nil
}

func (c *modelContext) patchRetired(id string) *programError {
	if err := c.enter(); err != nil {
		return err
	}
	if _, asked := c.m.patches[id]; !asked {
		c.m.decide(id, c.m.markerIsNext(id))
	}
	return nil
}

func (m *model) markerIsNext(id string) bool {
	i := len(m.events)
	return i < len(m.replayed) && m.replayed[i].Kind == history.SystemCall && m.replayed[i].Op == history.OpPatch && m.replayed[i].Name == id
}

func (m *model) decide(id string, has bool) bool {
	if has {
		m.record([]history.Event{{Kind: history.SystemCall, Op: history.OpPatch, Name: id}})
	}
	if m.patches == nil {
		m.patches = map[string]bool{}
	}
	m.patches[id] = has
	return has
}

func (c *modelContext) message(e history.Event) *programError {
	if err := c.enter(); err != nil {
		return err
	}
	if c.scope.err != nil {
		return c.scope.err
	}
	e.Kind, e.ExplicitID = history.SystemCall, true
	c.m.record([]history.Event{e})
	return nil
}

func (c *modelContext) raise(instance, value string) *programError {
	return c.message(history.Event{Op: history.OpRaiseEvent, Name: "told", Instance: instance, Payload: []byte(value)})
}

func (c *modelContext) cancelInstance(instance, reason string) *programError {
	return c.message(history.Event{Op: history.OpCancelInstance, Instance: instance, Reason: reason})
}

func (c *modelContext) search(name string, n int) *programError {
	if err := c.enter(); err != nil {
		return err
	}
	if c.m.attributes == nil {
		c.m.attributes = map[string]int{}
	}
	if c.m.attributes[name] = n; n == 0 {
		delete(c.m.attributes, name)
	}
	return nil
}

func (c *modelContext) shield() programContext { return &modelContext{c.m, c.newScope(true)} }

func (c *modelContext) continueAsNew(input string) *programError {
	return &programError{class: input, kind: "again"}
}

func modelFutures(fs []programFuture) []*modelFuture {
	list := make([]*modelFuture, len(fs))
	for i, f := range fs {
		list[i] = f.(*modelFuture)
	}
	return list
}

func allReady(fs []*modelFuture) bool {
	for _, f := range fs {
		if !f.isReady {
			return false
		}
	}
	return true
}

// first returns the index of the future that became ready first, or -1 if none is ready.
// It skips nil.
func first(fs []*modelFuture) int {
	at := -1
	for i, f := range fs {
		if f != nil && f.isReady && (at < 0 || f.order < fs[at].order) {
			at = i
		}
	}
	return at
}

func (c *modelContext) await(pf programFuture) (string, *programError) {
	if err := c.enter(); err != nil {
		return "", err
	}
	f := pf.(*modelFuture)
	if !f.isReady {
		if err := c.m.wait(c.scope, []*modelFuture{f}, func() bool { return f.isReady }); err != nil {
			return "", err
		}
	}
	f.told = true
	return f.value, f.err
}

func (c *modelContext) waitAll(fs []*modelFuture) *programError {
	if allReady(fs) {
		return nil
	}
	return c.m.wait(c.scope, fs, func() bool { return allReady(fs) })
}

func (c *modelContext) join(pfs []programFuture) ([]string, *programError) {
	fs := modelFutures(pfs)
	if err := c.waitAll(fs); err != nil {
		return nil, err
	}
	var values []string
	var failed *modelFuture
	for _, f := range fs {
		values = append(values, f.value)
		if f.err != nil && (failed == nil || f.order < failed.order) {
			failed = f
		}
	}
	if failed != nil {
		return nil, failed.err
	}
	for _, f := range fs {
		f.told = true
	}
	return values, nil
}

func (c *modelContext) settle(pfs []programFuture) ([]programOutcome, *programError) {
	fs := modelFutures(pfs)
	if err := c.waitAll(fs); err != nil {
		return nil, err
	}
	var outcomes []programOutcome
	for _, f := range fs {
		if !c.scope.before(f) {
			return nil, c.scope.err
		}
		f.told = true
		outcomes = append(outcomes, programOutcome{f.value, f.err})
	}
	return outcomes, nil
}

var nothingToWaitFor = &programError{class: "nothing to wait for", kind: history.FailureApplication}

func (c *modelContext) waitFirst(fs []*modelFuture) (int, *programError) {
	if first(fs) < 0 {
		if err := c.m.wait(c.scope, fs, func() bool { return first(fs) >= 0 }); err != nil {
			return -1, err
		}
	}
	if i := first(fs); c.scope.before(fs[i]) {
		return i, nil
	}
	return -1, c.scope.err
}

func (c *modelContext) cancelOthers(fs []*modelFuture, winner int) {
	var losers []*modelFuture
	for _, f := range fs {
		if f != fs[winner] {
			losers = append(losers, f)
		}
	}
	// Operations by event id, then branches by number.
	sort.SliceStable(losers, func(i, j int) bool {
		a, b := losers[i], losers[j]
		if a.branch != nil && b.branch != nil {
			return a.branch.number < b.branch.number
		}
		if a.branch != nil || b.branch != nil {
			return b.branch != nil
		}
		return a.id < b.id
	})
	for _, f := range losers {
		c.m.cancelFuture(f, "another operation of the select was first")
	}
}

func (c *modelContext) selectOf(keep bool, pfs []programFuture) (int, *programError) {
	if len(pfs) == 0 {
		return -1, nothingToWaitFor
	}
	fs := modelFutures(pfs)
	i, err := c.waitFirst(fs)
	if err == nil && !keep {
		c.cancelOthers(fs, i)
	}
	if err == nil {
		fs[i].told = true
	}
	return i, err
}

func (c *modelContext) anyOf(pfs []programFuture) (int, string, *programError) {
	if len(pfs) == 0 {
		return -1, "", nothingToWaitFor
	}
	fs := modelFutures(pfs)
	left := modelFutures(pfs)
	for range fs {
		i, err := c.waitFirst(left)
		if err != nil {
			return -1, "", err
		}
		if fs[i].err == nil {
			c.cancelOthers(fs, i)
			fs[i].told = true
			return i, fs[i].value, nil
		}
		left[i] = nil
	}
	var errs []*programError
	for _, f := range fs {
		errs = append(errs, f.err)
	}
	return -1, "", allFailedClass(errs)
}

// allFailedClass is the error of an Any in which all operations failed. It counts as a
// timeout if the first cancellation among the errors is a scope's timeout, otherwise as
// cancelled if one of them does; otherwise it has the kind of the first error.
func allFailedClass(errs []*programError) *programError {
	e := &programError{class: fmt.Sprint("all failed ", errs), kind: errs[0].kind}
	for _, err := range errs {
		if e.scope == "" {
			e.scope = err.scope
		}
		if err.kind == history.FailureCancelled || err.cancelled {
			e.kind, e.cancelled = history.FailureCancelled, true
		}
	}
	if e.scope == history.FailureTimeout {
		e.kind = e.scope
	}
	return e
}

func (c *modelContext) asCompleted(pfs []programFuture) iter.Seq2[int, programOutcome] {
	left := modelFutures(pfs)
	return func(yield func(int, programOutcome) bool) {
		for range pfs {
			i, err := c.waitFirst(left)
			if err != nil {
				yield(-1, programOutcome{err: err})
				return
			}
			f := left[i]
			left[i] = nil
			f.told = true
			if !yield(i, programOutcome{f.value, f.err}) {
				return
			}
		}
	}
}
