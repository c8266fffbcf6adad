// Package limits holds what is known of a limit over instances: who has a permit, and who
// waits for one in which order. It does no I/O.
//
// All of one key is a State, which stands in one item of the activities table. A process
// reads it, asks it for a permit, gives one back, or leaves the line, and writes what has become of it
// on the condition that nobody has written meanwhile. So each change sees all changes
// before it, and what holds of one State holds of the limit:
//
//   - At most n have a permit whose time is not over.
//   - A free permit is for the first in the line. Whoever comes later gets one only if
//     more are free than stand before.
//   - The first in the line are called as soon as permits are free for them. One that
//     does not come within CallTime is passed over until it comes.
//   - Nobody stays in the line who is not heard of for Silence.
package limits
