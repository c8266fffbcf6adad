package mutation

// queueMutations are bugs of named queues and of fair queues.
func queueMutations() []Mutation {
	return []Mutation{
		{
			Name:  "a worker runs another queue's attempt",
			Bug:   "A worker of the default queue runs an attempt that names another queue.",
			File:  "internal/host/worker/queue.go",
			Bias:  "queues",
			Edits: edit(`item.Retry.Queue == "" ||`, `item.Retry.Queue != "" ||`),
		},
		{
			Name:  "an attempt is not forwarded to its queue",
			Bug:   "A worker of the default queue that knows an attempt's queue sends the attempt to the default queue.",
			File:  "internal/host/worker/queue.go",
			Bias:  "queues",
			Edits: edit("a.forward = true", "a.forward = false"),
		},
		{
			Name:  "a queue that was added later is not used",
			Bug:   "An attempt whose queue had no worker is requeued though its queue has one now.",
			File:  "internal/host/worker/queue.go",
			Bias:  "queues",
			Edits: edit("w.Queues.Named != nil && w.Queues.Named(item.Retry.Queue) != nil", "w.Queues.Named == nil"),
		},
		{
			Name:  "an attempt whose queue no worker serves is dropped",
			Bug:   "A worker acknowledges an attempt whose queue no worker serves.",
			File:  "internal/host/worker/queue.go",
			Bias:  "queues",
			Edits: edit("return w.requeued(item, now, notServed)", "return &answer{delayed: notServed}"),
		},
		{
			Name:  "an attempt whose queue no worker serves waits for hours",
			Bug:   "An attempt whose queue no worker serves asks again after five hours.",
			File:  "internal/host/worker/queue.go",
			Bias:  "queues",
			Edits: edit("return w.requeued(item, now, notServed)", "return again(item, now, now.Add(5*time.Hour), notServed)"),
		},
		{
			Name:  "a first attempt uses the default queue",
			Bug:   "The orchestrator sends an attempt to the default queue though it knows the attempt's own.",
			File:  "internal/host/dispatch/items.go",
			Bias:  "queues",
			Edits: edit("queue: edge.QueueOf(e.Retry), msg", `queue: "", msg`),
		},
		{
			Name:  "the attempt after an interrupted one uses the default queue",
			Bug:   "The orchestrator sends the attempt after an interrupted one to the default queue.",
			File:  "internal/host/orchestrator/send.go",
			Bias:  "queues",
			Edits: edit("a.settler.Queues.OfAttempts(edge.QueueOf(next.Retry))", "a.settler.Queues.Activity"),
		},
		{
			Name:  "an attempt that is sent again uses the default queue",
			Bug:   "The orchestrator sends an attempt that was received too often to the default queue.",
			File:  "internal/host/inbox/admit.go",
			Bias:  "queues",
			Edits: edit("d.Queues.OfAttempts(edge.QueueOf(item.Retry))", "d.Queues.Activity"),
		},
		{
			Name:  "all queue names share one queue",
			Bug:   "A process sends attempts for one queue to another.",
			File:  "internal/host/sharing/sharing.go",
			Bias:  "queues",
			Edits: edit("known.LoadOrStore(name, q)", `known.LoadOrStore("", q)`),
		},
		{
			Name:  "a parked attempt of another queue is not called",
			Bug:   "A parked attempt of another queue is not called when its permit is free.",
			File:  "internal/host/worker/park.go",
			Bias:  "queues+limits",
			Edits: edit("if at.Queue != l.Queue {", "if at.Queue == l.Queue+l.Queue {"),
		},
		{
			Name:  "a first attempt has no fairness key",
			Bug:   "The orchestrator sends an attempt without its fairness key.",
			File:  "internal/host/dispatch/items.go",
			Bias:  "queues",
			Edits: edit("Group: edge.FairGroup(e.Retry)}})", `Group: ""}})`),
		},
		{
			Name:  "a retry loses its fairness key",
			Bug:   "An attempt that is sent again has no fairness key.",
			File:  "internal/host/edge/edge.go",
			Bias:  "queues",
			Edits: edit("Delay: QueueDelay(rest), Group: FairGroup(item.Retry)}", "Delay: QueueDelay(rest)}"),
		},
		{
			Name:  "a fairness key keeps its turn",
			Bug:   "All messages of a key are delivered before those of another key.",
			File:  "internal/queue/memory/shares.go",
			Bias:  "queues",
			Edits: edit("s.turns.MoveToBack(front)", "s.turns.MoveToFront(front)"),
		},
		{
			Name:  "a new fairness key has the first turn",
			Bug:   "A key that returns repeatedly has a message delivered before each message of another key.",
			File:  "internal/queue/memory/shares.go",
			Bias:  "queues",
			Edits: edit("of.turn = s.turns.PushBack(of)", "of.turn = s.turns.PushFront(of)"),
		},
	}
}
