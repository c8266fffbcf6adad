package api

import "time"

// About describes this console: what it is, what it shows and which actions it allows.
type About struct {
	// Now is the time of the data, from which ages are counted. It may differ from the reader's
	// clock.
	Now   time.Time `json:"now"`
	Build Build     `json:"build"`
	Place Place     `json:"place"`
	// Actions is set if the console allows actions: to start, end or redrive instances, to raise
	// events, and so on.
	Actions      bool         `json:"actions"`
	Capabilities Capabilities `json:"capabilities"`
	Limits       Limits       `json:"limits"`
	Cost         Cost         `json:"cost"`
	Links        Links        `json:"links"`
	// Acts are the actions that operators can take on an instance.
	Acts []Act `json:"acts"`
}

// Act describes an action on an instance, for its button and its form. Its request is POST
// instances/{id}/{name}.
type Act struct {
	Name string `json:"name"`
	// Title is the text of its button, Sends the text of the button of its form if that differs.
	Title string `json:"title"`
	Sends string `json:"sends,omitempty"`
	// Does describes what it does, in one or two sentences.
	Does string `json:"does"`
	// Of is the kind of operation that it acts on: "timer" or "activity"; omitted if it acts on the
	// instance.
	Of string `json:"of,omitempty"`
	// Needs is the field that the operation must have under live in its timeline row; omitted for
	// none.
	Needs string `json:"needs,omitempty"`
	// Destroys is set if it discards work or data.
	Destroys bool `json:"destroys,omitempty"`
	// Many is set if it can be applied to many instances at once.
	Many bool `json:"many,omitempty"`
	// Reason is set if it takes a reason, which the history records.
	Reason bool `json:"reason,omitempty"`
}

// Links are templates of URLs of other sites, for browsers in which the user has set none.
// {instance}, {request}, {trace}, {from} and {to} stand for values, with URL encoding or, with a
// star as in {instance*}, with the encoding of CloudWatch's URLs.
type Links struct {
	Logs   string `json:"logs,omitempty"`
	Traces string `json:"traces,omitempty"`
}

// Build of the program that serves the console.
type Build struct {
	// Version of Turnstile; "(devel)" for a build from a checkout.
	Version string `json:"version"`
	// Revision of the program's source, and whether the source had uncommitted changes.
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
}

// Place is where the instances are stored.
type Place struct {
	// Kind is "embedded", "sqlite", "local stack", "aws", or the text that the program gave to the
	// console.
	Kind string `json:"kind"`
	// Settings by name: region, tables, queues, a directory.
	Settings map[string]string `json:"settings,omitempty"`
}

// OneMachine is set if the instances run on one machine, where requests cost nothing.
func (p *Place) OneMachine() bool {
	return p.Kind == "embedded" || p.Kind == "sqlite" || p.Kind == "local stack"
}

// Capabilities are the optional features that this console has.
type Capabilities struct {
	DeadLetters bool `json:"dead_letters"`
	Queues      bool `json:"queues"`
	// QueueAges is set if the age of the oldest message in each queue can be read.
	QueueAges bool `json:"queue_ages"`
	// QueuePause is set if activity queues can be paused.
	QueuePause bool `json:"queue_pause"`
	// Catalog is set if the console knows the names and types in the code, which forms use.
	Catalog bool `json:"catalog"`
	// Code is set if the console has the code, so that it can show where an instance waits in the
	// code.
	Code bool `json:"code"`
	// Queries is set if the code can be queried.
	Queries bool `json:"queries"`
	// CompleteByRow is set if an activity can be completed without its token.
	CompleteByRow bool `json:"complete_by_row"`
	// Logs is set if the console has the log lines about instances.
	Logs bool `json:"logs"`
	// FreeLooks is set if the queues are in the same process as their database. The page then reads
	// dead letters and queue ages by itself.
	FreeLooks bool `json:"free_looks"`
	// Live is how changes are found: "push" if the store reports them, otherwise "poll".
	Live string `json:"live"`
}

// Limits of requests and responses.
type Limits struct {
	// PayloadBytes is the maximum size of an input, a result, an output or the data of an event.
	PayloadBytes int `json:"payload_bytes"`
	// FoldedOverBytes is the size over which lists leave a payload out.
	FoldedOverBytes int `json:"folded_over_bytes"`
	// PageSize is the maximum page size of a list of instances, EventsPage that of a history.
	PageSize   int `json:"page_size"`
	EventsPage int `json:"events_page"`
	// RequestBytes is the maximum size of a request body, ImportBytes that of a history to inspect.
	RequestBytes int64 `json:"request_bytes"`
	ImportBytes  int64 `json:"import_bytes"`
	// LivePages is the maximum number of live connections.
	LivePages int `json:"live_pages"`
}

// Cost is what open pages read. If changes are pushed, they read nothing until something changes.
// Otherwise all open pages share one poller: a poll of an instance reads its record and the new
// part of its history, and a poll of a list reads a record for each row. On DynamoDB a record of up
// to 4 KB is one read unit.
type Cost struct {
	// PollSeconds is the shortest time between two polls of the same thing; 0 if changes are
	// pushed.
	PollSeconds float64 `json:"poll_seconds"`
	// RecordsAMinute is the maximum number of records that all open pages together read in a
	// minute; 0 if changes are pushed.
	RecordsAMinute int `json:"records_a_minute"`
	// RecordsLastMinute is how many records they read in the last minute.
	RecordsLastMinute int `json:"records_last_minute"`
}
