// Package history holds the events of an execution and their encoding.
//
// A history is the only durable truth about an execution: all other state is
// rebuilt from it. Events have ids from 1 without gaps; the first is
// OrchestrationStarted, and a terminal event is the last. Names of kinds and fields
// come from the papers of the design; docs/design.md says where they were extended.
//
// Events are stored as JSON documents with a format version (see Encode and
// Decode). A field that old builds may overlook is added without a new version
// and is ignored by them; since events are never written again, none is lost. A
// new event kind, or a field that must not be overlooked, is told from damage
// by ErrNewer, and such a history waits for a build that knows it.
package history
