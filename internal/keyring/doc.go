// Package keyring makes and checks the tokens by which a completion proves that it responds to a
// message of an orchestration. A token is an HMAC with a key of the stack, which only the
// orchestrator can read. A reader of histories, records and logs cannot make one.
//
// A store.Keys keeps the keys, each under an id; a Ring is what one process knows of
// them. One key is the current one: tokens are made under it. A token names
// its key, so that tokens made under an earlier key hold for as long as that
// key is kept.
package keyring
