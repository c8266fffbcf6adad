package program

import (
	"fmt"
	"strings"
	"time"
)

// String formats a program as the code that it stands for. A variable has the number of its
// statement, as in the transcript.
func (p *Program) String() string {
	var t strings.Builder
	fmt.Fprintf(&t, "func %s(ctx) {\n", p.title())
	if p.Strict {
		t.WriteString("\t// in strict mode\n")
	}
	indent := "\t"
	t.WriteString(p.Updates.code())
	if p.Catches {
		t.WriteString(indent + "defer ifCancelled(func() { await(activity(999)) }) // and complete with what there is\n")
	}
	if p.Rounds > 1 {
		fmt.Fprintf(&t, "%sfor range %d { // each round is an execution, continued as new\n", indent, p.Rounds)
		writeBlock(&t, p.Body, indent+"\t")
		t.WriteString(indent + "}\n")
	} else {
		writeBlock(&t, p.Body, indent)
	}
	switch {
	case p.Fails:
		t.WriteString(indent + "return error\n")
	default:
		t.WriteString(indent + "return transcript\n")
	}
	t.WriteString("}\n")
	return t.String()
}

func writeBlock(t *strings.Builder, b []*Statement, indent string) {
	for _, s := range b {
		code := s.code()
		if s.Kind == kBranches {
			code = "join(\n"
			for _, branch := range s.Branches {
				var inner strings.Builder
				writeBlock(&inner, branch, indent+"\t\t")
				code += indent + "\tgo func() {\n" + inner.String() + indent + "\t},\n"
			}
			code += indent + ")"
		}
		fmt.Fprintf(t, "%sv%d := %s\n", indent, s.ID, code)
	}
}

// activityCode formats one activity of a statement.
func (s *Statement) activityCode(fn string) string {
	args := fmt.Sprint(s.ID)
	if s.Fails > 0 {
		args += fmt.Sprintf(", fails %s", times(s.Fails))
	}
	if d := s.doing(); d != doesPlainly {
		args += fmt.Sprintf(", %q", string(d))
	}
	if s.Attempts > 1 {
		args += fmt.Sprintf(", %d attempts", s.Attempts)
	}
	return fn + "(" + args + s.underLimits() + s.inQueue() + ")"
}

// several formats the activities of a statement. The first of those that may fail does not.
func (s *Statement) several() string {
	if s.N == 0 {
		return s.firstOf().activityCode("activity")
	}
	text := s.activityCode("activity")
	if s.N > 1 {
		text += fmt.Sprintf(" ×%d", s.N)
	}
	return s.firstOf().activityCode("activity") + ", " + text
}

