// Package codec changes the form in which payloads are stored and sent: compressed, encrypted, or
// both. Orchestrations, activities and callers only see decoded values; tables and queues only
// contain encoded values.
//
//	key, err := aesgcm.New("2026-11", secret)
//	set, err := codec.NewSet(codec.Chain(gzip.New(), key))
//
// Pass the set to awslambda.WithCodecs in both functions, to embedded.WithCodecs, and to
// client.Config.Codecs.
//
//   - [Codec] encodes and decodes payloads: the codec of package aesgcm, that of package gzip, or
//     your own. [Chain] combines several.
//   - [Set] has the codecs of a process: one that encodes, and others that only decode. [NewSet]
//     makes it.
//   - [*UnknownError] means that a process does not have the codec of a payload, [*DamagedError]
//     that a payload cannot be decoded, and [*EncodeError] that a codec could not encode a payload.
//
// # What is encoded
//
// A Set encodes inputs, results, outputs, the data of external events, the states, and the
// details of heartbeats and of failures. Values that operators read, or by which instances are
// found, are not encoded: ids, names, versions, times, search attributes, and the texts of
// failures, reasons, problems and logs. Keep secrets out of those.
//
// An encoded value is stored as a JSON string in base64, which makes it longer by a third. The name
// of the codec is stored next to it in the field codec.
//
// # Changing a codec or a key
//
// A Set encodes with one codec and decodes with several. First deploy a new key that only decodes,
// in the orchestrator, the worker and every client. Then deploy the same key for encoding. Keep an
// old key as long as a history, a record or a message with it can exist: for the life of its
// instances, their retention, and 14 days for messages.
//
//	before, _ := aesgcm.New("2026-10", oldKey)
//	now, _ := aesgcm.New("2026-11", newKey)
//	set, err := codec.NewSet(now, before)
//
// A process that does not have the codec of a payload writes nothing: its messages are requeued
// through the delay queue until a process that has the codec handles them.
package codec
