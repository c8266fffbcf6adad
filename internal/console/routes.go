package console

import "net/http"

const (
	get  = http.MethodGet
	post = http.MethodPost
)

// table returns the routes of the API. openapi.json describes each of them.
func (h *handler) table() []route {
	const (
		instance  = "instances/{id}"
		execution = instance + "/executions/{execution}"
	)
	filters := []param{
		{"status", "string", "only with this status: running, stuck, suspended, scheduled, corrupt, completed, failed, cancelled, terminated; one that is stuck, suspended, scheduled or corrupt is not listed as running"},
		{"name", "string", "only of this orchestration"},
		{"where", "string", `only those whose search attributes meet these conditions: customer = "c-1" and total > 100`},
		{"from", "time", "only started at this time or later"},
		{"to", "time", "only started before this time"},
		{"page_size", "integer", "instances a page, 1 to 200; default 50"},
	}
	return []route{
		{method: get, pattern: "about", endpoint: reads(h.about),
			summary: "What this console is, shows, and may do."},
		{method: get, pattern: "instances", endpoint: reads(h.listInstances),
			summary: "A page of instances, newest first.",
			query:   append(filters[:len(filters):len(filters)], param{"page_token", "string", "go on behind a page, with its next_page_token"})},
		{method: get, pattern: "counts", endpoint: reads(h.counts),
			summary: "How many instances there are of each status, and kept for a while. On DynamoDB counting stops at ten thousand of each, at a hundred of each of one orchestration.",
			query:   []param{{"name", "string", "only of this orchestration"}}},
		{method: get, pattern: "live", endpoint: endpoint{serve: h.live},
			summary: "What changes, as server-sent events: of one instance, or of the first page of a list.",
			query:   append([]param{{"instance", "string", "this instance; without it the list that the others select"}}, filters...)},
		{method: get, pattern: instance, endpoint: reads(h.instance),
			summary: "How an instance stands."},
		{method: get, pattern: instance + "/tree", endpoint: reads(h.tree),
			summary: "Its parents, up to the root, and its children, with theirs."},
		{method: get, pattern: instance + "/timeline", endpoint: reads(h.timeline),
			summary: "What happened, a row an operation, with turns, executions and what it has cost so far.",
			query: []param{
				{"executions", "integer", "how many executions, the newest; 1 to 100, default 10"},
				{"since", "string", `only what has changed since an event, "execution.event": the last of the answer before`},
			}},
		{method: get, pattern: instance + "/waiting-for", endpoint: reads(h.waitingFor),
			summary: "What it waits for, down to the children of its children, and what is known of their activities. It reads at most 200 records, histories and activities."},
		{method: post, pattern: "inspect", endpoint: takes(maxImportBody, h.inspect),
			summary: "What an exported history, a document of several, or a story of the simulation holds. Nothing is stored."},
		{method: get, pattern: instance + "/export", endpoint: endpoint{serve: h.export},
			summary: "The history of an execution as the command line exports it, without what proves something.",
			query:   []param{{"execution", "string", `"current", or a number from 1; default current`}}},
		{method: get, pattern: execution + "/events", endpoint: reads(h.events),
			summary: "The history of an execution, in pages.",
			query: []param{
				{"from", "integer", "the first event; default 1"},
				{"limit", "integer", "events a page, 1 to 2000; default 500"},
			}},
		{method: get, pattern: execution + "/events/{event}", endpoint: reads(h.event),
			summary: "One event with its whole payload."},
		{method: get, pattern: "limits", endpoint: reads(h.limits),
			summary: "Limits over instances for which an attempt has waited lately, or that were set: who has permits and who waits. Of one key, without key of all.",
			query:   []param{{"key", "string", "only of this key"}}},
		{method: get, pattern: "catalog", endpoint: reads(h.readCatalog),
			summary: "What the code has, with its types: orchestrations, activities and events, for forms; and which builds have said so."},
		{method: post, pattern: "catalog/check", endpoint: takes(maxRequest, h.check),
			summary: "What is wrong with data for a type of the code, or odd about it. Nothing is sent."},
		{method: get, pattern: "queues", endpoint: reads(h.readQueues),
			summary: "How full the queues are."},
		{method: post, pattern: "queues/oldest", endpoint: takes(maxRequest, h.queueAges),
			summary: "How long the oldest messages of the queues have waited: on AWS a metric of CloudWatch, which is charged for."},
		{method: post, pattern: "dead-letters/peek", endpoint: takes(maxRequest, h.peekDeadLetters),
			summary: "Look at dead letters, which hides them from others for that moment. Tokens in bodies are not shown."},

		{method: post, pattern: "dead-letters/redrive", acts: true, endpoint: takes(maxRequest, h.redriveDeadLetters),
			summary: "Send dead letters back to the queue that they came from, and delete them there only then."},
		{method: post, pattern: "dead-letters/delete", acts: true, endpoint: takes(maxRequest, h.deleteDeadLetters),
			summary: "Delete dead letters."},
		{method: post, pattern: "instances", acts: true, endpoint: takes(maxRequest, h.start),
			summary: "Start an instance."},
		{method: post, pattern: instance + "/raise", acts: true, endpoint: takes(maxRequest, h.raise),
			summary: "Raise an external event for an instance."},
		{method: post, pattern: instance + "/cancel", acts: true, endpoint: takes(maxRequest, h.cancel),
			summary: "Ask an instance to stop; its code decides how."},
		{method: post, pattern: instance + "/terminate", acts: true, endpoint: takes(maxRequest, h.terminate),
			summary: "End an instance without running its code."},
		{method: post, pattern: instance + "/suspend", acts: true, endpoint: takes(maxRequest, h.suspend),
			summary: "Have an instance record what comes, and run no code, until it is resumed."},
		{method: post, pattern: instance + "/resume", acts: true, endpoint: takes(maxRequest, h.resume),
			summary: "Let a suspended instance go on."},
		{method: post, pattern: instance + "/reschedule", acts: true, endpoint: takes(maxRequest, h.reschedule),
			summary: "Move the time at which a scheduled instance begins, or a suspended one goes on by itself."},
		{method: post, pattern: instance + "/wake", acts: true, endpoint: takes(maxRequest, h.wake),
			summary: "Let an instance try again, and send again what it has open."},
		{method: post, pattern: instance + "/rerun", acts: true, endpoint: takes(maxRequest, h.rerun),
			summary: "Have an instance that has ended begin again, from the beginning."},
		{method: post, pattern: instance + "/redrive", acts: true, endpoint: takes(maxRequest, h.redrive),
			summary: "Have an instance that has ended go on where it failed, or from an event."},
		{method: post, pattern: instance + "/purge", acts: true, endpoint: takes(maxRequest, h.purge),
			summary: "Remove an instance that has ended."},
		{method: post, pattern: "wake", acts: true, endpoint: takes(maxRequest, h.wakeMany),
			summary: "Let many instances try again, at most 500."},
		{method: post, pattern: "limits/set", acts: true, endpoint: takes(maxRequest, h.setLimit),
			summary: "Change how many attempts with a key may run at a time, whatever the code says."},
		{method: post, pattern: "limits/reset", acts: true, endpoint: takes(maxRequest, h.resetLimit),
			summary: "Have the number in the code count again."},
		{method: post, pattern: "activities/complete", acts: true, endpoint: takes(maxRequest, h.completeActivity),
			summary: "Complete a pending activity, by its token or where it stands."},
		{method: post, pattern: "activities/fail", acts: true, endpoint: takes(maxRequest, h.failActivity),
			summary: "Let a pending activity fail, by its token or where it stands."},
		{method: post, pattern: "activities/heartbeat", acts: true, endpoint: takes(maxRequest, h.heartbeatActivity),
			summary: "Say that a pending activity is still worked on."},
	}
}
