package engine_test

import (
	"fmt"
	"iter"
	"strconv"
	"strings"

	"pgregory.net/rapid"
)

// Random programs: small trees of statements, interpreted against an interface that both
// the engine's Context and the reference model implement. The interpreter writes down the
// result of every durable call.

// stmtKind is the kind of a statement.
type stmtKind int

const (
	stActivity stmtKind = iota
	stInline
	stTimer
	stEvent
	stChild
	stDetach
	stNow
	stGUID
	stSideEffect
	stTrace
	stInfo
	stErr
	stAwait
	stSelect
	stJoin
	stSettle
	stAny
	stAsCompleted
	stGo
	stCancelFuture
	stWithCancel
	stCancelScope
	stShield
	stIf
	stLoop
	stReturn
	stFail
	stPass
	stContinueAsNew
	stStatus
	stLog
	stDefer
	stRecovered
	stNested
	stRace
	stPatched
	stRetired
	stRaise
	stCancelOther
	stWithTimeout
	stSearch
	stUntil
	stTry
	stReady
	stKindEnd
)

var stmtNames = [stKindEnd]string{"activity", "inline", "timer", "event", "child", "detach", "now", "guid", "side effect", "trace",
	"info", "err", "await", "select", "join", "settle", "any", "as completed", "go", "cancel future", "with cancel",
	"cancel scope", "shield", "if", "loop", "return", "fail", "pass", "continue as new", "status", "log", "defer", "recovered",
	"nested", "race", "patched", "patch retired", "raise", "cancel other", "with timeout", "search attribute", "until", "try", "ready"}

type stmt struct {
	kind  stmtKind
	id    int // position in the program
	n     int // a name, a duration, a limit, a count
	ctx   int // 0: the branch's own context; otherwise one from the table
	flag  bool
	picks []int // futures, counted from the newest
	body  []*stmt
	other []*stmt
}

// rejectable returns an error if a rejecting wait of a random program does not accept
// data; it accepts most data.
func rejectable(data string) error {
	if n, err := strconv.Atoi(data); err == nil && n%3 == 0 {
		return fmt.Errorf("%d is a multiple of three", n)
	}
	return nil
}

type program struct {
	main []*stmt
	size int
}

// programOptions exclude statements that a property cannot use.
type programOptions struct {
	inline, continueAsNew, ends bool
}

var everything = programOptions{inline: true, continueAsNew: true, ends: true}

// weights of the kinds: each entry is one share.
func statementShares(o programOptions, inMain bool) []stmtKind {
	shares := map[stmtKind]int{
		stActivity: 10, stTimer: 4, stEvent: 6, stChild: 3, stDetach: 1, stNow: 1, stGUID: 1, stSideEffect: 1,
		stTrace: 1, stInfo: 2, stErr: 1, stAwait: 12, stSelect: 7, stJoin: 3, stSettle: 2, stAny: 3, stAsCompleted: 3,
		stGo: 7, stCancelFuture: 2, stWithCancel: 3, stCancelScope: 2, stShield: 2, stIf: 4, stLoop: 3,
		stStatus: 1, stLog: 1, stDefer: 1, stRecovered: 1, stNested: 1, stRace: 4,
		stPatched: 2, stRetired: 1, stRaise: 1, stCancelOther: 1, stWithTimeout: 3, stSearch: 1, stUntil: 2, stTry: 4, stReady: 2,
	}
	if o.inline {
		shares[stInline] = 3
	}
	if o.ends {
		shares[stReturn], shares[stFail], shares[stPass] = 1, 1, 1
	}
	if o.continueAsNew && inMain {
		shares[stContinueAsNew] = 2
	}
	var list []stmtKind
	for left := true; left; {
		left = false
		for k := range stKindEnd {
			if shares[k] > 0 {
				shares[k]--
				list, left = append(list, k), true
			}
		}
	}
	return list
}

func drawProgram(t *rapid.T, o programOptions) *program {
	p := &program{}
	p.main = p.drawBlock(t, o, 0, true)
	if rapid.Bool().Draw(t, "goes on") {
		// Most random programs end early; these wait for more events.
		p.main = append(p.main, &stmt{kind: stLoop, id: 900, n: 3, body: []*stmt{
			{kind: stEvent, id: 901, n: 1},
			{kind: stAwait, id: 902, picks: []int{0}},
			p.drawStmt(t, o, 1, true),
		}})
	}
	return p
}

