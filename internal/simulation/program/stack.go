package program

import "runtime"

// growStack lets the stack of a new coroutine grow at once to what the code
// needs: that is cheap while there is little on it.
//
//go:noinline
func growStack() {
	var room [5 << 10]byte
	runtime.KeepAlive(&room)
}
