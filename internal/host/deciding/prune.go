package deciding

// pruneEvery is the number of executions after which an instance requests a prune. One message per
// ten executions costs a tenth of one message per execution.
const pruneEvery = 10

// pruneFor returns the last execution to prune when the execution next starts, if the number of
// executions to keep is keep; 0 means no request. The request is sent after the commit and never
// resent, because a later request covers it. The request causes no turn (sweep.Keeper).
func pruneFor(keep, next int64) int64 {
	if keep == 0 || next <= keep || next%pruneEvery != 0 {
		return 0
	}
	return next - keep
}
