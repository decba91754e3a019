package web

import (
	"embed"
	"io/fs"
	"net/http"
	"path"
	"strings"
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

// mediaTypes are those of the page's files. The system's own table differs
// from machine to machine.
var mediaTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".html": "text/html; charset=utf-8", ".ico": "image/x-icon",
	".js": "text/javascript; charset=utf-8", ".json": jsonType, ".map": jsonType, ".png": "image/png",
	".md":  "text/plain; charset=utf-8", // which a browser shows
	".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8", ".webmanifest": "application/manifest+json", ".woff2": "font/woff2",
}

const (
	indexFile = "index.html"
	// hashed is where the build puts files that have a hash of their content
	// in their name: such a file never changes.
	hashed = "assets/"
	// manual is where the documents are.
	manual = "manual/"
)

// page serves the files of the live page. What is no file and wanted as a page
// is the page itself, which knows its own paths.
func (s *Server) page(w http.ResponseWriter, r *http.Request) error {
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	if name == "" {
		name = indexFile
	}
	body, err := s.file(name)
	if err != nil && fromBrowser(r) && !strings.HasPrefix(name, hashed) && !strings.HasPrefix(name, manual) {
		name = indexFile
		body, err = s.file(name)
	}
	if err != nil {
		return refuse(http.StatusNotFound, "not_found", "nothing at %s", r.URL.Path)
	}
	contentType, known := mediaTypes[path.Ext(name)]
	if !known {
		contentType = "application/octet-stream"
	}
	if strings.HasPrefix(name, hashed) {
		h := w.Header()
		h.Set("Content-Type", contentType)
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		_, _ = w.Write(body) // a client that went away is not the server's failure
		return nil
	}
	writeTagged(w, r, contentType, body)
	return nil
}

func (s *Server) file(name string) ([]byte, error) {
	files := s.options.Page
	if document, ok := strings.CutPrefix(name, manual); ok {
		files, name = s.options.Manual, document
	}
	if files == nil {
		return nil, fs.ErrNotExist
	}
	return fs.ReadFile(files, name)
}
