package web

import (
	"embed"
	"io/fs"
)

// built holds what npm run build made of the folder ui.
//
//go:embed all:dist
var built embed.FS

// Page returns the files of the live page that this program carries.
func Page() fs.FS {
	files, err := fs.Sub(built, "dist")
	if err != nil {
		panic(err) // the name is a constant, and a good one
	}
	return files
}
