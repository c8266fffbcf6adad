package acts

import "github.com/turnstile-go/turnstile/client"

// Wake makes an instance retry.
var Wake = bare(Row{
	Path: ofInstance + "wake", Title: "Wake", Many: true,
	Summary: "Wake an instance: it retries, and resends its pending operations.",
	Does:    "A stuck instance retries its turn now. The instance resends its pending activities, timers and children, which is safe; a running activity may run twice.",
	Tool:    Tool{Name: "wake", Title: "Wake an instance", When: "Use it for a stuck instance whose code is fixed, or for one that waits for a lost message."},
	Command: Command{
		Name: "wake", Also: []string{"retry", "unstick", "kick"}, On: []client.Status{client.StatusStuck, client.StatusCorrupt}, AlsoOn: []client.Status{client.StatusRunning},
		Short: "make stuck instances retry, and resend the pending operations of instances",
		Long: `Makes a stuck instance retry its turn now; without wake it retries within an hour. An instance
that waits for a lost message resends its pending activities, timers and children. This is
safe, but a running activity may run twice. An ended instance resends its result to its parent.`,
		Default: "stuck and corrupt",
		Examples: []string{
			"turnstile wake order-17",
			"turnstile wake --status stuck --name Fulfil --problem nondeterminism",
			`turnstile wake --where 'customer = "c-1"' --dry-run`,
		},
	},
}, (*client.Client).Wake)

// Suspend stops the code of an instance until it is resumed.
var Suspend = reasoned(Row{
	Path: ofInstance + "suspend", Title: "Suspend", Many: true,
	Summary: "Suspend an instance: it records incoming messages, but runs no code until it is resumed.",
	Does:    "The code of the instance does not run until it is resumed. Incoming messages are recorded, and scheduled activities continue. Children continue too, and instances that start later are not suspended.",
	Tool:    Tool{Name: "suspend", Title: "Suspend an instance"},
	Command: Command{
		Name: "suspend", Also: []string{"hold", "freeze"}, On: []client.Status{client.StatusRunning, client.StatusStuck},
		Short: "suspend instances until they are resumed",
		Long: `The code of a suspended instance does not run. The instance records incoming messages, and its
code processes them in order after a resume. Scheduled activities continue, with their retries;
timers fire and are recorded. Terminate ends a suspended instance immediately; a cancel takes
effect when it is resumed. Suspend does not affect children that are not selected, or instances
that start later. To stop a whole stack, use pause.`,
		Default: "running and stuck",
		Examples: []string{
			`turnstile suspend order-17 --reason 'the customer asked us to wait'`,
			`turnstile suspend --name Transfer --where 'bank = "b-1"' --reason 'the bank is down' --dry-run`,
		},
	},
}, (*client.Client).Suspend)

// Resume continues a suspended instance.
var Resume = reasoned(Row{
	Path: ofInstance + "resume", Title: "Resume", Many: true,
	Summary: "Resume a suspended, scheduled or queued instance.",
	Does:    "The code of the instance processes the messages that arrived during the suspension, in order. A scheduled or queued instance starts now.",
	Tool:    Tool{Name: "resume", Title: "Resume an instance"},
	Command: Command{
		Name: "resume", Also: []string{"unsuspend", "release", "continue"}, On: []client.Status{client.StatusSuspended}, AlsoOn: []client.Status{client.StatusScheduled, client.StatusQueued},
		Short: "resume suspended instances",
		Long: `The code of the instance processes the messages that arrived during the suspension, in order. One
resume ends all earlier suspends. A scheduled or queued instance starts immediately. For a paused
stack, use unpause.`,
		Default: "suspended",
		Examples: []string{
			"turnstile resume order-17",
			`turnstile resume --where 'bank = "b-1"' --rate 10 --dry-run`,
		},
	},
}, (*client.Client).Resume)

// live lists the statuses of instances that have not ended and whose history can be read.
var live = []client.Status{client.StatusRunning, client.StatusStuck, client.StatusSuspended, client.StatusScheduled, client.StatusQueued}

// Cancel asks an instance to stop.
var Cancel = reasoned(Row{
	Path: ofInstance + "cancel", Title: "Cancel", Many: true, Final: true,
	Summary: "Cancel an instance; its code can clean up.",
	Does:    "Every operation that the instance waits for returns a CancelledError, and its code can still clean up. Children and running activities are cancelled too.",
	Tool:    Tool{Name: "cancel", Title: "Cancel an instance"},
	Command: Command{
		Name: "cancel", Also: []string{"stop", "abort"}, On: append(live[:len(live):len(live)], client.StatusCorrupt),
		Short: "ask instances to stop; their code decides how",
		Long: `Every operation that the instance waits for returns a CancelledError, and its code can still
clean up. Children and running activities are cancelled too. Only the first cancel has an
effect. Use terminate for an instance that cannot run its code.`,
		Examples: []string{
			`turnstile cancel order-17 --reason 'customer called'`,
			`turnstile cancel --where 'customer = "c-1"' --since 7d --reason 'account closed'`,
		},
	},
}, (*client.Client).Cancel)

// Terminate ends an instance without running its code.
var Terminate = reasoned(Row{
	Path: ofInstance + "terminate", Title: "Terminate", Many: true, Final: true, Destroys: true,
	Summary: "Terminate an instance without running its code.",
	Does:    "The instance ends immediately without running its code, so completed steps are not compensated. Children are terminated too, and running activities are cancelled. To let it clean up, cancel it.",
	Tool:    Tool{Name: "terminate", Title: "Terminate an instance"},
	Command: Command{
		Name: "terminate", Also: []string{"kill", "end"}, On: live,
		Short: "end instances without running their code",
		Long: `Ends the instance immediately, even if it is stuck. Its code does not run, so completed steps
are not compensated. Children are terminated too, and running activities are cancelled. A
corrupt instance cannot be terminated: use purge --force.`,
		Examples: []string{
			`turnstile terminate order-17 --reason 'see incident 12'`,
			`turnstile terminate --status stuck --name Fulfil --until 30d --reason 'given up' --dry-run`,
		},
	},
}, (*client.Client).Terminate)

// MoveToFront moves an instance to the front of the waiting list of its limit.
var MoveToFront = bare(Row{
	Path: ofInstance + "first", Title: "Move to the front",
	Summary: "Move an instance to the front of the waiting list of its limit.",
	Does:    "The instance moves to the front of the waiting list of its limit. It starts as soon as fewer instances run than the limit allows.",
	Command: Command{
		Name: "limit first", Also: []string{"limit move"}, On: []client.Status{client.StatusQueued},
		Short: "move an instance to the front of the waiting list of its limit",
		Long: `The instance starts as soon as fewer instances run than the limit allows. To start it now,
regardless of the limit, use resume; cancel and terminate remove it from the waiting list.
Requires the policy in the stack output OperatePolicyArn.`,
		Examples: []string{"turnstile limit first order-17"},
	},
}, (*client.Client).MoveToFront)
