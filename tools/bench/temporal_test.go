package bench

import (
	"fmt"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

func temporalOptions(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
}

func temporalChain[P counted](ctx workflow.Context, in P) (int, error) {
	ctx = temporalOptions(ctx)
	for range steps {
		if err := workflow.ExecuteActivity(ctx, "Step", in).Get(ctx, &in); err != nil {
			return 0, err
		}
	}
	return in.count(), nil
}

func temporalFanOut[P counted](ctx workflow.Context, in P) (int, error) {
	ctx = temporalOptions(ctx)
	fs := make([]workflow.Future, steps)
	for i := range fs {
		fs[i] = workflow.ExecuteActivity(ctx, "Step", in)
	}
	for _, f := range fs {
		var out P
		if err := f.Get(ctx, &out); err != nil {
			return 0, err
		}
	}
	return len(fs), nil
}

func temporalRaces[P counted](ctx workflow.Context, in P) (int, error) {
	ctx = temporalOptions(ctx)
	for range rounds {
		timerCtx, cancel := workflow.WithCancel(ctx)
		work, timeout := workflow.ExecuteActivity(ctx, "Step", in), workflow.NewTimer(timerCtx, time.Minute)
		s := workflow.NewSelector(ctx)
		var err error
		s.AddFuture(work, func(f workflow.Future) { err = f.Get(ctx, &in) })
		s.AddFuture(timeout, func(workflow.Future) { err = fmt.Errorf("timed out") })
		s.Select(ctx)
		cancel()
		if err != nil {
			return 0, err
		}
	}
	return in.count(), nil
}

// temporalHistory writes the histories that a Temporal server records.
type temporalHistory struct {
	events []*historypb.HistoryEvent
	at     time.Time
	task   int64 // the workflow task that made the last commands
}

func (h *temporalHistory) add(kind enumspb.EventType, set func(e *historypb.HistoryEvent)) int64 {
	e := &historypb.HistoryEvent{EventId: int64(len(h.events) + 1), EventType: kind, EventTime: timestamppb.New(h.at)}
	set(e)
	h.events = append(h.events, e)
	return e.EventId
}

func (h *temporalHistory) start(name string, in *commonpb.Payloads) {
	h.at = time.UnixMilli(1_700_000_000_000)
	h.add(enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED, func(e *historypb.HistoryEvent) {
		e.Attributes = &historypb.HistoryEvent_WorkflowExecutionStartedEventAttributes{WorkflowExecutionStartedEventAttributes: &historypb.WorkflowExecutionStartedEventAttributes{
			WorkflowType: &commonpb.WorkflowType{Name: name}, TaskQueue: &taskqueuepb.TaskQueue{Name: "bench"}, Input: in,
			OriginalExecutionRunId: "run", FirstExecutionRunId: "run",
			WorkflowTaskTimeout: durationpb.New(10 * time.Second), Attempt: 1,
		}}
	})
	h.workflowTask()
}

func (h *temporalHistory) workflowTask() {
	scheduled := h.add(enumspb.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED, func(e *historypb.HistoryEvent) {
		e.Attributes = &historypb.HistoryEvent_WorkflowTaskScheduledEventAttributes{WorkflowTaskScheduledEventAttributes: &historypb.WorkflowTaskScheduledEventAttributes{
			TaskQueue: &taskqueuepb.TaskQueue{Name: "bench"}}}
	})
	started := h.add(enumspb.EVENT_TYPE_WORKFLOW_TASK_STARTED, func(e *historypb.HistoryEvent) {
		e.Attributes = &historypb.HistoryEvent_WorkflowTaskStartedEventAttributes{WorkflowTaskStartedEventAttributes: &historypb.WorkflowTaskStartedEventAttributes{ScheduledEventId: scheduled}}
	})
	h.task = h.add(enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED, func(e *historypb.HistoryEvent) {
		e.Attributes = &historypb.HistoryEvent_WorkflowTaskCompletedEventAttributes{WorkflowTaskCompletedEventAttributes: &historypb.WorkflowTaskCompletedEventAttributes{ScheduledEventId: scheduled, StartedEventId: started}}
	})
}

func (h *temporalHistory) activity(in *commonpb.Payloads) int64 {
	return h.add(enumspb.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED, func(e *historypb.HistoryEvent) {
		e.Attributes = &historypb.HistoryEvent_ActivityTaskScheduledEventAttributes{ActivityTaskScheduledEventAttributes: &historypb.ActivityTaskScheduledEventAttributes{
			ActivityId: fmt.Sprint(e.EventId), ActivityType: &commonpb.ActivityType{Name: "Step"}, TaskQueue: &taskqueuepb.TaskQueue{Name: "bench"},
			Input: in, WorkflowTaskCompletedEventId: h.task, StartToCloseTimeout: durationpb.New(time.Minute)}}
	})
}

func (h *temporalHistory) completed(scheduled int64, out *commonpb.Payloads) {
	started := h.add(enumspb.EVENT_TYPE_ACTIVITY_TASK_STARTED, func(e *historypb.HistoryEvent) {
		e.Attributes = &historypb.HistoryEvent_ActivityTaskStartedEventAttributes{ActivityTaskStartedEventAttributes: &historypb.ActivityTaskStartedEventAttributes{ScheduledEventId: scheduled, Attempt: 1}}
	})
	h.add(enumspb.EVENT_TYPE_ACTIVITY_TASK_COMPLETED, func(e *historypb.HistoryEvent) {
		e.Attributes = &historypb.HistoryEvent_ActivityTaskCompletedEventAttributes{ActivityTaskCompletedEventAttributes: &historypb.ActivityTaskCompletedEventAttributes{Result: out, ScheduledEventId: scheduled, StartedEventId: started}}
	})
}

func (h *temporalHistory) timer() int64 {
	return h.add(enumspb.EVENT_TYPE_TIMER_STARTED, func(e *historypb.HistoryEvent) {
		e.Attributes = &historypb.HistoryEvent_TimerStartedEventAttributes{TimerStartedEventAttributes: &historypb.TimerStartedEventAttributes{
			TimerId: fmt.Sprint(e.EventId), StartToFireTimeout: durationpb.New(time.Minute), WorkflowTaskCompletedEventId: h.task}}
	})
}

func (h *temporalHistory) cancelTimer(id int64) {
	h.add(enumspb.EVENT_TYPE_TIMER_CANCELED, func(e *historypb.HistoryEvent) {
		e.Attributes = &historypb.HistoryEvent_TimerCanceledEventAttributes{TimerCanceledEventAttributes: &historypb.TimerCanceledEventAttributes{
			TimerId: fmt.Sprint(id), StartedEventId: id, WorkflowTaskCompletedEventId: h.task}}
	})
}

func (h *temporalHistory) end(out *commonpb.Payloads) *historypb.History {
	h.add(enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED, func(e *historypb.HistoryEvent) {
		e.Attributes = &historypb.HistoryEvent_WorkflowExecutionCompletedEventAttributes{WorkflowExecutionCompletedEventAttributes: &historypb.WorkflowExecutionCompletedEventAttributes{
			Result: out, WorkflowTaskCompletedEventId: h.task}}
	})
	return &historypb.History{Events: h.events}
}

// temporalShape is a shape and the history that a Temporal server records of it.
type temporalShape struct {
	name     string
	replayer worker.WorkflowReplayer
	history  *historypb.History
}

func temporalShapes(tb testing.TB) []temporalShape {
	plain := temporalShapesOf(tb, "", sample, temporalChain[payload], temporalFanOut[payload], temporalRaces[payload])
	return append(plain, temporalShapesOf(tb, "/rich", richSample, temporalChain[rich], temporalFanOut[rich], temporalRaces[rich])...)
}

func temporalShapesOf[P any](tb testing.TB, suffix string, sample func(int) P, chain, fanOut, races any) (all []temporalShape) {
	payloads := func(v any) *commonpb.Payloads {
		p, err := converter.GetDefaultDataConverter().ToPayloads(v)
		if err != nil {
			tb.Fatal(err)
		}
		return p
	}
	chainHistory := func() *historypb.History {
		var h temporalHistory
		h.start("Chain", payloads(sample(0)))
		for i := range steps {
			h.completed(h.activity(payloads(sample(i))), payloads(sample(i+1)))
			h.workflowTask()
		}
		return h.end(payloads(steps))
	}
	fanOutHistory := func() *historypb.History {
		var h temporalHistory
		h.start("FanOut", payloads(sample(0)))
		var ids []int64
		for range steps {
			ids = append(ids, h.activity(payloads(sample(0))))
		}
		for _, id := range ids {
			h.completed(id, payloads(sample(1)))
		}
		h.workflowTask()
		return h.end(payloads(steps))
	}
	racesHistory := func() *historypb.History {
		var h temporalHistory
		h.start("Races", payloads(sample(0)))
		for i := range rounds {
			work, timer := h.activity(payloads(sample(i))), h.timer()
			h.completed(work, payloads(sample(i+1)))
			h.workflowTask()
			h.cancelTimer(timer)
		}
		return h.end(payloads(rounds))
	}
	for _, shape := range []struct {
		name     string
		workflow any
		history  *historypb.History
	}{{"Chain", chain, chainHistory()}, {"FanOut", fanOut, fanOutHistory()}, {"Races", races, racesHistory()}} {
		replayer := worker.NewWorkflowReplayer()
		replayer.RegisterWorkflowWithOptions(shape.workflow, workflow.RegisterOptions{Name: shape.name})
		all = append(all, temporalShape{shape.name + suffix, replayer, shape.history})
	}
	return all
}

func (s temporalShape) replay(tb testing.TB, h *historypb.History) {
	if err := s.replayer.ReplayWorkflowHistory(quiet{}, h); err != nil {
		tb.Fatal(err)
	}
}

// temporalReplays are the shapes from their stored bytes.
func temporalReplays(tb testing.TB) (all []stored) {
	for _, shape := range temporalShapes(tb) {
		data, err := proto.Marshal(shape.history)
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, stored{shape.name, len(shape.history.Events), func(tb testing.TB) {
			var h historypb.History
			if err := proto.Unmarshal(data, &h); err != nil {
				tb.Fatal(err)
			}
			shape.replay(tb, &h)
		}})
	}
	return all
}

func BenchmarkTemporal(b *testing.B) {
	run := func(b *testing.B, events int, replay func(testing.TB)) {
		b.ReportAllocs()
		for b.Loop() {
			replay(b)
		}
		perSecond(b, b.N*events)
	}
	stored := temporalReplays(b)
	for i, shape := range temporalShapes(b) {
		b.Run(shape.name+"/decoded", func(b *testing.B) {
			run(b, len(shape.history.Events), func(tb testing.TB) { shape.replay(tb, shape.history) })
		})
		b.Run(shape.name+"/stored", func(b *testing.B) { run(b, stored[i].events, stored[i].replay) })
	}
}

// quiet discards the replayer's log lines.
type quiet struct{}

func (quiet) Debug(string, ...any)           {}
func (quiet) Info(string, ...any)            {}
func (quiet) Warn(string, ...any)            {}
func (quiet) Error(string, ...any)           {}
func (quiet) With(keyvals ...any) log.Logger { return quiet{} }
