package deciding

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/dispatch"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/host/reading"
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

var update = flag.Bool("update", false, "write what is decided into the tests that expect something else")

// driver delivers messages to an instance "a". It makes the decisions, carries out the plans on a
// store in memory, and writes them down. Sent messages are written down too, but not delivered.
type driver struct {
	*testing.T
	*script
	// now is the time at which the next message is received. Each message takes a minute.
	now      time.Time
	settings host.Settings
	// code by the name of the orchestration.
	code  map[string]engine.Orchestration
	kept  *memory.Store
	keys  *keyring.Ring
	terms Terms
	// activities are the states of pending activities, by event.
	activities map[int64]store.ActivityState
	// inline runs an inline activity. If inline is nil, the activity returns its input.
	inline func(*engine.InlineCall) history.Event
	// loud: log lines are written down.
	loud bool
	// given: nothing is read or written, because the view has everything.
	given bool
	// keeps: a waiting instance stays in the cache.
	keeps bool
	warm  *Running
	known *store.Record // with it

	// dies is the number of the commit of the next batch after which its process dies; 0 for none.
	dies int
	// cut: the process dies once, while it resends.
	cut bool
	// described, read and committing are called once each: after the record is read, after the
	// history is read, and before a commit. If committing returns an error, the commit is not made.
	described, read func()
	committing      func(*Commit) error
	// writing is called once, before the record is changed without a commit.
	writing func(*Write) error
	// left is the time left in each invocation; 0 for all of it.
	left time.Duration
	// deletion is the record of the last request to delete histories.
	deletion *store.Record
	// blocked describes what blocks in the code.
	blocked *engine.Blocked
}

// script is what was written down: a line for each delivery, with a semicolon between two plans.
// The lines below a delivery show what another process does meanwhile; then the delivery continues.
type script struct {
	lines []string
	line  []string // the line that is being written
	depth int
	// heading of the line, until the line has an entry.
	heading string
	commits int
}

func (s *script) say(format string, args ...any) {
	if s.line = append(s.line, s.heading+fmt.Sprintf(format, args...)); s.depth == 0 {
		s.end()
	}
	s.heading = ""
}

// continuesBelow starts the rest of a line.
const continuesBelow = "… "

// end ends a line.
func (s *script) end() {
	if len(s.line) > 0 {
		s.lines = append(s.lines, strings.Repeat("\t", max(s.depth-1, 0))+strings.Join(s.line, "; "))
	}
	s.line = nil
}

// forget removes the last lines.
func (s *script) forget(lines int) { s.lines = s.lines[:len(s.lines)-lines] }

