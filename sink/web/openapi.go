package web

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"go.yaml.in/yaml/v3"
)

//go:embed openapi.yaml
var document []byte

// openapiJSON converts the document once.
var openapiJSON = sync.OnceValues(func() ([]byte, error) {
	var v any
	if err := yaml.Unmarshal(document, &v); err != nil {
		return nil, fmt.Errorf("openapi.yaml: %w", err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("openapi.yaml: %w", err)
	}
	return append(b, '\n'), nil
})

// openapi answers with the document that describes this server.
func (s *Server) openapi(w http.ResponseWriter, r *http.Request) error {
	if err := newQuery(r).err(); err != nil {
		return err
	}
	body, err := openapiJSON()
	if err != nil {
		return err
	}
	writeTagged(w, r, jsonType, body)
	return nil
}
