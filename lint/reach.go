package lint

import (
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// reach computes what each function does through the functions that it calls. It repeats until
// nothing new is found.
func (c *collector) reach() {
	for changed := true; changed; {
		changed = false
		for _, f := range c.functions {
			for _, e := range f.effects {
				changed = f.add(reached{Check: e.check, What: e.what, Does: e.does, Instead: e.instead, At: c.at(e.pos)}) || changed
			}
			for _, u := range f.uses {
				for _, r := range c.through(u) {
					if !c.comments.allows(r.Check, u.pos) {
						changed = f.add(r) || changed
					}
				}
			}
		}
	}
}

func (f *function) add(r reached) bool {
	if _, known := f.reached[r.Check]; known || len(r.Through) > 20 {
		return false
	}
	f.reached[r.Check] = r
	return true
}

// through returns what the used function does. If it is orchestration code of this module, it
// returns only durable calls, because the other findings are reported in that function.
func (c *collector) through(u use) []reached {
	name, all := "", []reached(nil)
	if callee := c.byObject[u.object]; callee != nil {
		name = callee.name
		for _, k := range checks {
			if r, ok := callee.reached[k]; ok && (callee.kind != orchestration || k == durable) {
				all = append(all, r)
			}
		}
	} else if u.object.Pkg() != c.pass.Pkg {
		var fact functionFact
		if !c.pass.ImportObjectFact(u.object, &fact) {
			return nil
		}
		name = nameOf(u.object, c.pass.Pkg)
		own := fact.Module == c.module()
		for _, r := range fact.Reached {
			if own && (!fact.Orchestration || r.Check == durable) || !own && r.Check.abroad() {
				all = append(all, r)
			}
		}
	}
	for i := range all {
		all[i].Through = append([]string{name}, all[i].Through...)
	}
	return all
}

// exportFacts exports the facts for packages that import this one.
func (c *collector) exportFacts() {
	for _, f := range c.functions {
		if f.object == nil {
			continue
		}
		fact := functionFact{Module: c.module(), Orchestration: f.kind == orchestration, MapOrdered: c.mapOrdered[f.object]}
		for _, k := range checks {
			if r, ok := f.reached[k]; ok {
				fact.Reached = append(fact.Reached, r)
			}
		}
		if len(fact.Reached) > 0 || fact.MapOrdered {
			c.pass.ExportObjectFact(f.object, &fact)
		}
	}
}

// report reports the findings in orchestration code, and durable calls elsewhere.
func (c *collector) report() {
	for _, f := range c.functions {
		for _, e := range f.effects {
			if f.reports(e.check) {
				c.find(e)
			}
		}
		for _, u := range f.uses {
			for _, r := range c.through(u) {
				if f.reports(r.Check) && !c.comments.allows(r.Check, u.pos) {
					c.find(r.at(u.pos))
				}
			}
		}
	}
}

func (f *function) reports(k check) bool {
	switch f.kind {
	case orchestration:
		return k != durable
	case activityCode:
		return k == durable
	}
	return false
}

// at returns an effect of a called function as a finding at the call.
func (r reached) at(pos token.Pos) effect {
	does := "reaches "
	if between := r.Through[1:]; len(between) > 0 {
		does += "(through " + strings.Join(between, ", ") + ") "
	}
	does += fmt.Sprintf("%s, which %s, at %s", r.What, r.Does, r.At)
	return effect{check: r.Check, pos: pos, what: r.Through[0], does: does, instead: r.Instead}
}

// at returns file and line of a position.
func (c *collector) at(pos token.Pos) string {
	p := c.pass.Fset.Position(pos)
	return fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)
}

func (c *collector) module() string {
	if c.pass.Module == nil {
		return ""
	}
	return c.pass.Module.Path
}

// isDependency reports whether the package is part of a published module other than the one that is
// linted. Its variables and maps are not checked (see abroad), and nothing is reported.
func (c *collector) isDependency() bool { return c.pass.Module != nil && c.pass.Module.Version != "" }

// add records what a function does, unless a comment allows it.
func (c *collector) add(f *function, k check, pos token.Pos, what, does, instead string) {
	if instead == "" {
		instead = k.instead()
	}
	same := func(e effect) bool { return e.check == k && e.pos == pos }
	if c.comments.allows(k, pos) || slices.ContainsFunc(f.effects, same) {
		return
	}
	f.effects = append(f.effects, effect{check: k, what: what, does: does, instead: instead, pos: pos})
}

// addRule records the use of an object of the standard library.
func (c *collector) addRule(f *function, r *rule, obj types.Object, pos token.Pos) {
	c.add(f, r.check, pos, nameOf(obj, nil), r.does, r.instead)
}
