package world

import "runtime"

// growWide grows the stack of an invocation to its final size in one step, which is
// cheap while the stack is nearly empty.
//
//go:noinline
func growWide() {
	var room [13 << 10]byte
	runtime.KeepAlive(&room)
}
