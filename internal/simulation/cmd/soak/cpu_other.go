//go:build !unix

package main

import "time"

// cpuTime is not available here.
func cpuTime() time.Duration { return 0 }
