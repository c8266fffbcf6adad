package store

import "context"

// Archive takes what is to be purged by its retention, before it is. Its methods may be
// called from several goroutines at once.
type Archive interface {
	// Keep takes the history of an execution as an export document (history.EncodeExport),
	// payloads as they are stored, and returns when it is durable. After an error the instance
	// is not purged, and comes again. An execution that was taken before may come again, and is
	// equal: an instance never uses the number of an execution twice.
	Keep(ctx context.Context, instance string, executionID int64, document []byte) error
}
