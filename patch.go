package turnstile

// Patched reports whether the execution runs the changed code. With it you can change code in place
// while instances run:
//
//	if turnstile.Patched(ctx, "check-stock") {
//		_, err = Stock.Call(ctx, order)
//	}
//	receipt, err := Charge.Call(ctx, order)
//
// An execution that reaches the call for the first time after the deployment has the patch, and
// keeps it. An execution whose history continued past this point before the patch was deployed does
// not have it. Patched records one event per id and execution if the execution has the patch, and
// nothing otherwise.
//
// Retire a patch in two steps. When no instance from before the patch is running, remove the old
// branch and replace Patched by [PatchRetired]. When no instance that started before that build is
// running, remove PatchRetired too. If you take a step too early, those instances are stuck with a
// nondeterminism error that names the patch; deploying the previous code again fixes them.
//
// For larger changes register a new [Version]. Patched panics as [Now] does if it is misused.
func Patched(ctx Context, id string) bool {
	run := ctx.engine("Patched")
	if err := validName("patch", id); err != nil {
		panic(&MisuseError{Call: "Patched", Problem: err.Error()})
	}
	patched, err := run.Patched(id)
	return recorded("Patched", patched, err)
}

// PatchRetired replaces [Patched] after the code from before the patch is removed: it accepts the
// event that [Patched] recorded, and records none.
func PatchRetired(ctx Context, id string) {
	run := ctx.engine("PatchRetired")
	if err := validName("patch", id); err != nil {
		panic(&MisuseError{Call: "PatchRetired", Problem: err.Error()})
	}
	recorded("PatchRetired", struct{}{}, run.PatchRetired(id))
}
