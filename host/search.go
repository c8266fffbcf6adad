package host

import (
	"context"

	"github.com/turnstile-go/turnstile/history"
)

// searchSet returns what a draft changes of the search attributes that the
// record has. It reads the record, which says under which time the index keeps
// them, and what it has already: setting a value that is there costs this one
// read.
func (t *turn) searchSet(ctx context.Context, d *draft) (history.SearchAttributes, error) {
	if len(d.searchSet) == 0 || t.creating {
		return d.searchSet, nil
	}
	if !t.described {
		if err := t.describe(ctx); err != nil {
			return nil, err
		}
		if r := t.record; t.warm && r != nil && r.Problem != nil {
			return nil, errRebuild // What the cache has knows nothing of what is parked.
		}
	}
	if t.record == nil {
		return nil, nil // The commit finds that out by itself.
	}
	set := t.searchDiffers(d)
	if len(set) < len(d.searchSet) {
		if err := t.currentRecord(ctx); err != nil || t.record == nil {
			return nil, err
		}
		set = t.searchDiffers(d)
	}
	return set, nil
}

// searchDiffers returns what of a draft's search attributes the record has not.
func (t *turn) searchDiffers(d *draft) (set history.SearchAttributes) {
	for name, v := range d.searchSet {
		if t.record.SearchAttributes[name] == v {
			continue
		}
		if set == nil {
			set = make(history.SearchAttributes, len(d.searchSet))
		}
		set[name] = v
	}
	return set
}
