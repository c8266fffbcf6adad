package api

import "time"

// About says what this console is, what it shows and what it may do.
type About struct {
	// Now is the time of what is shown, from which ages are counted: it may be
	// another than the reader's.
	Now   time.Time `json:"now"`
	Build Build     `json:"build"`
	Place Place     `json:"place"`
	// Actions: the console may start, raise events, end and redrive.
	Actions      bool         `json:"actions"`
	Capabilities Capabilities `json:"capabilities"`
	Limits       Limits       `json:"limits"`
	Cost         Cost         `json:"cost"`
	Links        Links        `json:"links"`
	// Acts are those that operators can do to an instance.
	Acts []Act `json:"acts"`
}

// Act describes an act on an instance, for its button and its form. Its request is POST
// instances/{id}/{name}.
type Act struct {
	Name string `json:"name"`
	// Title is the word on its button, Sends that on the button of its form if it is another.
	Title string `json:"title"`
	Sends string `json:"sends,omitempty"`
	// Does says what it does, in one or two sentences.
	Does string `json:"does"`
	// Of is the kind of operation that it acts on: "timer" or "activity"; left out for none.
	Of string `json:"of,omitempty"`
	// Needs is what such an operation must have for it, as its row in the timeline says in live.
	Needs string `json:"needs,omitempty"`
	// Destroys: it discards work or data.
	Destroys bool `json:"destroys,omitempty"`
	// Many: it can be done to many instances at once.
	Many bool `json:"many,omitempty"`
	// Reason: it takes a reason, for the history.
	Reason bool `json:"reason,omitempty"`
}

// Links are templates of addresses of other sites, for readers whose browser has none of its own.
// {instance}, {request}, {trace}, {from} and {to} stand for values, encoded as in addresses, or
// with a star, as {instance*}, as the addresses of CloudWatch have them.
type Links struct {
	Logs   string `json:"logs,omitempty"`
	Traces string `json:"traces,omitempty"`
}

// Build of the program that serves the console.
type Build struct {
	// Version of Turnstile; "(devel)" for one of a checkout.
	Version string `json:"version"`
	// Revision of the program's source, and whether it had changes.
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
}

// Place is where what is shown is kept.
type Place struct {
	// Kind: "embedded", "sqlite", "local stack", "aws", or what the mounting
	// program says.
	Kind string `json:"kind"`
	// Settings by their names: region, tables, queues, a directory.
	Settings map[string]string `json:"settings,omitempty"`
}

// OneMachine reports whether instances run on one machine, where no request costs
// anything.
func (p *Place) OneMachine() bool {
	return p.Kind == "embedded" || p.Kind == "sqlite" || p.Kind == "local stack"
}

// Capabilities say what this console was given.
type Capabilities struct {
	DeadLetters bool `json:"dead_letters"`
	Queues      bool `json:"queues"`
	// QueueAges: the age of the oldest message can be asked for.
	QueueAges bool `json:"queue_ages"`
	// QueuePause: activity queues can be paused.
	QueuePause bool `json:"queue_pause"`
	// Catalog: what the code has is known, for forms.
	Catalog bool `json:"catalog"`
	// Code: the code is at hand, so that it can be told where an instance waits in it.
	Code bool `json:"code"`
	// Queries: the code can be asked queries.
	Queries bool `json:"queries"`
	// CompleteByRow: an activity can be completed without its token.
	CompleteByRow bool `json:"complete_by_row"`
	// Logs: what was logged about an instance is at hand.
	Logs bool `json:"logs"`
	// FreeLooks: the queues are in one process with their database, so that the page looks at
	// dead letters and ages of queues without being asked.
	FreeLooks bool `json:"free_looks"`
	// Live says how changes are found: "push", where the store tells of
	// them, else "poll".
	Live string `json:"live"`
}

// Limits that hold for what is shown and sent.
type Limits struct {
	// PayloadBytes of an input, a result, an output, the data of an event.
	PayloadBytes int `json:"payload_bytes"`
	// FoldedOverBytes: a payload over it is left out of lists.
	FoldedOverBytes int `json:"folded_over_bytes"`
	// PageSize of a list of instances, and EventsPage of a history, at most.
	PageSize   int `json:"page_size"`
	EventsPage int `json:"events_page"`
	// RequestBytes of a body, and ImportBytes of a history that is inspected.
	RequestBytes int64 `json:"request_bytes"`
	ImportBytes  int64 `json:"import_bytes"`
	// LivePages is how many live connections there may be at once.
	LivePages int `json:"live_pages"`
}

// Cost says what looking reads. An open page costs nothing where changes are
// pushed. Elsewhere all open pages share one poller: a look at an instance reads
// its record and what is new of its history, a look at a list a record for each
// row. On DynamoDB a record of up to 4 KB is one read unit.
type Cost struct {
	// PollSeconds is the shortest time between two looks at the same thing; 0
	// where changes are pushed.
	PollSeconds float64 `json:"poll_seconds"`
	// RecordsAMinute is how many records all open pages together may read a
	// minute, at most; 0 where changes are pushed.
	RecordsAMinute int `json:"records_a_minute"`
	// RecordsLastMinute is how many they did read.
	RecordsLastMinute int `json:"records_last_minute"`
}
