package main

import (
	"time"

	"github.com/turnstile-go/turnstile"
)

// Names and types are declared once.
var (
	Import = turnstile.NewOrchestration[Delivery, Report]("Import")

	List    = turnstile.NewActivity[string, []string]("List").With(steady)
	Convert = turnstile.NewActivity[File, Table]("Convert").With(steady, turnstile.HeartbeatTimeout(time.Minute))
	Remove  = turnstile.NewActivity[File, turnstile.None]("Remove").With(persistent)
	Publish = turnstile.NewActivity[Report, turnstile.None]("Publish").With(steady)
)

var (
	steady = turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 3, InitialInterval: 5 * time.Second})
	// Compensations are retried for longer, because giving up leaves tables behind.
	persistent = turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 20, InitialInterval: time.Second, MaxInterval: 10 * time.Minute})
)

// Delivery is the input of Import.
type Delivery struct {
	Folder string `json:"folder"`
	// Limit is how many files are converted at a time; 0 for four.
	Limit int `json:"limit,omitempty"`
	// Tolerate is how many files may be unreadable.
	Tolerate int `json:"tolerate,omitempty"`
}

// File is a file of a delivery.
type File struct {
	Folder string `json:"folder"`
	Name   string `json:"name"`
}

// Table is the result of converting a file.
type Table struct {
	Name string `json:"name"`
	Rows int    `json:"rows"`
}

// Report is the output of Import, and the input of Publish.
type Report struct {
	Folder  string   `json:"folder"`
	Tables  []Table  `json:"tables"`
	Skipped []string `json:"skipped,omitempty"`
}
