package turnstile

import (
	"cmp"
	"slices"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/catalog"
)

// Declared returns what the application has, with its types: by kind and name, the
// newest version of an orchestration first. A console offers it in its forms. It is
// empty for an application with an error.
func (a *App) Declared() []catalog.Declaration {
	if a.Err() != nil {
		return nil
	}
	all := slices.Clone(a.declared)
	slices.SortStableFunc(all, func(x, y catalog.Declaration) int {
		return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Name, y.Name), engine.CompareVersions(y.Version, x.Version))
	})
	return all
}