const maxStatements = 45

func (p *program) drawBlock(t *rapid.T, o programOptions, depth int, inMain bool) []*stmt {
	n := rapid.IntRange(1, 12-4*depth).Draw(t, "statements")
	var block []*stmt
	for i := 0; i < n && p.size < maxStatements; i++ {
		block = append(block, p.drawStmt(t, o, depth, inMain))
	}
	return block
}

func (p *program) drawStmt(t *rapid.T, o programOptions, depth int, inMain bool) *stmt {
	// Two draws, because a single draw prefers the first.
	list := statementShares(o, inMain)
	kind := list[(rapid.IntRange(0, 15).Draw(t, "kinds")+16*rapid.IntRange(0, 15).Draw(t, "kind"))*len(list)/256]
	p.size++
	s := &stmt{kind: kind, id: p.size}
	s.n = rapid.IntRange(0, 3).Draw(t, "n")
	if rapid.IntRange(0, 3).Draw(t, "foreign context") == 0 {
		s.ctx = rapid.IntRange(1, 4).Draw(t, "context")
	}
	deep := depth >= 2
	switch kind {
	case stSelect, stSideEffect, stEvent, stTry:
		s.flag = rapid.Bool().Draw(t, "flag")
	case stAsCompleted:
		s.flag = rapid.Bool().Draw(t, "flag")
		if !deep {
			s.body = p.drawBlock(t, o, depth+1, inMain)
		}
	case stGo, stDefer, stRecovered, stLoop:
		if deep {
			s.body = []*stmt{{kind: stActivity, id: 1000 + p.size}, {kind: stAwait, id: 2000 + p.size, picks: []int{0}}}
		} else {
			s.body = p.drawBlock(t, o, depth+1, inMain && kind == stLoop)
		}
	case stIf, stPatched:
		if !deep {
			s.body = p.drawBlock(t, o, depth+1, inMain)
			s.other = p.drawBlock(t, o, depth+1, inMain)
		}
	}
	switch kind {
	case stAwait, stCancelFuture, stReady:
		s.picks = []int{rapid.IntRange(0, 4).Draw(t, "future")}
	case stSelect, stJoin, stSettle, stAny, stAsCompleted:
		s.picks = rapid.SliceOfN(rapid.IntRange(0, 5), 0, 4).Draw(t, "futures")
	}
	return s
}

func (p *program) String() string {
	var b strings.Builder
	writeBlock(&b, p.main, "\n  ")
	return b.String()
}

func writeBlock(b *strings.Builder, block []*stmt, indent string) {
	for _, s := range block {
		fmt.Fprintf(b, "%s#%d %s n=%d", indent, s.id, stmtNames[s.kind], s.n)
		if s.ctx != 0 {
			fmt.Fprintf(b, " ctx=%d", s.ctx)
		}
		if s.flag {
			b.WriteString(" flag")
		}
		if len(s.picks) > 0 {
			fmt.Fprintf(b, " %v", s.picks)
		}
		if len(s.body) > 0 {
			writeBlock(b, s.body, indent+"  ")
		}
		if len(s.other) > 0 {
			b.WriteString(indent + "else")
			writeBlock(b, s.other, indent+"  ")
		}
	}
}

// programError is an error as the program sees it. class names its type in words, and
// kind is the failure kind of an orchestration that returns it. scope is the kind of the
// first cancellation in it, of a scope or an operation; cancelled says that something in
// it counts as cancelled.
type programError struct {
	class     string
	kind      string
	scope     string
	cancelled bool
	cause     error
}

func (e *programError) Error() string { return e.class }
func (e *programError) Unwrap() error { return e.cause }

const unwindingClass = "unwinding"

type programOutcome struct {
	value string
	err   *programError
}

func (o programOutcome) String() string {
	if o.err != nil {
		return "!" + o.err.class
	}
	return o.value
}

