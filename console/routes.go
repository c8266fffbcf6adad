package console

import "net/http"

// table returns the routes of the API. openapi.json describes each of them.
func (h *handler) table() []route {
	const instance = "instances/{id}"
	return []route{
		{method: http.MethodGet, pattern: "about", endpoint: reads(h.about)},
		{method: http.MethodGet, pattern: "instances", endpoint: reads(h.listInstances)},
		{method: http.MethodGet, pattern: instance, endpoint: reads(h.instance)},
		{method: http.MethodGet, pattern: "counts", endpoint: reads(h.counts)},
		{method: http.MethodGet, pattern: instance + "/tree", endpoint: reads(h.tree)},
		{method: http.MethodGet, pattern: instance + "/export", endpoint: endpoint{serve: h.export}},
		{method: http.MethodGet, pattern: instance + "/executions/{execution}/events", endpoint: reads(h.events)},
		{method: http.MethodGet, pattern: instance + "/executions/{execution}/events/{event}", endpoint: reads(h.event)},

		{method: http.MethodPost, pattern: "instances", acts: true, endpoint: takes(maxRequest, h.start)},
		{method: http.MethodPost, pattern: instance + "/raise", acts: true, endpoint: takes(maxRequest, h.raise)},
		{method: http.MethodPost, pattern: instance + "/cancel", acts: true, endpoint: takes(maxRequest, h.cancel)},
		{method: http.MethodPost, pattern: instance + "/terminate", acts: true, endpoint: takes(maxRequest, h.terminate)},
		{method: http.MethodPost, pattern: instance + "/wake", acts: true, endpoint: takes(maxRequest, h.wake)},
		{method: http.MethodPost, pattern: instance + "/purge", acts: true, endpoint: takes(maxRequest, h.purge)},
		{method: http.MethodPost, pattern: "wake", acts: true, endpoint: takes(maxRequest, h.wakeMany)},
		{method: http.MethodPost, pattern: "activities/complete", acts: true, endpoint: takes(maxRequest, h.completeActivity)},
		{method: http.MethodPost, pattern: "activities/fail", acts: true, endpoint: takes(maxRequest, h.failActivity)},
		{method: http.MethodPost, pattern: "activities/heartbeat", acts: true, endpoint: takes(maxRequest, h.heartbeatActivity)},
	}
}
