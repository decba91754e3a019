package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// naming are the files that name images, and how.
var naming = map[string]*regexp.Regexp{
	"Dockerfile":         regexp.MustCompile(`(?m)^(?:ARG BUILDER=|FROM )(\S+)`),
	"docker-compose.yml": regexp.MustCompile(`(?m)^\s+(?:image: |BUILDER: \$\{CREDENCE_BUILDER:-)([^\s}]+)`),
	filepath.Join("deploy", "kubernetes", "*.yaml"): regexp.MustCompile(`(?m)^\s+(?:- )?image: (\S+)`),
}

// ours is the name of the image that is built here; it has no digest before.
const ours = "credence"

// references returns the images of others that the repository names, each once, in order.
func references(root string) (all []string, err error) {
	for pattern, by := range naming {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err == nil && len(files) == 0 {
			err = errors.New("there is no such file")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			for _, m := range by.FindAllStringSubmatch(string(text), -1) {
				// A stage's base may be an argument, which has its own line, or nothing.
				if ref := m[1]; !strings.HasPrefix(ref, "$") && ref != "scratch" && !strings.HasPrefix(ref, ours+":") {
					all = append(all, ref)
				}
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}