// programContext is the part of a Context that the interpreter uses.
type programContext interface {
	start(s *stmt) programFuture
	// kept reports whether an event is available that the wait of s would take at once.
	kept(s *stmt) (bool, *programError)
	detach(name string) (string, *programError)
	now() (string, *programError)
	guid() (string, *programError)
	sideEffect(name string, value string, fails bool) (string, *programError)
	nested() (string, *programError)
	trace(message string) *programError
	historyLength() int64
	err() *programError
	branch(fn func(programContext) (string, *programError)) programFuture
	withCancel() (programContext, func(reason string))
	// withTimeout is withCancel with a timeout in seconds.
	withTimeout(seconds int) (programContext, func(reason string))
	shield() programContext
	patched(id string) (bool, *programError)
	patchRetired(id string) *programError
	raise(instance, value string) *programError
	cancelInstance(instance, reason string) *programError
	// search sets an attribute to a number, or removes it if the number is 0.
	search(name string, n int) *programError
	await(f programFuture) (string, *programError)
	selectOf(keep bool, fs []programFuture) (int, *programError)
	join(fs []programFuture) ([]string, *programError)
	settle(fs []programFuture) ([]programOutcome, *programError)
	anyOf(fs []programFuture) (int, string, *programError)
	asCompleted(fs []programFuture) iter.Seq2[int, programOutcome]
	status(value string)
	log(line string)
	continueAsNew(input string) *programError
}

type programFuture interface {
	eventID() int64
	ready() bool
	cancel(reason string)
	instance() string
}

// programRun is one run of a program from its beginning.
type programRun struct {
	p     *program
	input string
	lines []string // what the program saw

	futures  []programFuture
	contexts []programContext
	cancels  []func(string)
	guids    map[string]int

	steps int
	// panicAt makes the step with this number panic; 0 means never.
	panicAt int
	// blind hides from the program everything that depends on event ids, and on what was
	// recorded before its code ran.
	blind bool
	// broken collects violations of rules that hold for every history.
	broken []string
}

func newProgramRun(p *program) *programRun {
	return &programRun{p: p, guids: map[string]int{}}
}

const maxSteps = 400

// frame is one function of the program.
type frame struct {
	ctx    programContext
	last   string
	value  string
	err    *programError
	failed *programError // last error seen
	main   bool
}

// flow is how a block ended.
type flow int

const (
	flowOn flow = iota
	flowReturn
	flowBreak
)

func (r *programRun) mainFunc(ctx programContext, input string) (value string, err *programError) {
	r.input = input
	r.contexts = append(r.contexts, ctx)
	return r.function(ctx, r.p.main, true)
}

func (r *programRun) function(ctx programContext, block []*stmt, main bool) (string, *programError) {
	f := &frame{ctx: ctx, last: r.input, main: main}
	r.block(f, block)
	if f.value == "" && f.err == nil {
		f.value = fmt.Sprintf("%q", "end "+f.last)
	}
	return f.value, f.err
}

func (r *programRun) say(s *stmt, format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf("#%d %s: ", s.id, stmtNames[s.kind])+fmt.Sprintf(format, args...))
}

func (r *programRun) result(f *frame, s *stmt, value string, err *programError) {
	if err != nil {
		if err.class == unwindingClass {
			r.broken = append(r.broken, fmt.Sprintf("#%d %s: unwinding error outside a deferred function", s.id, stmtNames[s.kind]))
		}
		r.say(s, "error %s", err.class)
		f.last, f.failed = err.class, err
		return
	}
	r.say(s, "%s", value)
	f.last = value
}

// picked returns the futures that a statement refers to, counted from the newest.
func (r *programRun) picked(s *stmt) []programFuture {
	var fs []programFuture
	for _, k := range s.picks {
		if n := len(r.futures); n > 0 {
			fs = append(fs, r.futures[n-1-k%n])
		}
	}
	return fs
}

func (r *programRun) block(f *frame, block []*stmt) flow {
	for _, s := range block {
		if r.steps++; r.steps > maxSteps {
			return flowReturn
		}
		if r.steps == r.panicAt {
			panic(fmt.Sprintf("step %d", r.steps))
		}
		if fl := r.statement(f, s); fl != flowOn {
			return fl
		}
		if s.kind == stDefer {
			// The rest of the block runs inside, so that the deferred function belongs to
			// this call.
			return r.deferred(f, s, block[indexOf(block, s)+1:])
		}
	}
	return flowOn
}

