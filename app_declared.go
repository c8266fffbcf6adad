package turnstile

import (
	"cmp"
	"slices"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/catalog"
)

// Declared returns the declarations of the application's components with their types, sorted by
// kind and name; versions of an orchestration are sorted with the newest first. The console offers
// them in its forms. It returns nil for an application with a problem ([App.Err]).
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
