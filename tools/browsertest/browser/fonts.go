package browser

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
)

// fontsConf has the packages' fonts, and no other, so that a page looks the
// same on each machine.
const fontsConf = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  DIRS
  <cachedir>CACHE</cachedir>
  <alias binding="same"><family>system-ui</family><prefer><family>Inter</family><family>DejaVu Sans</family></prefer></alias>
  <alias binding="same"><family>ui-sans-serif</family><prefer><family>Inter</family><family>DejaVu Sans</family></prefer></alias>
  <alias binding="same"><family>sans-serif</family><prefer><family>Inter</family><family>DejaVu Sans</family></prefer></alias>
  <alias binding="same"><family>serif</family><prefer><family>Inter</family><family>DejaVu Sans</family></prefer></alias>
  <alias binding="same"><family>ui-monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
  <alias binding="same"><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
`

// writeFontsConf writes into file a configuration of the fonts that are installed
// below dir. What fontconfig works out of them is kept in cache.
func writeFontsConf(file, dir, cache string) error {
	var dirs strings.Builder
	for _, p := range fonts {
		dirs.WriteString("<dir>" + escaped(filepath.Join(dir, p.folder())) + "</dir>")
	}
	text := strings.NewReplacer("DIRS", dirs.String(), "CACHE", escaped(cache)).Replace(fontsConf)
	return os.WriteFile(file, []byte(text), 0o644)
}

func escaped(s string) string {
	var b strings.Builder
	// A strings.Builder never fails.
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}
