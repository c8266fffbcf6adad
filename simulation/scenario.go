package simulation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/activity"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/simulation/choice"
	"github.com/turnstile-go/turnstile/simulation/program"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// scenario is an application and those who use it.
type scenario interface {
	// working and broken are builds of its orchestrations.
	working() *build
	broken(w *World) *build
	// activities and inline are what processes register.
	activities(p *process) *activity.Registry
	inline(p *process) *activity.Registry
	// begin lets clients send what they send.
	begin(w *World)
	// created is told of each instance that begins.
	created(w *World, instance, name string)
	// purge lets somebody purge an instance, or start one again.
	purge(w *World)
	// landed is told of each turn that lands, and of the execution as it stands then;
	// marked of each record as it stands behind a write.
	landed(w *World, p *process, x *recorded, t *store.Turn)
	marked(w *World, r *store.Record)
	// isProgram reports whether an orchestration is a random program: one whose
	// headers are known, and whose transcript tells all that it took.
	isProgram(name string) bool
	// isRandom reports whether the orchestrations are random programs.
	isRandom() bool
	// check judges the outcome.
	check(w *World)
	// String describes it; size counts what there is in it.
	String() string
	size() string
}

// randomScenario is random programs and clients.
type randomScenario struct {
	programs program.Programs
	roots    []root
	// sent are the events: name by payload.
	sent map[string]string
	raws int
	// ended are instances, no roots, that clients ended: terminated if true.
	ended map[string]bool
	// purged: somebody has purged an instance that is no root.
	purged bool
	// registered are the versions of each program that has several, by build,
	// asked those that clients ask for, by instance and start, and chained those
	// that detached starts ask for. They are empty if no program has several.
	registered     map[*build]map[string][]string
	asked, chained map[string]string
	// missed are instances of programs with several versions that are stuck
	// for the one that they recorded.
	missed map[string]bool
	// runs of inline activities that had a result.
	runs int
}

type root struct {
	instance   string
	program    *program.Program
	cancelled  bool
	terminated bool
}

func newRandomScenario(w *World) *randomScenario {
	s := &randomScenario{programs: program.Draw(&w.choices), sent: map[string]string{}, ended: map[string]bool{}}
	for i := range 1 + w.choices.IntN(w.choices.At(choice.OfProgram, "roots"), 3) {
		r := root{instance: fmt.Sprintf("root%d", i), program: s.programs[0]}
		if w.choices.OneIn(w.choices.At(w.choices.At(choice.OfProgram, r.instance), "odd"), 8) {
			r.instance = fmt.Sprintf("root%d ü", i) // SQS takes it for no group.
		}
		switch w.choices.IntN(w.choices.At(choice.OfProgram, r.instance), 12) {
		case 9:
			r.terminated = true
		case 10, 11:
			r.cancelled = true
		}
		s.roots = append(s.roots, r)
	}
	if !w.choices.OneIn(w.choices.At(choice.OfProgram, "no bound"), 16) {
		s.programs.Bound(len(s.roots))
	}
	return s
}

func (s *randomScenario) size() string {
	n := 0
	for _, p := range s.programs {
		n += program.CountStatements(p.Body)
	}
	return plural(n, "statement")
}

// String implements scenario.
func (s *randomScenario) String() string {
	text := ""
	for _, p := range s.programs {
		text += p.String()
	}
	for _, r := range s.roots {
		text += r.instance + " runs " + r.program.Name
		switch {
		case r.cancelled:
			text += ", and is cancelled"
		case r.terminated:
			text += ", and is terminated"
		}
		text += "\n"
	}
	return text
}

func (s *randomScenario) build(name string, d program.Defect) *build {
	var all []engine.Orchestration
	has := map[string][]string{}
	for _, p := range s.programs {
		all = append(all, s.programs.Registered(p, d)...)
		if p.Versions != nil {
			has[p.Name] = d.VersionsOf(p)
		}
	}
	all = append(all, program.Companions()...)
	r, err := engine.NewRegistry(all...)
	if err != nil {
		panic(err)
	}
	b := &build{name, r}
	if len(has) > 0 {
		note(&s.registered, b, has)
	}
	return b
}

func (s *randomScenario) working() *build { return s.build("working", program.Defect{}) }

