package history_test

import (
	"github.com/turnstile-go/turnstile/history"
)

// samples has one event of every kind, with every field that the kind uses, in an order
// that is possible in one history.
func samples() []history.Event {
	failure := &history.Failure{
		Kind: history.FailureApplication, Message: "card declined:\n\"insufficient\" <funds> & more", Code: "declined",
		Source: "Charge", Attempt: 3, Retryable: true, Stack: "goroutine 1 [running]:\n\tmain.go:1", Details: []byte(`{"limit": 100.0}`),
	}
	childFailure := &history.Failure{Kind: history.FailurePanic, Message: "boom", Source: "Ship", Instance: "order-1/ship"}
	return []history.Event{
		{Kind: history.OrchestrationStarted, EventID: 1, AtMS: 1700000000000, Name: "Fulfil", Version: "2",
			Payload: []byte("{\"order\": 1,\n \"note\":\"a < b\"}"),
			Start: &history.Start{
				ExecutionID: 3, StartID: "start-1", Secret: "00112233445566778899aabbccddeeff",
				Parent:    &history.Parent{Instance: "parent-1", ExecutionID: 2, EventID: 7, Token: "0123456789abcdef0123456789abcdef"},
				SenderIDs: []string{"a", "b"}, States: []byte(`{"status":{"value":"packing","execution_id":2,"event_id":5,"at_ms":1699999999999}}`),
				SearchAttributes: history.SearchAttributes{
					"customer": history.SearchTextOf("c-1 \"ö\""), "total": history.SearchNumberOf(99.5), "items": history.SearchNumberOf(1<<53 + 1),
					"due": history.SearchMillisOf(1700000000123),
				},
			}},
		{Kind: history.ExternalEvent, EventID: 2, AtMS: 1700000000000, Name: "approved", SenderID: "mail-7", Payload: []byte(`null`)},
		{Kind: history.ActivityScheduled, EventID: 3, AtMS: 1700000000001, Name: "Charge", Payload: []byte(`{"amount":1.50}`),
			Retry: &history.Retry{MaxAttempts: 3, InitialMS: 1000, MaxMS: 60000, Coefficient: 1.5, Jitter: 0.1, TimeoutMS: 30000, FinalCodes: []string{"declined"}}},
		{Kind: history.ActivityScheduled, EventID: 4, AtMS: 1700000000001, Name: "Format", Inline: true},
		{Kind: history.TimerCreated, EventID: 5, AtMS: 1700000000001, FireAtMS: 1700000060001, DurationMS: 60000},
		{Kind: history.ExternalSubscribed, EventID: 6, AtMS: 1700000000001, Name: "approved"},
		{Kind: history.SubOrchestrationScheduled, EventID: 7, AtMS: 1700000000001, Name: "Ship", Version: "1",
			Instance: "order-1/ship", ExplicitID: true, Payload: []byte(`"box"`)},
		{Kind: history.OrchestrationChained, EventID: 8, AtMS: 1700000000001, Name: "Audit", Instance: "audit-1", Payload: []byte(`[1,2,3]`)},
		{Kind: history.SystemCall, EventID: 9, AtMS: 1700000000001, Op: history.OpNow, Payload: []byte(`1700000000001`)},
		{Kind: history.ActivityCompleted, EventID: 10, AtMS: 1700000000002, SourceEventID: 4, Payload: []byte(`"ÄÖ \ud83d\ude00 😀"`)},
		{Kind: history.ActivityFailed, EventID: 11, AtMS: 1700000000003, SourceEventID: 3, Failure: failure},
		{Kind: history.SubOrchestrationCompleted, EventID: 12, AtMS: 1700000000004, SourceEventID: 7, Payload: []byte(`true`)},
		{Kind: history.SubOrchestrationFailed, EventID: 13, AtMS: 1700000000005, SourceEventID: 7, Failure: childFailure},
		{Kind: history.TimerFired, EventID: 14, AtMS: 1700000060002, SourceEventID: 5, FireAtMS: 1700000060001},
		{Kind: history.OrchestrationCancelRequested, EventID: 15, AtMS: 1700000060003, Reason: "customer changed their mind", SenderID: "cancel-1"},
		{Kind: history.OrchestrationContinuedAsNew, EventID: 16, AtMS: 1700000060004, Version: "3", Payload: []byte(`{"round":2}`)},
		{Kind: history.OrchestrationFailed, EventID: 17, AtMS: 1700000060005, Forced: history.ForcedByOperator,
			Failure: &history.Failure{Kind: history.FailureTerminated, Message: "by an operator"}},
		{Kind: history.OrchestrationCompleted, EventID: 18, AtMS: 1700000060006, Codec: "zstd", Payload: []byte{0x28, 0xb5, 0x2f, 0xfd, 0}},
		{Kind: history.ActivityScheduled, EventID: 19, AtMS: 1700000000001, Name: "Scan",
			Retry: &history.Retry{MaxAttempts: 2, TotalTimeoutMS: 86400000, HeartbeatTimeoutMS: 60000, AtMostOnce: true}},
		{Kind: history.SubOrchestrationScheduled, EventID: 20, AtMS: 1700000000001, Name: "Ship", Instance: "order-1/1/20",
			OnParentEnd: history.ParentEndCancel, UseExisting: true},
		{Kind: history.ParentAttached, EventID: 21, AtMS: 1700000000001, Start: &history.Start{StartID: "child-2",
			Parent: &history.Parent{Instance: "order-2", ExecutionID: 1, EventID: 3, Token: "0123456789abcdef0123456789abcdef"}}},
	}
}

