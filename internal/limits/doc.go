// Package limits holds the state of a limit that applies across instances: which processes hold permits, which wait for
// permits, and when attempts that wait outside of a process return.
//
// The State of one key is one item of the activities table. A process reads it, takes or returns permits, and writes the
// result on condition that no other process has written in the meantime. So each change builds on all earlier ones, and
// the invariants of a State are invariants of the limit:
//
//   - At most n unexpired permits are held.
//   - A free permit goes to the waiting group with the fewest permits, whichever process writes.
//   - A group keeps a permit until it returns it or the permit expires.
//   - No span of a rate has more than n permits.
package limits
