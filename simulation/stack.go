package simulation

import "runtime"

// growStack lets the stack of a new coroutine grow at once to what the code
// needs: that is cheap while there is little on it. growWide is for invocations,
// which need more.
//
//go:noinline
func growStack() {
	var room [5 << 10]byte
	runtime.KeepAlive(&room)
}

//go:noinline
func growWide() {
	var room [13 << 10]byte
	runtime.KeepAlive(&room)
}
