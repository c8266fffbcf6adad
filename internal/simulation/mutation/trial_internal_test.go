package mutation

import (
	"errors"
	"testing"
)

func TestWhatTheCorpusPrintedIsRead(t *testing.T) {
	t.Parallel()
	failed := errors.New("exit status 1")
	var r Trial
	if err := r.readCorpus([]byte("9 runs of the corpus, 0 failures\n"), nil); err != nil || r.Caught {
		t.Errorf("a good corpus: %+v, %v", r, err)
	}
	if err := r.readCorpus([]byte("panic: nil map\n"), failed); !errors.Is(err, failed) || r.Caught {
		t.Errorf("a crash: %+v, %v", r, err)
	}
	err := r.readCorpus([]byte("corpus line 51 (I-03: a copy (late) was lost): I-03: root1 is running: nothing is left\n"), failed)
	if err != nil || !r.Caught || r.Corpus != 51 || r.Rule != "I-03" || r.Text != "root1 is running: nothing is left" {
		t.Errorf("a broken invariant: %+v, %v", r, err)
	}
}