// later has samples of fields that were added later; existing golden files never change.
func later() []history.Event {
	failure := &history.Failure{Kind: history.FailureApplication, Message: "card declined", Source: "Charge", Attempt: 3}
	return []history.Event{
		{Kind: history.OrchestrationStarted, EventID: 22, AtMS: 1700000000000, Name: "Fulfil", Actor: "user/ada", Start: &history.Start{
			ExecutionID: 1, StartID: "start-2", Headers: map[string]string{
				"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "tenant": "café <1>", "": "", "a_base64": "YQ=="},
			Origin: &history.Origin{Instance: "order-0", ExecutionID: 2, EventID: 9}, FairnessGroup: "tenant-1"}},
		{Kind: history.ActivityCompleted, EventID: 23, AtMS: 1700000000002, SourceEventID: 3, StartedAtMS: 1700000000001, Attempt: 2,
			RequestID: "6f0c3b5e-9c3b-4a36-8d5e-1f2a3b4c5d6e", Payload: []byte(`true`)},
		{Kind: history.ActivityFailed, EventID: 24, AtMS: 1700000000002, SourceEventID: 3, StartedAtMS: 1700000000001, Attempt: 3,
			RequestID: "6f0c3b5e-9c3b-4a36-8d5e-1f2a3b4c5d6e", Failure: failure},
		{Kind: history.ExternalEvent, EventID: 25, AtMS: 1700000000000, Name: "approved", SenderID: "mail-8", Actor: "user/bob",
			Codec: "blob/s3", Payload: []byte(`"czM6Ly9idWNrZXQva2V5"`)},
		{Kind: history.OrchestrationCancelRequested, EventID: 26, AtMS: 1700000060003, SenderID: "cancel-2", Actor: "role/ops"},
		{Kind: history.OrchestrationFailed, EventID: 27, AtMS: 1700000060005, Forced: history.ForcedByOperator, Actor: "role/ops",
			Failure: &history.Failure{Kind: history.FailureTerminated, Message: "by an operator"}},
	}
}

// latest has samples of kinds that were added after those.
func latest() []history.Event {
	return []history.Event{
		{Kind: history.ExternalRejected, EventID: 28, AtMS: 1700000060006, SourceEventID: 25, Name: "approved",
			Reason: `the data of event "approved" is not a main.Approval`},
		{Kind: history.OrchestrationSuspended, EventID: 29, AtMS: 1700000060007, SenderID: "suspend-1", Actor: "role/ops", Reason: "the bank is down"},
		{Kind: history.OrchestrationResumed, EventID: 30, AtMS: 1700000060008, SenderID: "resume-1", Actor: "role/ops", Reason: "it is back"},
		{Kind: history.OrchestrationStarted, EventID: 31, AtMS: 1700000000000, Name: "Fulfil", Version: "2", Start: &history.Start{
			ExecutionID: 4, StartID: "redrive-1", Origin: &history.Origin{Instance: "order-1", ExecutionID: 3, EventID: 12, FirstExecutionID: 2,
				Carried: []history.Carried{{EventID: 3, ExecutionID: 2}, {EventID: 5, ExecutionID: 3}}}}},
		{Kind: history.OrchestrationRedriven, EventID: 32, AtMS: 1700000000000, SenderID: "redrive-1", Actor: "role/ops", Reason: "the price service is mended",
			Start: &history.Start{ExecutionID: 4}},
		{Kind: history.OrchestrationStarted, EventID: 33, AtMS: 1700000000000, Name: "Fulfil", Version: "2", Start: &history.Start{
			ExecutionID: 2, StartID: "redrive-2", Origin: &history.Origin{Instance: "order-2", ExecutionID: 1, EventID: 12, FirstExecutionID: 3, FirstInstance: "order-1", ForkedExecutionID: 1,
				Carried: []history.Carried{{EventID: 3, ExecutionID: 3, Instance: "order-1"}, {EventID: 5, ExecutionID: 1}}}}},
		{Kind: history.OrchestrationRedriven, EventID: 34, AtMS: 1700000000000, SenderID: "fork-1", Instance: "order-2", Start: &history.Start{ExecutionID: 1}},
		{Kind: history.SubOrchestrationScheduled, EventID: 35, AtMS: 1700000000001, Name: "Ship", Instance: "order-2/1/7", ForkOf: "order-1/3/7"},
		{Kind: history.TimerFired, EventID: 36, AtMS: 1700000000002, SourceEventID: 5, FireAtMS: 1700000060001, SenderID: "fire-1", Actor: "role/ops", Reason: "paid by phone"},
		{Kind: history.OrchestrationStarted, EventID: 37, AtMS: 1700000000000, Name: "Import", Start: &history.Start{ExecutionID: 1, StartID: "start-9", LimitKey: "customer ü", Limit: 2}},
		{Kind: history.OrchestrationSuspended, EventID: 38, AtMS: 1700000000000, SenderID: "start-9", LimitKey: "customer ü", Limit: 2},
		{Kind: history.OrchestrationChained, EventID: 39, AtMS: 1700000000001, Name: "Import", Instance: "import-1", LimitKey: "imports", Limit: 100},
		{Kind: history.SystemCall, EventID: 40, AtMS: 1700000000001, Op: history.OpResumeInstance, Instance: "import-1", Payload: []byte(`{"execution_id":1,"event_id":2}`)},
		{Kind: history.ActivityScheduled, EventID: 41, AtMS: 1700000000001, Name: "Charge", Label: "stock / shelf \"ü\""},
		{Kind: history.TimerCreated, EventID: 42, AtMS: 1700000000001, Label: "grace period", FireAtMS: 1700000060001, DurationMS: 60000},
		{Kind: history.ExternalSubscribed, EventID: 43, AtMS: 1700000000001, Name: "approved", Label: "second approval"},
		{Kind: history.SubOrchestrationScheduled, EventID: 44, AtMS: 1700000000001, Name: "Ship", Instance: "order-1/1/44", Label: "stock"},
		{Kind: history.ExternalEvent, EventID: 45, AtMS: 1700000000000, WithPrevious: true, Name: "approved", SenderID: "mail-8", Payload: []byte(`true`)},
	}
}
