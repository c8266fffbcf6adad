package deciding

// pruneEvery is at which executions an instance asks for earlier ones to be pruned: one
// message for ten costs a tenth.
const pruneEvery = 10

// pruneFor returns up to which execution the instance asks to be pruned when the next one
// begins; 0 for not at all. The request is sent after the commit, and by nothing again: a
// later one stands for it. It makes no turn (sweep.Keeper).
func (t *Turn) pruneFor(next int64) int64 {
	keep := t.By.Keeps(t.Running.Started().Name)
	if keep == 0 || next <= keep || next%pruneEvery != 0 {
		return 0
	}
	return next - keep
}
