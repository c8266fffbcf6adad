package scenario

import (
	"context"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// Random is a scenario of random programs and their clients.
type Random struct {
	Programs program.Programs
	roots    []root
	// sent are the events: name by payload.
	sent map[string]string
	raws int
	// wrong are those events whose data cannot be decoded. lenient is set if a build runs in which
	// other waits reject such data.
	wrong   []string
	lenient bool
	// forgetful is set if a build runs that drops what ContinueAsNew returns.
	forgetful bool
	// ended are instances, other than roots, that clients ended: terminated if true.
	ended map[string]bool
	// redriven is set if an operator has redriven an instance.
	redriven bool
	// keeps is how many executions of an instance the working build keeps, 0 for all.
	keeps int
	// forked counts the forks that clients have requested.
	forked int
	// purged is set if an operator has purged an instance that is not a root.
	purged bool
	// registered are the versions of each program that has several, by build, asked those
	// that clients request, by instance and start, and chained those that detached starts
	// request. They are empty if no program has several.
	registered     map[*world.Build]map[string][]string
	asked, chained map[string]string
	// missed are instances of programs with several versions that are stuck because of the
	// version that they recorded.
	missed map[string]bool
	// runs counts the runs of inline activities that had a result.
	runs int
	// limits are the limits of instances; nil for none.
	limits *limits
	works  map[string]program.Work // of activities, by input
	// updates are those that clients have sent, and callers reads their answers.
	updates []update
	callers *client.Client
	// stages are the latest stages that callers have read, by run and id.
	stages map[store.AnswerKey]client.UpdateStatus
}

type root struct {
	instance   string
	program    *program.Program
	cancelled  bool
	terminated bool
}

// Draw decides what a world runs: the sample application, a schedule, a coordinator or, mostly,
// random programs. The programs are under limits of instances if the run is about coordinators.
func Draw(w *world.World) world.Scenario {
	if w.UnderLimit(w.Choices.At(choice.OfProgram, "a gate")) {
		if w.Choices.Even(w.Choices.At(choice.OfProgram, "a gate of programs")) {
			s := newRandomScenario(w)
			s.drawLimits(w)
			return s
		}
		return newUnderLimit(w)
	}
	if _, near := w.NearLimits(); near {
		return newRandomScenario(w) // Messages of other senders keep their length.
	}
	if w.IsOfUpdates() {
		return newRandomScenario(w)
	}
	orders := w.Choices.OneIn(w.Choices.At(choice.OfProgram, "sample application"), 8)
	switch {
	case !orders && w.Scheduled(w.Choices.At(choice.OfProgram, "a schedule")):
		return newSchedules(w)
	case orders:
		return newOrdersScenario(w)
	}
	return newRandomScenario(w)
}

func newRandomScenario(w *world.World) *Random {
	keeps := w.Keeps(w.Choices.At(choice.OfProgram, "keeps"))
	wants := program.Wants{Limited: w.Limited(), Queues: w.NamesQueues(), Lasting: keeps > 0, Parents: w.RedrivesMuch(), Updates: w.Updated()}
	s := &Random{keeps: keeps, Programs: program.Draw(&w.Choices, wants), sent: map[string]string{}, ended: map[string]bool{}}
	for _, p := range s.Programs {
		if p.Updates != nil {
			p.Updates.Moody = func() bool { return w.Clock.Now().UnixMilli()%2 == 0 }
		}
	}
	for i := range 1 + w.Choices.IntN(w.Choices.At(choice.OfProgram, "roots"), 3) {
		r := root{instance: fmt.Sprintf("root%d", i), program: s.Programs[0]}
		if w.Choices.OneIn(w.Choices.At(w.Choices.At(choice.OfProgram, r.instance), "odd"), 8) {
			r.instance = fmt.Sprintf("root%d ü", i) // SQS does not accept it as a group.
		}
		switch w.Choices.IntN(w.Choices.At(choice.OfProgram, r.instance), 12) {
		case 9:
			r.terminated = true
		case 10, 11:
			r.cancelled = true
		}
		s.roots = append(s.roots, r)
	}
	if limits, near := w.NearLimits(); near {
		s.Programs.NearLimits(limits.Payload, limits.Text)
	}
	if !w.Choices.OneIn(w.Choices.At(choice.OfProgram, "no bound"), 16) {
		s.Programs.Bound(len(s.roots))
	}
	return s
}

func (s *Random) Size() string {
	n := 0
	for _, p := range s.Programs {
		n += program.CountStatements(p.Body)
	}
	return world.Plural(n, "statement")
}

// String implements scenario.
func (s *Random) String() string {
	text := ""
	for _, p := range s.Programs {
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
	if s.limits != nil {
		text += s.limits.String()
	}
	return text
}

func (s *Random) build(name string, d program.Defect) *world.Build {
	var all []engine.Orchestration
	has := map[string][]string{}
	for _, p := range s.Programs {
		own := s.Programs.Registered(p, d)
		if d.Kind == "" { // The others are older builds.
			for i := range own {
				own[i].KeepExecutions = s.keeps
			}
		}
		all = append(all, own...)
		if p.Versions != nil {
			has[p.Name] = d.VersionsOf(p)
		}
	}
	all = append(all, program.Companions()...)
	if s.limits != nil {
		all = append(all, s.coordinator(d))
	}
	r, err := engine.NewRegistry(all...)
	if err != nil {
		panic(err)
	}
	b := &world.Build{Name: name, Orchestrations: r}
	if len(has) > 0 {
		note(&s.registered, b, has)
	}
	return b
}

func (s *Random) Working() *world.Build { return s.build("working", program.Defect{}) }

func (s *Random) Broken(w *world.World) *world.Build {
	d := program.Defect{Kind: program.DefectKinds[w.Choices.IntN(w.How(fault.Deployed), len(program.DefectKinds))], At: 1 + w.Choices.IntN(w.How(fault.Deployed), 5),
		Kill: func() { w.Executing.Die("its code kills it") }, Recorded: func(info engine.Info, id, round int) bool { return hasRecorded(w, info, id, round) }, Violate: func(rule, text string) { w.Violate(rule, "%s", text) }}
	if d.Kind == "missing" {
		s.missing(w, &d) // Decides which one, starting from the last.
	}
	if s.coordinatorBroken(w) {
		d = program.Defect{Kind: "gate"}
	}
	return s.build(fmt.Sprintf("broken%d (%s at %d)", w.Bad, d.Kind, d.At), d)
}

func (s *Random) registry(p *world.Process) *activities.Registry {
	r, err := activities.NewRegistry(activities.Activity{Name: "work", Source: "simulation", Func: func(ctx context.Context, input []byte) ([]byte, error) { return s.work(ctx, p, input) }, Final: isFinal},
		activities.Activity{Name: "intruder", Source: "simulation", Func: func(context.Context, []byte) ([]byte, error) {
			p.W.Violate("rule 11", "an activity runs that code scheduled which then panicked")
			return nil, nil
		}})
	if err != nil {
		panic(err)
	}
	return r
}

func (s *Random) Activities(p *world.Process) *activities.Registry { return s.registry(p) }
func (s *Random) Inline(p *world.Process) *activities.Registry     { return s.registry(p) }

// Start implements scenario.
func (s *Random) Start(w *world.World) {
	s.deployOlder(w)
	s.deployUnreleased(w)
	s.deployStrict(w)
	s.deployLenient(w)
	s.deployForgetful(w)
	s.prunes(w)
	s.redrives(w)
	w.ClosesLimits("one", "two")
	w.SetsRates("slow", "quick")
	if s.limits != nil {
		s.limits.starts(w)
	}
	if w.Build == w.Good && w.Choices.OneIn(w.Choices.At(choice.OfWorld, "broken build"), 8) {
		w.DeployBroken()
	}
	for i := range s.roots {
		r := &s.roots[i]
		client := w.Choices.At(choice.OfClient, r.instance)
		at := time.Duration(0)
		if w.Choices.OneIn(client, 3) {
			at = time.Duration(w.Choices.IntN(client, 20*60)) * time.Second
		}
		start := wire.Item{Kind: wire.StartOrchestration, Instance: r.instance, Name: r.program.Name, Input: []byte(`{}`), ID: "start-" + r.instance}
		s.near(w, &start)
		start.OrchVersion = s.asks(w, &start, r.program)
		s.limited(&start)
		if w.Choices.OneIn(client, 4) {
			payload := s.payload(0)
			start.Events = []wire.StartEvent{{ID: "first", Name: program.EventName(0), Data: []byte(`"` + payload + `"`)}}
		}
		if more := w.Choices.At(client, "more events"); r.program.IsLoop() && w.Choices.Even(more) {
			// One invocation runs several executions.
			for i := range 2 + w.Choices.IntN(more, 3) {
				start.Events = append(start.Events, wire.StartEvent{ID: fmt.Sprintf("more-%d", i), Name: program.EventName(0), Data: []byte(`"` + s.payload(0) + `"`)})
			}
		}
		if wrong := w.Choices.At(client, "wrong"); w.Choices.OneIn(wrong, 4) {
			start.Events = append([]wire.StartEvent{{ID: "wrong", Name: program.EventName(0), Data: s.wrongData(0)}}, start.Events...)
		}
		s.later(w, &start, at)
		w.Clock.AfterFunc(at, func() { w.SendItem(start) })
		if w.Choices.OneIn(client, 4) {
			w.Clock.AfterFunc(at+time.Duration(w.Choices.IntN(client, 7200))*time.Second, func() { w.SendItem(start) })
		}
		if w.Choices.OneIn(client, 4) {
			other := start
			other.ID, other.OrchVersion, other.Events = "other", "", nil
			w.Clock.AfterFunc(at+time.Duration(1+w.Choices.IntN(client, 7200))*time.Second, func() { w.SendItem(other) })
		}
		s.raise(w, r.instance, r.program)
		s.update(w, r.instance, r.program, at)
		s.replace(w, r, at)
		s.tooOld(w, r.instance)
		w.Clock.AfterFunc(at, func() { s.forks(w, r.instance, r.program.Name) })
		stop := time.Duration(w.Choices.IntN(w.Choices.At(client, "stop"), 2*3600)) * time.Second
		if ahead, starts := w.StartsAhead(w.Choices.At(client, "ahead of its end")); starts && (r.cancelled || r.terminated) {
			w.Clock.AfterFunc(max(at+stop-ahead, 0), func() { s.restart(w, r) })
		}
		if r.cancelled {
			w.Clock.AfterFunc(at+stop, func() {
				w.SendItem(wire.Item{Kind: wire.CancelInstance, Instance: r.instance, ID: "cancel", Reason: "enough"})
			})
		}
		if r.terminated {
			w.Clock.AfterFunc(at+stop, func() {
				w.SendItem(wire.Item{Kind: wire.TerminateInstance, Instance: r.instance, ID: "terminate", Reason: "at once"})
			})
		}
	}
}

// note writes into a map that is created on first use, because most invocations need few of
// theirs.
func note[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}