func (s *Statement) firstOf() *Statement {
	first := *s
	if s.Kind != kJoin {
		first.Fails = 0
	}
	return &first
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// code formats a statement other than branches.
func (s *Statement) code() string {
	activity, timer, event := s.activityCode("activity"), fmt.Sprintf("timer(%s)", s.Duration), fmt.Sprintf("event(%q)", EventName(s.N))
	if s.Rejects {
		event = fmt.Sprintf("rejectingEvent(%q)", EventName(s.N))
	}
	child := fmt.Sprintf("child(P%d%s)", s.N, s.atVersion())
	switch s.Kind {
	case kAct:
		return "await(" + activity + ")"
	case kInline:
		return s.drawsCode() + "await(" + s.activityCode("inlineActivity") + ")"
	case kTimer:
		return "await(" + timer + ")"
	case kUntil:
		return fmt.Sprintf("t := now() + %s; await(%s); await(timerAt(t))", s.Duration, activity)
	case kEvent:
		return "await(" + event + ")"
	case kEventOr:
		return "race(" + timer + ", " + event + ")"
	case kRace:
		return "race(" + timer + ", " + activity + ")"
	case kLosers:
		return fmt.Sprintf("select(%s, timer(3h), %s, %s) // given in another order: %d", activity, activity, timer, s.N)
	case kWithin:
		return "race(" + timer + ", " + child + ")"
	case kKeep:
		return "selectKeepingLosers(" + timer + ", " + activity + ") // then await both"
	case kJoin:
		return "join(" + s.several() + ")"
	case kSettle:
		return "settle(" + s.several() + ")"
	case kAny:
		return "any(" + s.several() + ")"
	case kCompleted:
		return "asCompleted(" + s.several() + ")"
	case kChild:
		return "await(" + child + ")"
	case kDetach:
		return fmt.Sprintf("detach(P%d%s)", s.N, s.atVersion())
	case kSystem:
		return [...]string{"now()", "guid()", "sideEffect(draw)"}[s.N]
	case kStatus:
		return "setCustomStatus()"
	case kScope:
		return "await(" + activity + ") in a scope " + []string{"", "with child(waits) ", "with child(waits) "}[s.Way] +
			[]string{"that", "that", "each operation of which"}[s.Way] + " is cancelled behind await(" + timer + ")"
	case kOpen:
		return "start(" + activity + ", " + timer + ") // nobody awaits them"
	case kWaits:
		return fmt.Sprintf("a, b, c := %s ×3; wait %d is cancelled; await the other two", event, 1+s.Attempts%2)
	case kPolicy, kOnce, kDeadly:
		return "await(" + activity + ") // " + s.limits()
	case kPending:
		return "await(" + activity + ") // a client has its token; " + s.limits()
	case kBeat:
		return fmt.Sprintf("race(timer(%s), %s) // %s", s.Duration+time.Second, activity, s.limits())
	case kSteps:
		return s.drawsCode() + fmt.Sprintf("%d × await(%s), one behind the other // in batches of %d", s.N+2, s.activityCode("inlineActivity"), s.Attempts)
	case kTimeout:
		child := ""
		if s.N == 2 {
			child = ", child(waits)"
		}
		return fmt.Sprintf("await(%s) in a scope with a timeout of %s, which has timer(3h), event(never)%s too", activity, s.Duration, child)
	case kWithdrawn:
		return fmt.Sprintf("%s(event(never), %s, event(never)) in a scope that is cancelled %s, after %s", s.wayToWait(), activity, waysToCancel[s.N], s.Duration)
	case kLeft:
		if s.Lasts {
			return "start(child(lasts)) // which is left, and lasts for weeks"
		}
		return "start(child(waits)) // which ends with its parent: " + []string{"cancelled", "terminated", "cancelled"}[s.N]
	case KindPatched:
		return "patched ? await(activity 1) : await(activity 0)"
	case kTell:
		return "detach(listens), and raise an event for it" + s.wrongFirst()
	case kCall:
		return "detach(answers), await its event" + s.wrongFirst() + ", and cancel it"
	case kLook:
		return fmt.Sprintf("%d × if %s has come, take it // with await(%s) in between", looks, event, s.activityCode("activity"))
	case kHold:
		return fmt.Sprintf("e := %s; up to %d × { selectKeepingLosers(%s, e); await(%s) } in a scope that is cancelled then", event, looks, timer, s.activityCode("activity"))
	case kSaga:
		return fmt.Sprintf("saga(%d steps, the last of them %s) // what was done is undone, the last first, if one fails or it is cancelled", s.N+1, s.activityCode("activity"))
	case kShare:
		child := fmt.Sprintf("child(shared, %s, or the one that is there)", sharedName(s.N))
		if s.Fails > 0 {
			return fmt.Sprintf("race(timer(%s), %s)", s.Duration, child)
		}
		return "await(" + child + ")"
	}
	return "unknown"
}

// wrongFirst says that data which cannot be decoded is sent first.
func (s *Statement) wrongFirst() string {
	if s.Rejects {
		return " behind one with data that does not decode, which is rejected"
	}
	return ""
}

// limits describes the limits of the statement's activities.
func (s *Statement) limits() string {
	r := s.policy()
	switch {
	case r == nil:
		return "no time limit"
	case r.AtMostOnce:
		return "at most once"
	}
	return fmt.Sprintf("heartbeat timeout %dms, for all attempts %dms", r.HeartbeatTimeoutMS, r.TotalTimeoutMS)
}

// drawsCode formats what precedes an inline activity whose input is random.
func (s *Statement) drawsCode() string {
	if s.Way != drawn {
		return ""
	}
	return "with the input guid(), "
}
