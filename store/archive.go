package store

import "context"

// Archive receives histories before retention purges them. Its methods may be called from several
// goroutines at once.
type Archive interface {
	// Keep receives the history of an execution as an export document (history.EncodeExport), with
	// payloads as they are stored, and returns when it is durable. After an error the instance is
	// not purged, and Keep is called again later. Keep may be called again for an execution that it
	// has already stored. The document is then the same, because an instance never reuses an
	// execution number.
	//
	// An error that wraps [errors.ErrUnsupported] concerns only this document, for example its size.
	// After any other error (access is denied, the archive does not respond) no other history is
	// archived until the next sweep, which starts within an hour.
	Keep(ctx context.Context, instance string, executionID int64, document []byte) error
}
