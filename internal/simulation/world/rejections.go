package world

import (
	"fmt"
	"hash/fnv"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// rejects returns why a queue takes a message at no time, in a run with that bias; nil if it
// takes it. The final dead-letter queues take all that another queue has taken: the host sees to
// it that the reason fits beside the body. The index is the message's place in its Send. The
// answer depends on what the message says and on nothing else, so that it is the same each time
// that the message is sent. Failures, timers, and messages that nobody waits for, are taken.
func (w *World) rejects(to *Queue, m *queue.Outgoing, index int) error {
	if !w.has(rejections) || to == w.DeadFIFO || to == w.DeadStandard {
		return nil
	}
	i, err := wire.Parse(wire.Unwrap([]byte(m.Body)))
	if err != nil {
		return nil
	}
	says, one := "", uint32(6) // of so many is rejected
	switch {
	case i.Kind == wire.ActivityExecute:
		says = fmt.Sprint(i.Kind, i.Instance, i.ExecutionID, i.SchedulingEventID, i.Attempt)
	case i.Kind == wire.ActivityCompleted:
		says = fmt.Sprint(i.Kind, i.Instance, i.ExecutionID, i.SourceEventID)
	case i.Kind == wire.StartOrchestration && i.Parent != nil && i.Hops == 0:
		says = fmt.Sprint(i.Kind, i.Parent.Instance, i.Parent.ExecutionID, i.Parent.EventID)
	case i.Kind == wire.SubOrchCompleted:
		one = 3
		says = fmt.Sprint(i.Kind, i.ParentInstance, i.ParentExecutionID, i.SourceEventID)
	default:
		return nil
	}
	h := fnv.New32a()
	h.Write([]byte(says))
	if h.Sum32()%one != 0 {
		return nil
	}
	w.Reached("rejected " + string(i.Kind))
	w.Rejected = true
	return &queue.RejectedError{Index: index, TooLarge: true, Code: "InvalidParameterValue", Message: "Message must be shorter than it is (simulated)"}
}
