package docs

import "embed"

// Pages are the documents, Markdown at their paths below this folder.
//
//go:embed *.md models/*.md howto/*.md reference/*.md adr/*.md
var Pages embed.FS
