// Package codec lets payloads be stored and sent in another form than plain:
// compressed, encrypted, or both. It works at the edge: the engine,
// orchestrations, activities and whoever uses a client see plain values only;
// tables and queues see sealed ones only.
//
// Sealed are the values that people give: inputs, results, outputs, the data
// of external events, custom status, the details of heartbeats and of
// failures. Values that the machinery or operators read stay plain: ids,
// names, versions, times, search attributes, and the texts of failures,
// reasons, problems and logs. Keep secrets out of those.
//
// A sealed value stands in JSON as a string, base64 of what the codec made, so
// that every document stays JSON; beside it, in the field codec, stands the
// codec's name, its mark. It is by a third longer than what the codec made of
// it.
//
// # Changing a codec or a key
//
// A Set writes with one codec and reads with several. A new key is first
// deployed as one that is read, in the two functions and in every client, and
// then as the one that writes; an old one is read for as long as a history, a
// record or a message under it may be there: an instance's whole life, its
// retention, and fourteen days for messages.
//
//	before, _ := aesgcm.New("2026-10", oldKey)
//	now, _ := aesgcm.New("2026-11", newKey)
//	set, err := codec.NewSet(now, before)
//
// A process that meets a mark it does not have writes nothing and guesses
// nothing: messages go round until one with the key handles them.
package codec