func indexOf(block []*stmt, s *stmt) int {
	for i := range block {
		if block[i] == s {
			return i
		}
	}
	return -1
}

func (r *programRun) deferred(f *frame, s *stmt, rest []*stmt) (fl flow) {
	normal := false
	defer func() {
		// During unwinding every durable call fails and records nothing. The deferred
		// function notices that and returns.
		if !normal {
			for range 3 {
				if _, err := f.ctx.now(); err == nil || err.class != unwindingClass {
					if r.panicAt == 0 {
						r.broken = append(r.broken, fmt.Sprintf("#%d defer: a durable call while unwinding returned %v", s.id, err))
					}
				}
			}
			return
		}
		r.block(f, s.body)
	}()
	fl = r.block(f, rest)
	normal = true
	return fl
}

func (r *programRun) statement(f *frame, s *stmt) flow {
	ctx := f.ctx
	if s.ctx > 0 {
		ctx = r.contexts[(s.ctx-1)%len(r.contexts)]
	}
	switch s.kind {
	case stActivity, stInline, stTimer, stUntil, stEvent, stChild:
		fu := ctx.start(s)
		r.futures = append(r.futures, fu)
		if !r.blind {
			r.say(s, "event %d, child %q", fu.eventID(), fu.instance())
			r.say(s, "ready %v", fu.ready())
		}
	case stTry:
		if r.blind {
			break
		}
		came, err := ctx.kept(s)
		r.result(f, s, fmt.Sprint(came), err)
		if came {
			fu := ctx.start(&stmt{kind: stEvent, n: s.n, flag: s.flag})
			r.say(s, "ready %v", fu.ready())
			v, err := ctx.await(fu)
			r.result(f, s, v, err)
		}
	case stReady:
		if fs := r.picked(s); len(fs) > 0 && !r.blind {
			r.say(s, "ready %v", fs[0].ready())
		}
	case stDetach:
		v, err := ctx.detach("D")
		if r.blind {
			v = "somewhere"
		}
		r.result(f, s, v, err)
	case stNow:
		v, err := ctx.now()
		r.result(f, s, v, err)
	case stGUID:
		v, err := ctx.guid()
		if _, ok := r.guids[v]; !ok {
			r.guids[v] = len(r.guids)
		}
		r.result(f, s, fmt.Sprint("guid ", r.guids[v]), err)
	case stSideEffect:
		v, err := ctx.sideEffect("dice", fmt.Sprint(s.n), s.flag)
		r.result(f, s, v, err)
	case stNested:
		v, err := ctx.nested()
		r.result(f, s, v, err)
	case stTrace:
		if err := ctx.trace(fmt.Sprint("trace ", s.n)); err != nil {
			r.result(f, s, "", err)
		}
	case stInfo:
		if !r.blind {
			r.say(s, "length %d", ctx.historyLength())
		}
	case stErr:
		r.say(s, "%v", programOutcome{"fine", ctx.err()})
	case stAwait:
		if fs := r.picked(s); len(fs) > 0 {
			v, err := ctx.await(fs[0])
			r.result(f, s, v, err)
		}
	case stRace:
		// The most common pattern: an activity or event with a timeout.
		kind := stActivity
		if s.n%2 == 1 {
			kind = stEvent
		}
		work := ctx.start(&stmt{kind: kind, n: s.n})
		timer := ctx.start(&stmt{kind: stTimer, n: 1})
		r.futures = append(r.futures, work, timer)
		i, err := ctx.selectOf(false, []programFuture{timer, work})
		if err != nil {
			r.result(f, s, "", err)
			break
		}
		v, err := ctx.await([]programFuture{timer, work}[i])
		r.result(f, s, fmt.Sprint(i, " ", v), err)
	case stSelect:
		i, err := ctx.selectOf(s.flag, r.picked(s))
		r.result(f, s, fmt.Sprint("winner ", i), err)
	case stJoin:
		vs, err := ctx.join(r.picked(s))
		r.result(f, s, fmt.Sprint(vs), err)
	case stSettle:
		os, err := ctx.settle(r.picked(s))
		r.result(f, s, fmt.Sprint(os), err)
	case stAny:
		i, v, err := ctx.anyOf(r.picked(s))
		r.result(f, s, fmt.Sprint(i, " ", v), err)
	case stAsCompleted:
		seen := 0
		fl := flowOn
		for i, o := range ctx.asCompleted(r.picked(s)) {
			r.say(s, "%d %v", i, o)
			if fl = r.block(f, s.body); fl != flowOn {
				break
			}
			if seen++; s.flag && seen > s.n {
				break
			}
		}
		if fl == flowReturn {
			return fl
		}
	case stGo:
		body := s.body
		fu := ctx.branch(func(ctx programContext) (string, *programError) {
			r.contexts = append(r.contexts, ctx)
			r.say(s, "runs")
			v, err := r.function(ctx, body, false)
			r.say(s, "ends %v", programOutcome{v, err})
			return v, err
		})
		r.futures = append(r.futures, fu)
	case stCancelFuture:
		if fs := r.picked(s); len(fs) > 0 {
			fs[0].cancel(fmt.Sprint("future ", s.n))
		}
	case stWithCancel:
		inner, cancel := ctx.withCancel()
		r.contexts, r.cancels = append(r.contexts, inner), append(r.cancels, cancel)
		if s.n == 0 {
			f.ctx = inner // the rest of the function runs in the new scope
		}
	case stWithTimeout:
		inner, cancel := ctx.withTimeout(s.n)
		r.contexts, r.cancels = append(r.contexts, inner), append(r.cancels, cancel)
		if s.n%2 == 0 {
			f.ctx = inner
		}
	case stPatched:
		has, err := ctx.patched(fmt.Sprint("p", s.n%2))
		r.result(f, s, fmt.Sprint(has), err)
		if has {
			return r.block(f, s.body)
		}
		return r.block(f, s.other)
	case stRetired:
		if err := ctx.patchRetired(fmt.Sprint("p", s.n%2)); err != nil {
			r.result(f, s, "", err)
		}
	case stRaise:
		r.result(f, s, "raised", ctx.raise(fmt.Sprint("other", s.n%2), fmt.Sprint(s.n)))
	case stCancelOther:
		r.result(f, s, "asked", ctx.cancelInstance("other", fmt.Sprint("reason ", s.n)))
	case stSearch:
		r.result(f, s, "set", ctx.search(fmt.Sprint("a", s.id%2), s.n))
	case stCancelScope:
		if n := len(r.cancels); n > 0 {
			r.cancels[n-1-s.n%n](fmt.Sprint("scope ", s.n))
		}
	case stShield:
		inner := ctx.shield()
		r.contexts = append(r.contexts, inner)
		if s.n == 0 {
			f.ctx = inner
		}
	case stIf:
		sum := 0
		for _, c := range []byte(f.last) {
			sum += int(c)
		}
		if sum%2 == 0 {
			return r.block(f, s.body)
		}
		return r.block(f, s.other)
	case stLoop:
		for range s.n + 1 {
			if fl := r.block(f, s.body); fl == flowReturn {
				return fl
			}
		}
	case stReturn:
		if s.n == 0 {
			return flowBreak
		}
		f.value = fmt.Sprintf("%q", "returned "+f.last)
		return flowReturn
	case stFail:
		f.err = &programError{class: "failed on purpose", kind: "application"}
		return flowReturn
	case stPass:
		if f.failed != nil {
			f.err = f.failed
			return flowReturn
		}
	case stContinueAsNew:
		if f.main && len(r.input) < 3 {
			f.err = ctx.continueAsNew(r.input + "0")
			return flowReturn
		}
	case stStatus:
		ctx.status(fmt.Sprint(s.n))
	case stLog:
		ctx.log(fmt.Sprint("line of #", s.id))
	case stRecovered:
		func() {
			defer func() {
				if v := recover(); v != nil && v != "recover me" {
					panic(v)
				}
			}()
			r.block(f, s.body)
			panic("recover me")
		}()
	}
	return flowOn
}
