package browser

import (
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"path"
)

// npmPackage is what Install takes from npm, and which files of it.
type npmPackage struct {
	name, version string
	// integrity is the digest that npm keeps of the archive, in its form:
	// "sha512-" and base64. An archive with another one is refused.
	integrity string
	// title is shown while it is installed: what it is, how large, its licence.
	title string
	// files are patterns of path.Match for names in the archive, the leading
	// "package/" aside. They are put into one folder, under their last element.
	files []string
}

// chromium is built for amd64 alone, so elsewhere a browser has to be on the
// PATH. Its own flags and font configuration are not used.
var chromium = npmPackage{
	name: "@sparticuz/chromium", version: "153.0.0",
	integrity: "sha512-jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA==",
	title:     "Chromium 153 (70 MB; MIT, Chromium's own BSD)",
	files:     []string{"LICENSE", "bin/chromium.br", "bin/al2023.tar.br"},
}

// fonts are what text is shown in, whatever the machine has: Inter for the
// page, DejaVu for code and for what Inter lacks (Arabic, Hebrew, arrows and
// other signs), Kosugi for Japanese, and so for the signs that Chinese shares with
// it. Korean is left to the machine.
var fonts = []npmPackage{
	{
		name: "@expo-google-fonts/inter", version: "0.4.2",
		integrity: "sha512-syfiImMaDmq7cFi0of+waE2M4uSCyd16zgyWxdPOY7fN2VBmSLKEzkfbZgeOjJq61kSqPBNNtXjggiQiSD6gMQ==",
		title:     "the font Inter (5 MB; SIL Open Font License)",
		files:     []string{"LICENSE_FONT", "400Regular/*.ttf", "400Regular_Italic/*.ttf", "500Medium/*.ttf", "600SemiBold/*.ttf", "700Bold/*.ttf"},
	},
	{
		name: "dejavu-fonts-ttf", version: "2.37.3",
		integrity: "sha512-f1hd7jJbeQa1VWcw+K2KrTXS50zTMaHpVC4XIKJpNcDeYR5ajMtj/iLlQDYNvLOKamUB3ARVVCf79lNwNVztSQ==",
		title:     "the DejaVu fonts (5 MB; Bitstream Vera's licence and public domain)",
		files:     []string{"LICENSE", "ttf/DejaVuSans.ttf", "ttf/DejaVuSans-*.ttf", "ttf/DejaVuSansMono.ttf", "ttf/DejaVuSansMono-*.ttf"},
	},
	{
		name: "@expo-google-fonts/kosugi", version: "0.1.0",
		integrity: "sha512-/bwvf8uBQdS4FUApdBV6VFaD9bE2+L4h5nCUVdFxNpzujxU+i3NkEDLzNk3wooevRZ78FN4SeDc0WZtZfUbydw==",
		title:     "the font Kosugi (1 MB; Apache License 2.0)",
		files:     []string{"README.md", "Kosugi_400Regular.ttf"},
	},
}

// axe checks pages for accessibility.
var axe = npmPackage{
	name: "axe-core", version: "4.14.1",
	integrity: "sha512-FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ==",
	title:     "axe-core 4.14.1 (1 MB; MPL 2.0)",
	files:     []string{"LICENSE", "axe.min.js"},
}

// folder is where the package is installed, below the folder of all of them. A
// folder that is there is complete: it gets this name last.
func (p npmPackage) folder() string { return path.Base(p.name) + "-" + p.version }

func (p npmPackage) wants(file string) bool {
	for _, pattern := range p.files {
		if fits, _ := path.Match(pattern, file); fits {
			return true
		}
	}
	return false
}

// check refuses an archive that is not the one that was pinned.
func (p npmPackage) check(archive []byte) error {
	sum := sha512.Sum512(archive)
	if got := "sha512-" + base64.StdEncoding.EncodeToString(sum[:]); got != p.integrity {
		return fmt.Errorf("%s@%s is not the package that was pinned: its digest is %s, not %s", p.name, p.version, got, p.integrity)
	}
	return nil
}
