package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// shelf is a folder from which the modules can be installed as if they were
// published, without a trace in the module cache of whoever runs this.
type shelf struct {
	folder  string
	version string
	env     []string
}

func (r *repository) newShelf(ctx context.Context) (_ *shelf, err error) {
	folder, err := os.MkdirTemp("", "turnstile-release-")
	if err != nil {
		return nil, err
	}
	s := &shelf{folder: folder, version: r.version}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	proxy := filepath.Join(folder, "proxy")
	if err := r.proxy(ctx, proxy); err != nil {
		return nil, err
	}
	out, err := exec.CommandContext(ctx, "go", "env", "GOMODCACHE", "GOPROXY", "GONOSUMDB").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	set := strings.Split(strings.TrimRight(string(out), "\n")+"\n\n", "\n")
	// What was downloaded before is taken from there.
	proxies := fileURL(proxy) + "," + fileURL(filepath.Join(set[0], "cache", "download"))
	if set[1] != "" {
		proxies += "," + set[1]
	}
	noSums := ownModule + "," + ownModule + "/*"
	if set[2] != "" {
		noSums += "," + set[2]
	}
	s.env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-modcacherw", "CGO_ENABLED=0", "GOPROXY="+proxies, "GONOSUMDB="+noSums,
		"GOPATH="+filepath.Join(folder, "go"), "GOMODCACHE="+filepath.Join(folder, "go", "pkg", "mod"), "GOBIN=")
	return s, nil
}

func (s *shelf) close() { _ = os.RemoveAll(s.folder) }

// install returns the file of a program that was installed for a platform.
func (s *shelf) install(ctx context.Context, program string, p platform) (string, error) {
	path := ownModule + "/" + program + "@" + s.version
	if err := s.run(ctx, s.folder, p, "install", "-trimpath", "-ldflags=-s -w", path); err != nil {
		return "", err
	}
	binary := filepath.Join(s.folder, "go", "bin")
	if p.system != runtime.GOOS || p.processor != runtime.GOARCH {
		binary = filepath.Join(binary, p.system+"_"+p.processor)
	}
	binary = filepath.Join(binary, filepath.Base(program))
	if p.system == "windows" {
		binary += ".exe"
	}
	return binary, nil
}

// run runs the go command.
func (s *shelf) run(ctx context.Context, folder string, p platform, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = folder, append(s.env[:len(s.env):len(s.env)], "GOOS="+p.system, "GOARCH="+p.processor)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s for %s: %w\n%s", strings.Join(args, " "), p, err, out)
	}
	return nil
}

func fileURL(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return "file://" + path
}
