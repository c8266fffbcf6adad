#include "textflag.h"

// func goroutine() uintptr
TEXT ·goroutine(SB), NOSPLIT, $0-8
	MOVD g, R0
	MOVD R0, ret+0(FP)
	RET

// func panicWord() uintptr
TEXT ·panicWord(SB), NOSPLIT, $0-8
	MOVD 32(g), R0
	MOVD R0, ret+0(FP)
	RET
