package world

import (
	"bytes"
	"fmt"
	"hash/fnv"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// rejects returns why a queue permanently refuses a message, in a run with that bias; nil if it accepts it. The
// final dead-letter queues accept everything that another queue has accepted: the host ensures that the reason fits
// beside the body. index is the message's position in its Send. The answer depends only on the content of the
// message, so that it is the same on each send. Failures, timers, and messages that nothing waits for are accepted.
func (w *World) rejects(to *Queue, m *queue.Outgoing, index int) error {
	if !w.has(rejections) || to == w.DeadFIFO || to == w.DeadStandard {
		return nil
	}
	i, err := wire.Parse(wire.Unwrap([]byte(m.Body)))
	if err != nil {
		return nil
	}
	says, one := "", uint32(6) // one in this many is rejected
	var activity store.ActivityKey
	switch {
	case i.Kind == wire.ActivityExecute:
		activity = store.ActivityKey{Instance: i.Instance, ExecutionID: i.ExecutionID, EventID: i.SchedulingEventID}
		says = fmt.Sprint(i.Kind, i.Instance, i.ExecutionID, i.SchedulingEventID, i.Attempt)
	case i.Kind == wire.ActivityCompleted:
		activity = store.ActivityKey{Instance: i.Instance, ExecutionID: i.ExecutionID, EventID: i.SourceEventID}
		says = fmt.Sprint(i.Kind, i.Instance, i.ExecutionID, i.SourceEventID)
	case i.Kind == wire.StartOrchestration && i.Parent != nil && i.Hops == 0:
		says = fmt.Sprint(i.Kind, i.Parent.Instance, i.Parent.ExecutionID, i.Parent.EventID)
	case i.Kind == wire.SubOrchCompleted:
		one = 3
		says = fmt.Sprint(i.Kind, i.ParentInstance, i.ParentExecutionID, i.SourceEventID)
	default:
		return nil
	}
	if hashOf(says)%one != 0 {
		return nil
	}
	w.Reached("rejected " + string(i.Kind))
	w.Rejected = true
	note(&w.tooLarge, activity, true)
	return &queue.RejectedError{Index: index, TooLarge: true, Code: "InvalidParameterValue", Message: "Message must be shorter than it is (simulated)"}
}

// Rejects reports whether the queues reject some messages that are within all limits.
func (w *World) Rejects() bool { return w.has(rejections) }

func hashOf(text string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(text))
	return h.Sum32()
}

// mostResult is the longest result of an activity, in bytes, in a run with that bias. It is low, so that a result
// near the limit costs a run nothing.
const mostResult = 300

// resultMark separates the text of a result from the part that makes it unique.
const resultMark = '#'

// Sized returns the result of an activity, a JSON text with a unique suffix after a resultMark. In a run with that
// bias, or near limits, some results are exactly as long as the limit, and some one byte longer: large. All
// attempts of an activity have the same length.
func (w *World) Sized(key store.ActivityKey, result []byte) (sized []byte, large bool) {
	length := w.Settings.Limits.Result
	if length == 0 {
		return result, false
	}
	switch hashOf(fmt.Sprint("result", key)) % 8 {
	case 0, 1:
	case 2:
		length++
		large, w.Rejected = true, true
		note(&w.tooLarge, key, true)
	default:
		return result, false
	}
	text := result[:len(result)-1]
	if !bytes.ContainsRune(text, resultMark) {
		text = append(text, resultMark)
	}
	return append(append(text, bytes.Repeat([]byte("."), length-len(text)-1)...), '"'), large
}

// IsTooLarge reports whether an activity, or its result, was larger than the host or a queue accepts.
func (w *World) IsTooLarge(key store.ActivityKey) bool { return w.tooLarge[key] }
