package oci

import "time"

// Config is what a container of an image runs, and how.
type Config struct {
	User        string              `json:",omitempty"`
	Ports       map[string]struct{} `json:"ExposedPorts,omitempty"` // as 8080/tcp
	Env         []string            `json:",omitempty"`
	Entrypoint  []string            `json:",omitempty"`
	Cmd         []string            `json:",omitempty"`
	Healthcheck *Healthcheck        `json:",omitempty"` // Docker's, which the specification leaves room for
	Labels      map[string]string   `json:",omitempty"`
}

// Healthcheck is how an engine finds out whether a container is healthy.
type Healthcheck struct {
	Test        []string
	Interval    time.Duration `json:",omitempty"`
	Timeout     time.Duration `json:",omitempty"`
	StartPeriod time.Duration `json:",omitempty"`
	Retries     int           `json:",omitempty"`
}

// image is the document that a manifest has as its config.
type image struct {
	Created      string    `json:"created"`
	Architecture string    `json:"architecture"`
	OS           string    `json:"os"`
	Config       Config    `json:"config"`
	RootFS       rootFS    `json:"rootfs"`
	History      []history `json:"history"`
}

type rootFS struct {
	Type    string   `json:"type"`
	DiffIDs []string `json:"diff_ids"`
}

type history struct {
	Created   string `json:"created"`
	CreatedBy string `json:"created_by"`
}
