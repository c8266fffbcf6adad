package mutation

// queueMutations are of queues that have a name, and of fair shares.
func queueMutations() []Mutation {
	return []Mutation{
		{
			Name:  "an attempt is made wherever it comes",
			Bug:   "A worker of the default queue makes an attempt that names another queue.",
			File:  "internal/host/worker/queue.go",
			Bias:  "queues",
			Edits: edit(`item.Retry.Queue == "" ||`, `item.Retry.Queue != "" ||`),
		},
		{
			Name:  "an attempt does not go on to its queue",
			Bug:   "A worker of the default queue that knows the queue of an attempt sends it to the default one.",
			File:  "internal/host/worker/queue.go",
			Bias:  "queues",
			Edits: edit("a.forward = true", "a.forward = false"),
		},
		{
			Name:  "a queue that came later is not looked for",
			Bug:   "An attempt whose queue nobody served goes round though it is served now.",
			File:  "internal/host/worker/queue.go",
			Bias:  "queues",
			Edits: edit("w.Queues.Named != nil && w.Queues.Named(item.Retry.Queue) != nil", "w.Queues.Named == nil"),
		},
		{
			Name:  "an attempt whose queue nobody serves is dropped",
			Bug:   "A worker acknowledges an attempt whose queue nobody serves.",
			File:  "internal/host/worker/queue.go",
			Bias:  "queues",
			Edits: edit("return w.round(item, now, notServed)", "return &answer{delayed: notServed}"),
		},
		{
			Name:  "an attempt whose queue nobody serves waits for hours",
			Bug:   "An attempt whose queue nobody serves asks again after five hours.",
			File:  "internal/host/worker/queue.go",
			Bias:  "queues",
			Edits: edit("return w.round(item, now, notServed)", "return w.again(item, now, now.Add(5*time.Hour), notServed)"),
		},
		{
			Name:  "a first attempt goes through the default queue",
			Bug:   "The orchestrator sends an attempt to the default queue though it knows its own.",
			File:  "internal/host/dispatch/items.go",
			Bias:  "queues",
			Edits: edit("queue: edge.QueueOf(e.Retry), msg", `queue: "", msg`),
		},
		{
			Name:  "the attempt after an interrupted one goes through the default queue",
			Bug:   "The orchestrator sends the attempt after one that was not heard of to the default queue.",
			File:  "internal/host/orchestrator/send.go",
			Bias:  "queues",
			Edits: edit("a.desk.Queues.OfAttempts(edge.QueueOf(next.Retry))", "a.desk.Queues.Activity"),
		},
		{
			Name:  "an attempt that is sent anew goes through the default queue",
			Bug:   "The orchestrator sends an attempt that was received too often to the default queue.",
			File:  "internal/host/inbox/admit.go",
			Bias:  "queues",
			Edits: edit("d.Queues.OfAttempts(edge.QueueOf(item.Retry))", "d.Queues.Activity"),
		},
		{
			Name:  "all names are one queue",
			Bug:   "A process sends attempts for one queue to another.",
			File:  "internal/host/sharing/sharing.go",
			Bias:  "queues",
			Edits: edit("known.LoadOrStore(name, q)", `known.LoadOrStore("", q)`),
		},
		{
			Name:  "who waits in another queue is called in its own",
			Bug:   "An attempt that waits for a permit in another queue is not called when it is free.",
			File:  "internal/host/worker/line.go",
			Bias:  "queues+limits",
			Edits: edit("if at.Queue != w.Queue {", "if at.Queue == w.Queue+w.Queue {"),
		},
		{
			Name:  "a first attempt has no key",
			Bug:   "The orchestrator sends an attempt without the key by which it shares its queue.",
			File:  "internal/host/dispatch/items.go",
			Bias:  "queues",
			Edits: edit("Group: edge.FairGroup(e.Retry)}})", `Group: ""}})`),
		},
		{
			Name:  "a retry loses its key",
			Bug:   "An attempt that is sent again has no key by which it shares its queue.",
			File:  "internal/host/edge/edge.go",
			Bias:  "queues",
			Edits: edit("Delay: QueueDelay(rest), Group: FairGroup(item.Retry)}", "Delay: QueueDelay(rest)}"),
		},
		{
			Name:  "a key keeps its turn",
			Bug:   "A key with many messages has all of them handed out before those of another.",
			File:  "internal/queue/memory/shares.go",
			Bias:  "queues",
			Edits: edit("s.turns.MoveToBack(front)", "s.turns.MoveToFront(front)"),
		},
		{
			Name:  "a new key has the first turn",
			Bug:   "A key that comes back again and again has a message handed out before each of another.",
			File:  "internal/queue/memory/shares.go",
			Bias:  "queues",
			Edits: edit("of.turn = s.turns.PushBack(of)", "of.turn = s.turns.PushFront(of)"),
		},
	}
}
