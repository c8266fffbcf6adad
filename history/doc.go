// Package history holds the events of an execution and their encoding. Programs that read
// histories need it: those that look into an archive or an export, and databases for package
// embedded. Authors of orchestrations do not.
//
//   - [Event] is one event. Its [Kind] says which of its fields are set.
//   - [DecodeExport] reads an [Export]: the file that turnstile history --export writes, and
//     that an archive keeps.
//   - [Decode] reads the events of one stored turn, and [Encode] writes them.
//   - [Failure] says why something failed, [Start] how an execution began, [Origin] what a
//     redrive or a fork has taken over.
//   - [SearchAttributes] are the values by which an instance is found.
//   - [*DecodeError] says where a document is damaged. [ErrNewer] says that a newer build has
//     written it.
//
// # Events
//
// All other state of an execution is rebuilt from its history. Events have ids from 1 without
// gaps. The first event is OrchestrationStarted, and a terminal event is the last. The names of
// kinds and fields come from the papers that docs/design.md names, which says where they were
// extended.
//
// # Versions of the format
//
// Events are stored as JSON documents with a format version. A field that old builds may
// overlook is added without a new version; they ignore it, and as events are never written
// again, nothing is lost. A new kind of event, or a field that must not be overlooked, is
// [ErrNewer] to an old build: its instance waits for a build that knows it.
package history