func (s *randomScenario) broken(w *World) *build {
	d := program.Defect{Kind: program.DefectKinds[w.choices.IntN(w.how(Deployed), len(program.DefectKinds))], At: 1 + w.choices.IntN(w.how(Deployed), 5),
		Kill: func() { w.executing.die("its code kills it") }, Recorded: w.hasRecorded, Violate: func(rule, text string) { w.violate(rule, "%s", text) }}
	if d.Kind == "missing" {
		s.missing(w, &d) // Which one, from the last.
	}
	return s.build(fmt.Sprintf("broken%d (%s at %d)", w.bad, d.Kind, d.At), d)
}

func (s *randomScenario) registry(p *process) *activity.Registry {
	r, err := activity.NewRegistry(activity.Activity{Name: "work", Source: "simulation", Func: p.work, Final: isFinal},
		activity.Activity{Name: "intruder", Source: "simulation", Func: func(context.Context, []byte) ([]byte, error) {
			p.w.violate("rule 11", "an activity runs that code scheduled which then panicked")
			return nil, nil
		}})
	if err != nil {
		panic(err)
	}
	return r
}

func (s *randomScenario) activities(p *process) *activity.Registry { return s.registry(p) }
func (s *randomScenario) inline(p *process) *activity.Registry     { return s.registry(p) }

// takeTime lets an activity take as long as the seed says; it heeds its
// context.
func (p *process) takeTime(ctx context.Context, instance string) error {
	if p.dead {
		return errKilled
	}
	p.w.watch.works(p)
	d := time.Duration(p.w.choices.IntN(p.w.choices.At(choice.OfDelivery, instance), 200)) * time.Millisecond
	if p.w.hitFor(SlowActivity, instance) {
		p.running.slowed = true
		d = time.Duration(p.w.choices.IntN(p.w.how(SlowActivity), 10*60)) * time.Second
	}
	return p.takes(ctx, d)
}

// takes lets the work of an activity take so long, or until its context ends.
func (p *process) takes(ctx context.Context, d time.Duration) error {
	for end := p.w.clock.Now().Add(d); p.w.clock.Now().Before(end) && ctx.Err() == nil && !p.dead; {
		p.pause(min(end.Sub(p.w.clock.Now()), 5*time.Second))
	}
	if p.dead {
		return errKilled
	}
	return ctx.Err()
}

// begin implements scenario.
func (s *randomScenario) begin(w *World) {
	s.deployOlder(w)
	s.deployUnreleased(w)
	s.deployStrict(w)
	if w.build == w.good && w.choices.OneIn(w.choices.At(choice.OfWorld, "broken build"), 8) {
		w.deployBroken()
	}
	for i := range s.roots {
		r := &s.roots[i]
		client := w.choices.At(choice.OfClient, r.instance)
		at := time.Duration(0)
		if w.choices.OneIn(client, 3) {
			at = time.Duration(w.choices.IntN(client, 20*60)) * time.Second
		}
		start := wire.Item{Kind: wire.StartOrchestration, Instance: r.instance, Name: r.program.Name, Input: []byte(`{}`), ID: "start-" + r.instance}
		start.OrchVersion = s.asks(w, &start, r.program)
		if w.choices.OneIn(client, 4) {
			payload := s.payload(0)
			start.Events = []wire.StartEvent{{ID: "first", Name: program.EventName(0), Data: []byte(`"` + payload + `"`)}}
		}
		if more := w.choices.At(client, "more events"); r.program.IsLoop() && w.choices.Even(more) {
			// One invocation runs several executions.
			for i := range 2 + w.choices.IntN(more, 3) {
				start.Events = append(start.Events, wire.StartEvent{ID: fmt.Sprintf("more-%d", i), Name: program.EventName(0), Data: []byte(`"` + s.payload(0) + `"`)})
			}
		}
		w.clock.AfterFunc(at, func() { w.sendItem(start) })
		if w.choices.OneIn(client, 4) {
			w.clock.AfterFunc(at+time.Duration(w.choices.IntN(client, 7200))*time.Second, func() { w.sendItem(start) })
		}
		if w.choices.OneIn(client, 4) {
			other := start
			other.ID, other.OrchVersion, other.Events = "other", "", nil
			w.clock.AfterFunc(at+time.Duration(1+w.choices.IntN(client, 7200))*time.Second, func() { w.sendItem(other) })
		}
		s.raise(w, r.instance, r.program)
		s.replace(w, r, at)
		s.tooOld(w, r.instance)
		stop := time.Duration(w.choices.IntN(w.choices.At(client, "stop"), 2*3600)) * time.Second
		if r.cancelled {
			w.clock.AfterFunc(at+stop, func() {
				w.sendItem(wire.Item{Kind: wire.CancelInstance, Instance: r.instance, ID: "cancel", Reason: "enough"})
			})
		}
		if r.terminated {
			w.clock.AfterFunc(at+stop, func() {
				w.sendItem(wire.Item{Kind: wire.TerminateInstance, Instance: r.instance, ID: "terminate", Reason: "at once"})
			})
		}
	}
}

