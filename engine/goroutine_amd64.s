#include "textflag.h"

// func goroutine() uintptr
TEXT ·goroutine(SB), NOSPLIT, $0-8
	MOVQ (TLS), AX
	MOVQ AX, ret+0(FP)
	RET

// func panicWord() uintptr
TEXT ·panicWord(SB), NOSPLIT, $0-8
	MOVQ (TLS), AX
	MOVQ 32(AX), AX
	MOVQ AX, ret+0(FP)
	RET
