package main

import (
	"context"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/mcpserver"
	"github.com/turnstile-go/turnstile/docs"
)

func skillCommand() *command {
	return &command{
		name: "skill", also: []string{"skills", "prompt"}, most: 0, offline: true,
		short: "print a skill file for agents that work with Turnstile",
		long: paragraph(
			"Prints a skill file that explains how to write, test, change and debug orchestrations. Save it in",
			"your agent's skills folder."),
		examples: []string{"turnstile skill > .claude/skills/turnstile/SKILL.md"},
		declare: func(c *cli, _ *flag.FlagSet) action {
			return func(context.Context, []string) error {
				text, err := docs.Pages.ReadFile(mcpserver.SkillPage)
				if err != nil {
					return err
				}
				_, err = c.out.Write(text)
				return err
			}
		},
	}
}