func newDriver(t *testing.T, code engine.Func) *driver {
	t.Helper()
	p := &driver{T: t, now: startedAt, script: &script{}, settings: host.DefaultSettings(), code: map[string]engine.Orchestration{}, kept: memory.New(), activities: map[int64]store.ActivityState{}}
	p.deploy(code)
	keys, err := keyring.New(keyring.Config{Keys: &keyring.Memory{}, Now: func() time.Time { return p.now }})
	if err == nil {
		err = keys.Ready(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	p.keys = keys
	return p
}

// deploy replaces the code of Main.
func (p *driver) deploy(code engine.Func, options ...func(*engine.Orchestration)) {
	o := engine.Orchestration{Name: "Main", Func: code}
	for _, f := range options {
		f(&o)
	}
	p.code["Main"], p.warm = o, nil
}

// anew returns a driver of a new instance, whose script follows under a title.
func (p *driver) anew(title string, code engine.Func) *driver {
	p.Helper()
	other := newDriver(p.T, code)
	other.script = p.script
	if title != "" {
		p.lines = append(p.lines, "# "+title)
	}
	return other
}

// beside returns another process, with its own cache.
func (p *driver) beside() *driver {
	other := *p
	other.warm = nil
	return &other
}

// take handles first deliveries; again handles second ones.
func (p *driver) take(items ...wire.Item) { p.Helper(); p.deliver(p.received(1, items...)...) }

// each handles the items one after another.
func (p *driver) each(items ...wire.Item) {
	p.Helper()
	for _, i := range items {
		p.take(i)
	}
}

func (p *driver) again(items ...wire.Item) { p.Helper(); p.deliver(p.received(2, items...)...) }

// received returns deliveries that are received now.
func (p *driver) received(receives int, items ...wire.Item) (all []*inbox.Message) {
	for _, i := range items {
		i.V, i.Instance = wire.Version, "a"
		if i.SentMS == 0 {
			i.SentMS = p.now.UnixMilli()
		}
		id := i.ID
		if id == "" {
			id = fmt.Sprint("of ", i.SourceEventID)
		}
		m := queue.Message{ID: id, Group: "a", ReceiveCount: receives}
		if receives == 1 {
			m.ReceivedAt = p.now
		}
		all = append(all, &inbox.Message{Delivery: platform.Delivery{Message: m}, Item: i, Proven: true})
	}
	return all
}

// kinds are short names of the kinds of messages.
var kinds = map[wire.Kind]string{wire.StartOrchestration: "start", wire.ExternalRaised: "event", wire.CancelInstance: "cancel", wire.TerminateInstance: "terminate",
	wire.PurgeInstance: "purge", wire.Wake: "wake", wire.ActivityCompleted: "result of", wire.ActivityFailed: "failure of", wire.TimerFired: "firing of",
	wire.SubOrchCompleted: "output of", wire.ActivityPending: "pending", wire.ActivityHeartbeat: "heartbeat of"}

// heading describes what is delivered.
func heading(messages []*inbox.Message) string {
	var all []string
	for _, m := range messages {
		w := kinds[m.Item.Kind]
		switch {
		case m.Item.ID != "":
			w += " " + m.Item.ID
		case m.Item.SourceEventID > 0:
			w += fmt.Sprint(" ", m.Item.SourceEventID)
		}
		switch {
		case m.ReceiveCount > 1:
			w += fmt.Sprint("×", m.ReceiveCount)
		case m.Redriven():
			w += " redriven"
		}
		all = append(all, w)
	}
	return strings.Join(all, ", ") + " → "
}

// errDied: the process is dead.
var errDied = errors.New("dies")

// deliver handles a batch. It repeats a turn as package orchestrator does.
func (p *driver) deliver(messages ...*inbox.Message) {
	p.Helper()
	within := p.depth > 0
	if within && (len(p.line) > 0 || p.heading != continuesBelow) {
		p.say("…")
	}
	p.end()
	p.depth++
	p.heading = heading(messages)
	p.groups(messages)
	p.heading = ""
	p.end()
	if p.depth--; within {
		p.heading = continuesBelow
	}
	p.now = p.now.Add(time.Minute)
}

func (p *driver) groups(messages []*inbox.Message) {
	p.Helper()
	for _, g := range GroupsOf(messages, p.settings.SuspectReceives) {
		_ = p.group(&g.Group)
	}
	back := ""
	for _, m := range messages {
		if m.State == inbox.Unsettled {
			back += " " + m.ID
		}
	}
	if back != "" {
		p.say("comes back:%s", back)
	}
}

// group makes the turn of a group. It returns errDied if its process dies.
func (p *driver) group(g *Group) error {
	p.Helper()
	for tries, cold := 1, g.TooLarge != nil; tries <= 4; tries, cold = tries+1, true {
		t := p.turn(g)
		err := p.load(t, cold)
		if err = t.Failed(err); err == nil {
			err = p.decide(t)
		}
		p.release(t, err)
		large, isLarge := errors.AsType[*store.TooLargeError](err)
		switch {
		case err == nil && len(g.Open()) > 0:
			p.say("acknowledges that")
			return p.group(g.Rest(p.settings.SuspectReceives))
		case err == nil, errors.Is(err, errDied):
			return err
		case isLarge && len(g.Open()) > 1:
			p.say("is too large")
			open := g.Open()
			for _, half := range [][]*inbox.Message{open[:len(open)/2], open[len(open)/2:]} {
				if err := p.group(g.Half(half)); err != nil {
					return err
				}
			}
			return nil
		case isLarge && g.TooLarge == nil:
			p.say("is too large")
			g.TooLarge = large
			return p.group(g)
		case errors.Is(err, ErrStale) && !cold:
			p.say("is stale")
		case errors.Is(err, store.ErrConflict):
			p.say("has lost")
		default:
			var patch *PatchError
			if errors.As(err, &patch) {
				err = fmt.Errorf("is for a build with the patch %q", patch.Stuck.Patch)
			}
			p.say("%v", err)
			return nil
		}
	}
	return nil
}

func (p *driver) turn(g *Group) *Turn {
	p.Helper()
	var all []engine.Orchestration
	for _, o := range p.code {
		all = append(all, o)
	}
	registry, err := engine.NewRegistry(all...)
	if err != nil {
		p.Fatal(err)
	}
	p.terms = Terms{Settings: &p.settings, Orchestrations: registry, Build: "this", Publishes: p.terms.Publishes}
	terms := p.terms
	return begun(&Known{By: &terms, Now: p.moment(), Group: g, View: reading.View{Instance: "a"}, Chain: g.Chain()})
}

// begun returns a turn for which nothing has been decided yet.
func begun(k *Known) *Turn {
	var t Turn
	t.Begin(k)
	return &t
}

func (p *driver) moment() Moment {
	return Moment{At: p.now, Left: cmp.Or(p.left, math.MaxInt64), Blocked: p.blocked}
}

func (p *driver) source() *reading.Source {
	return &reading.Source{Store: p.kept, Clock: clock.NewVirtual(p.now), Observer: host.NoObserver{}, Logger: slog.New(slog.DiscardHandler)}
}

// load loads what package orchestrator loads, with a cache of one instance.
func (p *driver) load(t *Turn, cold bool) error {
	open := t.Group.Open()
	if cold || ByWhatIsStored(open) {
		p.warm = nil
	} else if w := p.warm; w != nil {
		p.warm = nil
		if later, behind := Ahead(open, w.Execution, w.X.LastEventID()); !later && !behind {
			t.Running = Running{X: w.X, Execution: w.Execution, Work: w.Work, Warm: true}
			t.View.Record, t.View.Current = p.known, false
			return nil
		}
	} else if n := CommonExecution(open); n > 0 {
		turns, err := p.source().Read(p.Context(), &t.View, n)
		if err == nil && len(turns) > 0 && !turns[len(turns)-1].Parked && !dispatch.Ends(&turns[len(turns)-1]) {
			return p.feed(t, n)
		}
	}
	if err := p.answer(t, &Read{What: Record}); err != nil {
		return err
	}
	execution, has := t.Stands(open)
	switch has {
	case NoExecution:
		return nil
	case Starts:
		t.Running = Running{X: p.execution(execution), Execution: execution, Stage: Starting, Work: dispatch.Work{}}
		return nil
	}
	turns, err := p.source().Read(p.Context(), &t.View, execution)
	if err != nil {
		return err
	}
	if f := p.read; f != nil {
		p.read = nil
		f()
	}
	if reading.ContinuedAsNew(turns) {
		return store.ErrConflict
	}
	return p.feed(t, execution)
}

func (p *driver) execution(n int64) *engine.Execution {
	x := engine.New(engine.Config{Instance: "a", ExecutionID: n, Registry: p.terms.Orchestrations})
	p.Cleanup(x.Close)
	return x
}

// feed continues a turn with the stored events of an execution.
func (p *driver) feed(t *Turn, n int64) error {
	turns, err := p.source().Read(p.Context(), &t.View, n)
	if err != nil {
		return err
	}
	x := p.execution(n)
	for i := range turns {
		if err := x.Feed(turns[i].Events, turns[i].Parked && i == len(turns)-1); err != nil {
			return err
		}
	}
	t.Running.X, t.Running.Execution, t.Running.Work = x, n, dispatch.Work{}
	t.Running.Work.AddTurns(turns)
	return nil
}

// decide makes decisions and carries out their plans until the turn is over.
func (p *driver) decide(t *Turn) error {
	p.Helper()
	for range 200 {
		t.Now = p.moment()
		plan, err := Decide(t)
		if err == nil {
			sent := func(c []dispatch.Commit) string { return p.actions(t, c) }
			if words := wordsOf(&plan, !p.given, sent); words != "" {
				p.say("%s", words)
			}
			if p.loud {
				p.logs(&plan)
			}
			if plan.Over {
				return nil
			}
			err = p.carryOut(t, &plan)
		}
		if err = t.Failed(err); err != nil {
			return err
		}
	}
	p.Fatal("the turn is never over")
	return nil
}

// logs writes down the log lines of the plan.
func (p *driver) logs(plan *Plan) {
	all := plan.Reports
	for i := range plan.Settled {
		if s := plan.Settled[i].Report; s != nil {
			all = append(all, *s)
		}
	}
	for _, s := range all {
		if s.Text != "" {
			p.say("logs %q %v", s.Text, s.With)
		}
	}
}

// actions returns the messages that are sent because of commits.
func (p *driver) actions(t *Turn, commits []dispatch.Commit) string {
	out := &dispatch.Outbox{Now: p.now, Chain: t.Chain, Composer: dispatch.Composer{Edge: edge.New(nil, wire.Limits{}), Keys: p.keys, Settings: &p.settings.Dispatch, Loop: &p.settings.Loop}}
	out.Chain.Arrived = t.Group.Arrived
	for i := range commits {
		out.Add(commits[i])
	}
	t.Chain = out.Chain
	var all []string
	for _, a := range out.Actions() {
		w := a.Kind
		switch {
		case a.Kind == "parent" || a.Kind == "failure":
		case a.EventID > 0:
			w += fmt.Sprint(" ", a.EventID)
		}
		all = append(all, w)
	}
	if len(all) == 0 {
		return "nothing"
	}
	return strings.Join(all, " and ")
}

// carryOut does what package orchestrator does with a plan, except sending.
func (p *driver) carryOut(t *Turn, plan *Plan) error {
	p.Helper()
	if plan.Read != nil {
		t.Answered = plan.Read.What
		return p.answer(t, plan.Read)
	}
	t.Forget()
	if plan.Again != nil && p.cut {
		p.cut = false
		p.say("dies while it sends")
		return errDied
	}
	if plan.Again != nil {
		t.Group.Dispatched(plan.Again.Commits)
	}
	if plan.Inline != nil {
		plan.Run.Arrivals = append([]engine.Arrival{{Event: p.inlined(plan.Inline), Inline: true}}, plan.Run.Arrivals...)
	}
	if plan.Run != nil {
		if err := t.Ran(t.Running.X.Run(engine.Input{NowMS: p.now.UnixMilli(), Arrivals: plan.Run.Arrivals, Park: plan.Run.Park})); err != nil {
			return err
		}
	}
	if plan.Commit != nil {
		if err := p.commit(t, plan); err != nil {
			return err
		}
	}
	if a := plan.Send.Attempt; a != nil {
		a.Message.State = inbox.Settled
	}
	if d := plan.Send.Deletion; d != nil {
		p.deletion = d
	}
	if b := plan.Send.Beat; b != nil {
		p.activities[b.Key.EventID] = store.ActivityState{Beat: b.Beat}
	}
	if plan.Record != nil {
		if err := p.write(t, plan.Record); err != nil {
			return err
		}
	}
	for i := range plan.Settled {
		if s := &plan.Settled[i]; s.Becomes != nil {
			s.Message.Item = *s.Becomes
		} else {
			s.Message.State = inbox.Settled
		}
	}
	if plan.Next != nil {
		return p.goTo(t, plan.Next)
	}
	return nil
}

func (p *driver) inlined(call *engine.InlineCall) history.Event {
	if p.inline != nil {
		return p.inline(call)
	}
	return history.Event{Kind: history.ActivityCompleted, SourceEventID: call.EventID, Payload: call.Input}
}

// commit makes a commit durable; its process may die after it.
func (p *driver) commit(t *Turn, plan *Plan) error {
	c := plan.Commit
	if f := p.committing; f != nil {
		p.committing = nil
		if err := f(c); err != nil {
			return err
		}
	}
	p.commits++
	for i := range c.Turns {
		c.Turns[i].Token = fmt.Sprint("commit ", p.commits)
	}
	var err error
	switch {
	case p.given:
	case len(c.Turns) > 0:
		err = p.kept.Commit(p.Context(), store.Commit{Turns: c.Turns, Record: c.Change})
	case c.Change != nil:
		err = p.kept.UpdateRecord(p.Context(), "a", *c.Change)
	}
	if err != nil {
		return err
	}
	t.Took(c)
	if p.dies > 0 {
		if p.dies--; p.dies == 0 {
			p.say("dies ahead of its dispatch")
			return errDied
		}
	}
	t.Running.Work.Close(c.Cancelled)
	t.Group.Dispatched(plan.Dispatch)
	return nil
}

func (p *driver) write(t *Turn, w *Write) error {
	if f := p.writing; f != nil {
		p.writing = nil
		if err := f(w); err != nil {
			return err
		}
	}
	switch {
	case !w.Hide.IsZero():
		if !p.given {
			if err := p.kept.Hide(p.Context(), "a", t.View.Record.ExecutionID, w.Hide); err != nil {
				return err
			}
		}
		t.Hidden(w.Hide)
		return nil
	}
	if !p.given {
		if err := p.kept.UpdateRecord(p.Context(), "a", *w.Change); err != nil {
			return err
		}
	}
	t.Wrote(w)
	return nil
}

// answer reads what a decision needs in order to continue.
func (p *driver) answer(t *Turn, r *Read) error {
	if p.given {
		t.View.Described, t.View.Current = true, true
		return nil
	}
	switch r.What {
	case Record, RecordAgain:
		before, known := t.View.Record, t.View.Described
		err := p.source().Describe(p.Context(), &t.View, t.Running.X != nil)
		if f := p.described; f != nil {
			p.described = nil
			f()
		}
		if err == nil && r.What == RecordAgain {
			err = t.Moved(before, known)
		}
		return err
	case History:
		turns, err := p.source().Read(p.Context(), &t.View, r.Execution)
		if err != nil || len(turns) == 0 {
			t.View.Answer(r.Execution, err)
		}
		return nil
	case Behind:
		return p.source().Unmoved(p.Context(), "a", r.Execution, r.Event)
	case Activity:
		t.TookActivity(store.ActivityKey{Instance: "a", ExecutionID: r.Execution, EventID: r.Event}, p.activities[r.Event])
		return nil
	}
	if err := p.source().Confirm(p.Context(), r.Lacks); !reading.Corrupt(err) {
		return err
	}
	return nil
}

// goTo continues with the next execution.
func (p *driver) goTo(t *Turn, n *Next) error {
	r := &t.Running
	if n.Again > 0 {
		*r = Running{X: p.execution(n.Again), Execution: n.Again, Stage: Starting, Work: dispatch.Work{}, Redriven: n.Redriven}
		if d := n.Redriven; d != nil && len(d.Prefix) > 0 {
			return r.X.Feed(d.Prefix, false)
		}
		return nil
	}
	r.Execution++
	r.X, r.Work, r.Warm = p.execution(r.Execution), dispatch.Work{}, false
	r.Work.Add(n.Events)
	return r.X.Feed(n.Events, true)
}

// release removes the mark of a suspect, and caches the instance if that is allowed.
func (p *driver) release(t *Turn, err error) {
	if errors.Is(err, errDied) {
		return
	}
	if c := t.Cleared(err != nil); c != nil && !p.given {
		if p.kept.UpdateRecord(p.Context(), "a", *c) == nil {
			p.say("is no suspect any more")
		}
	}
	if p.keeps && err == nil && t.Keep() && !t.Running.X.Ended() {
		p.warm, p.known = &t.Running, t.View.Record
	}
}

// late makes the next commit fail with an unknown outcome, and returns a function that makes it
// land.
func (p *driver) late() (land func() error) {
	var held store.Commit
	p.committing = func(c *Commit) error {
		held = store.Commit{Turns: c.Turns, Record: c.Change}
		for i := range held.Turns {
			held.Turns[i].Token = "late"
		}
		return store.ErrUnknownOutcome
	}
	return func() error {
		if len(held.Turns) == 0 {
			return p.kept.UpdateRecord(p.Context(), "a", *held.Record)
		}
		return p.kept.Commit(p.Context(), held)
	}
}

// lands writes down the outcome of a late write.
func (p *driver) lands(land func() error) {
	if err := land(); err != nil {
		p.say("the late write loses")
	} else {
		p.say("the late write lands")
	}
}

// record returns the stored record; the zero record if there is none.
func (p *driver) record() store.Record {
	p.Helper()
	r, err := p.kept.Describe(p.Context(), "a")
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		p.Fatal(err)
	}
	return r
}

// stands writes down the content of the record.
func (p *driver) stands() {
	p.Helper()
	r := p.record()
	w := fmt.Sprintf("stands at execution %d", r.ExecutionID)
	switch {
	case r.Purged && r.FreeAt.IsZero():
		w += fmt.Sprintf(", forbids start %q", r.StartID)
	case r.Purged:
		w += fmt.Sprintf(", purged, its id free in %s", r.FreeAt.Sub(p.now).Round(time.Hour))
	default:
		w += ", " + string(r.Status)
	}
	if r.Output != nil {
		w += " with " + string(r.Output)
	}
	if r.Failure != nil {
		w += " of " + r.Failure.Kind
	}
	if m := r.Problem; m != nil {
		w += fmt.Sprintf(", mark %s with stamp %d after %d tries", m.Kind, r.Stamp, m.Tries)
	}
	if r.Suspect != "" {
		w += fmt.Sprintf(", suspect %q", r.Suspect)
	}
	if r.States != nil {
		w += ", status " + string(history.StateNamed(r.States, history.ListedState))
	}
	p.say("%s", w)
}

var rewriting sync.Mutex

// expect compares what was written down with want, and clears it. With -update, it rewrites the
// test.
func (p *driver) expect(want string) {
	p.Helper()
	got := p.lines
	p.lines = nil
	var lines []string
	for line := range strings.Lines(strings.TrimSpace(want)) {
		lines = append(lines, strings.TrimSpace(line))
	}
	same := len(lines) == len(got)
	for i := 0; same && i < len(got); i++ {
		same = strings.TrimSpace(got[i]) == lines[i]
	}
	if same {
		return
	}
	if !*update {
		p.Errorf("what is decided is\n\t\t%s", strings.Join(got, "\n\t\t"))
		return
	}
	_, file, _, _ := runtime.Caller(1)
	rewriting.Lock()
	defer rewriting.Unlock()
	source, err := os.ReadFile(file)
	if err != nil {
		p.Fatal(err)
	}
	name, _, _ := strings.Cut(p.Name(), "/")
	head, tail, found := strings.Cut(string(source), "func "+name+"(")
	before, after, literal := strings.Cut(tail, "`"+want+"`")
	if !found || !literal {
		p.Fatalf("%s: %q is not there", file, want)
	}
	text := head + "func " + name + "(" + before + "`\n\t\t" + strings.Join(got, "\n\t\t") + "\n\t`" + after
	if err = os.WriteFile(file+".new", []byte(text), 0o644); err == nil {
		err = os.Rename(file+".new", file)
	}
	if err != nil {
		p.Fatal(err)
	}
}
