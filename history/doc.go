// Package history holds the events of an execution and their encoding.
//
// A history is the only durable truth about an execution: everything else is
// rebuilt from it. Events have ids from 1 without gaps; the first is
// OrchestrationStarted, and a terminal event is the last. Names of kinds and
// fields are those of the papers the design comes from; docs/design.md says
// where they were extended.
package history
