package console

import (
	"net/http"
	"slices"

	"github.com/turnstile-go/turnstile/internal/console/acts"
)

const (
	get  = http.MethodGet
	post = http.MethodPost
)

// table returns the routes of the API. openapi.json describes each of them.
func (h *handler) table() []route {
	const (
		instance  = "instances/{id}"
		execution = instance + "/executions/{execution}"
		scheduled = "schedules/{name}"
	)
	filters := []param{
		{"status", "string", "only instances with this status: running, stuck, suspended, scheduled, queued, forking, corrupt, completed, failed, cancelled, terminated; running does not include stuck, suspended, scheduled, queued or corrupt ones"},
		{"name", "string", "only instances of this orchestration"},
		{"prefix", "string", "only instances whose id starts with this. On DynamoDB, a page reads the keys of at most 10,000 instances, about 140 read units; a page can be short or empty without being the last"},
		{"where", "string", `only instances whose search attributes meet these conditions: customer = "c-1" and total > 100`},
		{"words", "string", "only instances that have each of these words in their failure, problem, suspension reason or state \"status\". Only SQLite has an index for words, of three characters or more; no store has one for version and parent. Without an index, a page reads up to 1,000 records on DynamoDB and 30,000 on SQLite, and can be short or empty without being the last"},
		{"version", "string", "only instances of this version of the orchestration"},
		{"parent", "string", "only the children of this instance"},
		{"schedule", "string", "only instances that this schedule started; they are found by their id prefix"},
		{"queue", "string", "only instances with an attempt in this activity queue (default, or a name) that is waiting, running or due later. Requires a program with its own queues; on AWS it is an error, because SQS cannot list messages"},
		{"from", "time", "only instances that started at this time or later"},
		{"to", "time", "only instances that started before this time"},
		{"ended_from", "time", "only instances that ended at this time or later; like version, this has no index"},
		{"ended_to", "time", "only instances that ended before this time"},
		{"page_size", "integer", "instances per page, 1 to 200; default 50"},
	}
	since := param{"from", "time", "only instances that started at this time or later; default one hour before to"}
	// only returns some of the filters.
	only := func(names ...string) []param {
		return slices.DeleteFunc(slices.Clone(filters), func(p param) bool { return !slices.Contains(names, p.name) })
	}
	routes := []route{
		{method: get, pattern: "about", endpoint: reads(h.about),
			summary: "What this console is, what it shows and which actions it allows."},
		{method: get, pattern: "instances", endpoint: reads(h.listInstances),
			summary: "A page of instances, newest first.",
			query:   append(filters[:len(filters):len(filters)], param{"page_token", "string", "the next_page_token of the previous page"})},
		{method: get, pattern: "counts", endpoint: reads(h.counts),
			summary: "The number of instances in each status. The counts are cached for a short time. On DynamoDB, counting stops at 10,000 per status, or 100 per status for one orchestration; other filters cannot be counted there, because each record would have to be read.",
			query:   only("name", "prefix", "where", "from", "to")},
		{method: get, pattern: "failures", endpoint: reads(h.failures),
			summary: "Failed, stuck and corrupt instances by root cause, with their number over time. Reads at most 1,000 records of each of these statuses, the most recently started first.",
			query: append(only("name", "prefix", "where", "words", "version"),
				param{"from", "time", "only failures at this time or later"},
				param{"to", "time", "only failures before this time"},
				param{"cause", "string", "only this cause, a key of the response, with its instances"})},
		{method: get, pattern: "metrics", endpoint: reads(h.metrics),
			summary: "How many instances started in a period, their outcomes and durations, and the cost per hour. Reads the newest 1,000 records of the period and the histories of at most 20 ended instances.",
			query:   append(only("name", "to"), since)},
		{method: get, pattern: "steps", endpoint: reads(h.steps),
			summary: "Where the instances of an orchestration spend their time: durations, failures and retries by activity, child, timer and wait. Reads the newest 1,000 records of a period and the last executions of at most 200 of them; this costs about $0.0002 on DynamoDB, and the response has the exact estimate.",
			query:   append(only("to"), since, param{"name", "string", "the orchestration"})},
		{method: get, pattern: "live", endpoint: endpoint{serve: h.live},
			summary: "Changes of one instance, or of the first page of a list, as server-sent events.",
			query:   append([]param{{"instance", "string", "this instance; without it, the list that the other parameters select"}}, filters...)},
		{method: get, pattern: instance, endpoint: reads(h.instance),
			summary: "The state of an instance."},
		{method: get, pattern: instance + "/tree", endpoint: reads(h.tree),
			summary: "The parents of an instance up to the root, and its descendants."},
		{method: get, pattern: instance + "/timeline", endpoint: reads(h.timeline),
			summary: "The timeline of an instance: one row per operation, with turns, executions and the cost so far.",
			query: []param{
				{"executions", "integer", "the number of executions to return, newest first; 1 to 100, default 10"},
				{"since", "string", `only changes since an event, "execution.event": the last of the previous response`},
				{"at", "string", `the state after an event, "execution.event", or the event of the current execution; now is then the time of that event`},
			}},
		{method: get, pattern: instance + "/waiting-for", endpoint: reads(h.waitingFor),
			summary: "What an instance waits for, including what its descendants wait for and the known state of their activities. Reads at most 200 records, histories and activities."},
		{method: get, pattern: "difference", endpoint: reads(h.difference),
			summary: "The differences between two executions, operation by operation, of two instances or of one. Reads both histories.",
			query: []param{
				{"a", "string", "one instance"}, {"a_execution", "string", `"current", or a number from 1; default current`},
				{"b", "string", "the other instance, or the same"}, {"b_execution", "string", `"current", or a number from 1; default current`},
				{"all", "boolean", "also return a row for each equal operation"},
			}},
		{method: get, pattern: instance + "/code", endpoint: reads(h.code),
			summary: "Where the code of an instance waits, by file and line, for each branch. Replays the current execution. Requires the code: see the capability code of about.",
			query:   []param{{"at", "string", `where the code waited after the last turn that ended at or before an event, "execution.event", or the event of the current execution`}}},
		{method: post, pattern: instance + "/query", endpoint: takes(maxRequest, h.query),
			summary: "The answer of an instance's code to a query, from its variables. Replays the current execution; nothing is recorded or sent. Requires the code or the query function of a stack: see the capability queries of about."},
		{method: get, pattern: instance + "/updates/{update}", endpoint: reads(h.update),
			summary: "How far an update has come, by its id: its stage, and its output, reason or failure.",
			query:   []param{{"wait_seconds", "integer", "how long to wait for the answer, 1 to 25; without it, the answer is the current state"}}},
		{method: get, pattern: instance + "/logs", endpoint: reads(h.instanceLogs),
			summary: "Recent log lines about an instance. Requires instances that run in this process: see the capability logs of about."},
		{method: post, pattern: "inspect", endpoint: takes(maxImportBody, h.inspect),
			summary: "The contents of an exported history, of a document with several, or of a story of the simulation. Nothing is stored."},
		{method: get, pattern: instance + "/export", endpoint: endpoint{serve: h.export},
			summary: "The history of an execution as the command line exports it, without tokens.",
			query:   []param{{"execution", "string", `"current", or a number from 1; default current`}}},
		{method: get, pattern: execution + "/events", endpoint: reads(h.events),
			summary: "The history of an execution, in pages.",
			query: []param{
				{"from", "integer", "the first event; default 1"},
				{"limit", "integer", "events per page, 1 to 2000; default 500"},
			}},
		{method: get, pattern: execution + "/events/{event}", endpoint: reads(h.event),
			summary: "One event with its complete payload."},
		{method: get, pattern: execution + "/events/{event}/attempts", endpoint: reads(h.eventAttempts),
			summary: "The known attempts of the activity that an event scheduled, with error, time and worker."},
		{method: get, pattern: "limits", endpoint: reads(h.limits),
			summary: "Limits of instances, and the limits and rates of activities that an attempt waited for recently or that were set: who holds permits and who waits. Returns one key, or all without key.",
			query:   []param{{"key", "string", "only this key"}, {"of", "string", "activities or instances: only their limits; rates: only the rate of the key"}}},
		{method: get, pattern: "schedules", endpoint: reads(h.schedules),
			summary: "A page of schedules, newest first: when they are due, what they started and what they missed.",
			query:   []param{{"page_token", "string", "the next_page_token of the previous page"}}},
		{method: get, pattern: scheduled, endpoint: reads(h.schedule),
			summary: "The state of a schedule."},
		{method: get, pattern: "catalog", endpoint: reads(h.readCatalog),
			summary: "The orchestrations, activities, events, queries and updates of the code with their types, for forms, and the builds that registered them."},
		{method: post, pattern: "catalog/check", endpoint: takes(maxRequest, h.check),
			summary: "Errors and warnings about data for a type of the code. Nothing is sent."},
		{method: get, pattern: "queues", endpoint: reads(h.readQueues),
			summary: "The number of messages in the queues."},
		{method: post, pattern: "queues/oldest", endpoint: takes(maxRequest, h.queueAges),
			summary: "The age of the oldest message in each queue. On AWS, this is a CloudWatch metric that AWS charges for."},
		{method: post, pattern: "dead-letters/peek", endpoint: takes(maxRequest, h.peekDeadLetters),
			summary: "Read dead letters, which briefly hides them from other readers. Tokens in bodies are not shown."},

		{method: post, pattern: "queues/pause", acts: true, endpoint: takes(maxRequest, h.pauseQueue),
			summary: "Pause an activity queue: its attempts wait, and running attempts finish. Requires a program with its own queues."},
		{method: post, pattern: "queues/unpause", acts: true, endpoint: takes(maxRequest, h.unpauseQueue),
			summary: "Unpause an activity queue."},
		{method: post, pattern: "dead-letters/redrive", acts: true, endpoint: takes(maxRequest, h.redriveDeadLetters),
			summary: "Send dead letters back to the queue that they came from, and then delete them."},
		{method: post, pattern: "dead-letters/delete", acts: true, endpoint: takes(maxRequest, h.deleteDeadLetters),
			summary: "Delete dead letters."},
		{method: post, pattern: "wake", acts: true, endpoint: takes(maxRequest, h.wakeMany),
			summary: "Wake up to 500 instances."},
	}
	for _, act := range acts.All() {
		routes = append(routes, h.route(act))
	}
	return routes
}
