package main

import (
	"bytes"
	"debug/buildinfo"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// materials lists the modules that a binary was built of, as the binary itself
// says, in the format of CycloneDX.
func materials(binary, version string, at time.Time) ([]byte, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{
		Timestamp: at.Format(time.RFC3339),
		Component: component(cyclonedx.ComponentTypeApplication, info.Main.Path, version, ""),
	}
	components := []cyclonedx.Component{*component(cyclonedx.ComponentTypeLibrary, "std", info.GoVersion, "")}
	for _, dependency := range info.Deps {
		of := dependency.Version
		if own(dependency.Path) {
			of = version
		}
		components = append(components, *component(cyclonedx.ComponentTypeLibrary, dependency.Path, of, dependency.Sum))
	}
	bom.Components = &components
	var out bytes.Buffer
	encoder := cyclonedx.NewBOMEncoder(&out, cyclonedx.BOMFileFormatJSON)
	encoder.SetPretty(true)
	if err := encoder.Encode(bom); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func component(kind cyclonedx.ComponentType, path, version, sum string) *cyclonedx.Component {
	url := "pkg:golang/" + path + "@" + version
	c := &cyclonedx.Component{BOMRef: url, Type: kind, Name: path, Version: version, PackageURL: url}
	if sum != "" {
		c.Properties = &[]cyclonedx.Property{{Name: "go:sum", Value: sum}}
	}
	return c
}
