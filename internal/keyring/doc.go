// Package keyring makes and checks the tokens by which a completion proves
// that it answers what an orchestration sent out. A token is an HMAC under a
// key of the stack, which the orchestrator alone can read: who may read
// histories, records and logs can make none.
//
// A store.Keys keeps the keys, each under an id; a Ring is what one process knows of
// them. One key is the current one: tokens are made under it. A token names
// its key, so that tokens made under an earlier key hold for as long as that
// key is kept.
package keyring
