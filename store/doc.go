// Package store is the interface to durable state: histories, to which turns
// are appended with a condition on the event id, and instance records.
// store/dynamo and internal/store/memory implement it; internal/store/storetest is the suite
// that every implementation passes.
package store
