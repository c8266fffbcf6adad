//go:build !unix || aix || solaris || illumos

package livetrace

import "os"

// terminalColumns is not known here.
func terminalColumns(*os.File) int { return 0 }
