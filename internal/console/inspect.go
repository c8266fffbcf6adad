package console

import (
	"errors"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/recording"
)

// maxImport is the size of the largest file that is inspected, in bytes, and of the JSON around it.
const (
	maxImport     = 8 << 20
	maxImportBody = 2*maxImport + maxRequest
)

// inspect reads a file and returns its content. Nothing is stored.
func (h *handler) inspect(_ *request, in api.Inspect) (api.Inspected, error) {
	if len(in.Text) > maxImport {
		return api.Inspected{}, api.Errorf(api.CodeTooLarge, "the file has %d bytes, and the limit is %d", len(in.Text), maxImport)
	}
	r, err := recording.Decode([]byte(in.Text))
	if err != nil {
		e := api.Errorf(api.CodeInvalid, "the file cannot be read: %v", err)
		e.Advice = "Use a history that `turnstile history INSTANCE --export` or the page's Export wrote, several exports in one file, or a story of the simulation."
		if errors.Is(err, history.ErrNewer) {
			e.Code, e.Advice = api.CodeNewer, "A newer build wrote this file. Use a console of that version."
		}
		return api.Inspected{}, e
	}
	return api.InspectedOf(r), nil
}
