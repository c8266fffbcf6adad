package deciding

// pruneEvery is at how many executions an instance asks for earlier ones to be pruned: one message
// for ten executions costs a tenth.
const pruneEvery = 10

// pruneFor returns up to which execution the instance asks for pruning when the next one starts; 0
// for no request. The request is sent after the commit and never resent, because a later one covers
// it. It makes no turn (sweep.Keeper).
func (t *Turn) pruneFor(next int64) int64 {
	keep := t.By.Keeps(t.Running.Started().Name)
	if keep == 0 || next <= keep || next%pruneEvery != 0 {
		return 0
	}
	return next - keep
}