// check implements scenario.
func (s *randomScenario) check(w *World) {
	for _, r := range s.roots {
		if w.ledger.last[r.instance] == 0 {
			w.violate("I-07", "%s was never started", r.instance)
		}
	}
	for _, instance := range w.ledger.instances() {
		if w.ledger.hidden[instance] == w.ledger.last[instance] || w.ledger.forsaken[instance] {
			continue
		}
		judge := s.judge
		if isCompanion(w, instance) {
			judge = s.judgeCompanion
		}
		if err := judge(w, instance); err != nil {
			w.violate("outcome", "%s: %v", instance, err)
		}
	}
}

func (s *randomScenario) judge(w *World, instance string) error {
	r, err := w.describe(instance)
	if err != nil {
		return err
	}
	p := s.program(r.Name)
	cancelled := false
	for n := w.ledger.hidden[instance] + 1; n <= w.ledger.last[instance]; n++ {
		cancelled = cancelled || w.ledger.executions[executionKey{instance, n}].cancelled
	}
	switch r.Status {
	case store.StatusCompleted:
		m := program.Match{Programs: s.programs, Sent: s.sent, Used: map[string]bool{}, Order: eventOrder(w, instance), Excused: w.excused(), Ended: len(s.ended) > 0, Purged: s.purged, Versions: versionsRan(w, instance, p)}
		return m.Transcript(p, r.Output, cancelled)
	case store.StatusFailed:
		if (!p.Fails || r.Failure.Kind != history.FailureApplication) && !(cancelled && w.excused()[r.Failure.Kind]) {
			return fmt.Errorf("it has failed with %+v, and must not", r.Failure)
		}
	case store.StatusCancelled:
		if !cancelled {
			return errors.New("it is cancelled, and nobody did")
		}
		if p.Catches {
			return errors.New("it is cancelled, and its clean-up did not get through")
		}
	case store.StatusTerminated:
		if !s.mayBeTerminated(w, instance) {
			return errors.New("it is terminated, and nobody did")
		}
	}
	return nil
}

// mayBeTerminated: itself or one above it was.
func (s *randomScenario) mayBeTerminated(w *World, instance string) bool {
	for _, r := range s.roots {
		if r.instance == instance {
			return r.terminated
		}
	}
	if s.ended[instance] {
		return true
	}
	x := w.ledger.executions[executionKey{instance, w.ledger.last[instance]}]
	if x == nil || x.events[0].Start == nil || x.events[0].Start.Parent == nil {
		return false
	}
	p := x.events[0].Start.Parent
	return w.terminatesWithParent(p) || s.mayBeTerminated(w, p.Instance)
}

// excused are kinds of failure of activities that faults of the run account
// for.
func (w *World) excused() map[string]bool {
	m := map[string]bool{}
	if w.Faults[SlowActivity]+w.Faults[Slow]+w.Faults[OutOfTime] > 0 {
		m[history.FailureTimeout] = true
	}
	if w.lost {
		m[history.FailureLost] = true
	}
	if w.Faults.total() > 0 {
		m[history.FailureInterrupted] = true
	}
	if w.Faults[SlowActivity]+w.Faults[Slow]+w.Faults[OutOfTime]+w.Faults[Frozen] > 0 {
		m[history.FailureHeartbeatTimeout] = true
	}
	return m
}

// hasRecorded reports whether the history that the running process knows has
// an activity of the statement.
func (w *World) hasRecorded(info engine.Info, id, round int) bool {
	key := executionKey{info.Instance, info.ExecutionID}
	x := w.ledger.executions[key]
	if x == nil {
		return false
	}
	for i := range x.events[:min(w.executing.seen[key], int64(len(x.events)))] {
		var in program.Work
		if e := &x.events[i]; e.Kind == history.ActivityScheduled && json.Unmarshal(e.Payload, &in) == nil && in.ID == id && in.Round == round {
			return true
		}
	}
	return false
}
