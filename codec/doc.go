// Package codec lets payloads be stored and sent in another form than plain: compressed,
// encrypted, or both. It works at the edge: orchestrations, activities and callers see plain
// values only; tables and queues see sealed values only.
//
//	key, err := aesgcm.New("2026-11", secret)
//	set, err := codec.NewSet(codec.Chain(gzip.New(), key))
//
// Give the set to awslambda.WithCodecs in both functions, to embedded.WithCodecs, and to
// client.Config.Codecs.
//
//   - [Codec] is one way to write payloads: that of package aesgcm, of package gzip, or yours.
//     [Chain] joins several.
//   - [Set] are the codecs of a process: one that seals, and those that open what is sealed
//     already. [NewSet] makes it.
//   - [*UnknownError] says that a process does not have the codec of a payload, [*DamagedError]
//     that a payload does not open, [*SealError] that a codec could not seal one.
//
// # What is sealed
//
// Sealed are inputs, results, outputs, the data of external events, the custom status, and the
// details of heartbeats and of failures. Values that operators read, or by which instances are
// found, stay plain: ids, names, versions, times, search attributes, and the texts of
// failures, reasons, problems and logs. Keep secrets out of those.
//
// A sealed value is stored as a string of JSON, in base64, which makes it longer by a third.
// The name of the codec, its mark, is stored beside it in the field codec.
//
// # Changing a codec or a key
//
// A Set writes with one codec and reads with several. Deploy a new key first as one that is
// read, in the two functions and in every client, and then as the one that writes. Keep an old
// key for as long as a history, a record or a message under it may exist: for the life of its
// instances, their retention, and fourteen days for messages.
//
//	before, _ := aesgcm.New("2026-10", oldKey)
//	now, _ := aesgcm.New("2026-11", newKey)
//	set, err := codec.NewSet(now, before)
//
// A process that lacks the codec of a payload writes nothing: its messages go round until a
// process that has it handles them.
package codec
