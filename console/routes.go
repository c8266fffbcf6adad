package console

import "net/http"

// table returns the routes of the API. openapi.json describes each of them.
func (h *handler) table() []route {
	const instance = "instances/{id}"
	return []route{
		{method: http.MethodGet, pattern: "about", endpoint: reads(h.about)},
		{method: http.MethodGet, pattern: "instances", endpoint: reads(h.listInstances)},
		{method: http.MethodGet, pattern: instance, endpoint: reads(h.instance)},
		{method: http.MethodGet, pattern: instance + "/executions/{execution}/events", endpoint: reads(h.events)},
		{method: http.MethodGet, pattern: instance + "/executions/{execution}/events/{event}", endpoint: reads(h.event)},
	}
}
