// Package history defines the events of an execution and their encoding. Programs that
// read histories use it: those that read an archive or an export, and databases for
// package embedded. Authors of orchestrations do not need it.
//
//   - [Event] is one event. Its [Kind] determines which of its fields are set.
//   - [DecodeExport] reads an [Export]: the file that turnstile history --export writes and
//     that an archive keeps.
//   - [Decode] reads the events of one stored turn, and [Encode] writes them.
//   - [Failure] describes a failure, [Start] how an execution started, and [Origin] the
//     history that a redrive or a fork copied.
//   - [SearchAttributes] are the values by which you can search for an instance.
//   - [*DecodeError] is the error for a damaged document. [ErrNewer] means that a newer build
//     wrote it.
//
// # Events
//
// All other state of an execution is rebuilt from its history. Event ids start at 1 and
// have no gaps. The first event is OrchestrationStarted, and a terminal event is the
// last. The names of kinds and fields come from the papers listed in docs/design.md,
// which also says where Turnstile extends them.
//
// # Versions of the format
//
// Events are stored as JSON documents with a format version. A field that an old build may ignore
// is added without a new version: old builds skip it, and because events are never rewritten,
// nothing is lost. If a document has a new kind of event, or a new field that must not be ignored,
// an old build returns [ErrNewer], and the instance waits for a newer build.
package history
