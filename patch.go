package turnstile

// Patched reports whether the execution runs on the changed code, and so lets
// code be changed in place while instances run:
//
//	if turnstile.Patched(ctx, "check-stock") {
//		_, err = Stock.Call(ctx, order)
//	}
//	receipt, err := Charge.Call(ctx, order)
//
// An execution that gets here for the first time has the patch, and keeps it;
// one whose history went past this place before the patch was deployed does
// not. Where it has it, it records one event, once for each id in an execution.
//
// A patch is retired in two steps. When no instance from before it runs any
// more, take the old branch out and put [PatchRetired] in the place of Patched.
// When no instance that began before this build runs any more, take that out
// too. A step taken too early parks those instances with a nondeterminism error
// that names the patch; going back is all it takes.
//
// For larger changes register a new Version. It panics as [Now] does if it is
// misused.
func Patched(ctx Context, id string) bool {
	run := ctx.engine("Patched")
	if err := validName("patch", id); err != nil {
		panic(&MisuseError{Call: "Patched", Problem: err.Error()})
	}
	patched, err := run.Patched(id)
	return recorded("Patched", patched, err)
}

// PatchRetired stands in the place of [Patched] once the code from before the
// patch is gone: it accepts the event that [Patched] recorded, and records none.
func PatchRetired(ctx Context, id string) {
	run := ctx.engine("PatchRetired")
	if err := validName("patch", id); err != nil {
		panic(&MisuseError{Call: "PatchRetired", Problem: err.Error()})
	}
	recorded("PatchRetired", struct{}{}, run.PatchRetired(id))
}
