// Package docs has the users' pages and the skill for agents, which the command line serves.
package docs

import "embed"

// Pages are the Markdown files of this folder, of guide and of skill.
//
//go:embed *.md guide/*.md skill/SKILL.md
var Pages embed.FS
