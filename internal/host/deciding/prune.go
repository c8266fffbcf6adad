package deciding

// pruneEvery is the number of executions after which an instance requests a prune. One message per
// ten executions costs a tenth of one per execution.
const pruneEvery = 10

// pruneFor returns the last execution to prune when the execution next starts and so many are kept;
// 0 means no request.
// The request is sent after the commit and never resent, because a later one covers it. It makes no
// turn (sweep.Keeper).
func pruneFor(keep, next int64) int64 {
	if keep == 0 || next <= keep || next%pruneEvery != 0 {
		return 0
	}
	return next - keep
}
