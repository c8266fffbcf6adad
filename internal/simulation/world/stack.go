package world

import "runtime"

// growWide lets the stack of an invocation grow at once to what it needs: that is
// cheap while there is little on it.
//
//go:noinline
func growWide() {
	var room [13 << 10]byte
	runtime.KeepAlive(&room)
}
