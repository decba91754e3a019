//go:build unix

package local

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"

	"github.com/credence-stream/credence/testenv/install"
)

// registryVersion is that of Apicurio Registry. 3.3.3 needs Java 21, and Maven has no whole 3.0.
const registryVersion = "2.6.13.Final"

// Registry is a running Apicurio Registry, one JVM with its schemas in memory, which ends
// with this process.
type Registry struct {
	URL    string // of the API of Confluent's schema registry
	TLSURL string // the same by TLS
	CA     string // file of the certificate that TLSURL shows

	dir  string
	proc *process
}

// StartRegistry installs what is missing, starts a registry and returns when it answers.
// The caller closes it.
func StartRegistry(ctx context.Context, o Options) (*Registry, error) {
	program, folder, err := registryProgram(ctx, o)
	if err != nil {
		return nil, err
	}
	dir, err := newFolder()
	if err != nil {
		return nil, err
	}
	r := &Registry{dir: dir}
	if err := r.start(ctx, program, folder); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

const noProject = `<project><modelVersion>4.0.0</modelVersion><groupId>dev.credence</groupId><artifactId>registry-dist</artifactId>` +
	`<version>1</version><packaging>pom</packaging></project>`

// registryProgram returns a Java and the folder of the registry's jars, an archive that needs
// nothing beside it.
func registryProgram(ctx context.Context, o Options) (program, folder string, err error) {
	i, err := install.New(ctx, o.Logf)
	if err != nil {
		return "", "", err
	}
	defer func() { err = errors.Join(err, i.Close()) }()
	if program, err = java(ctx, i); err != nil {
		return "", "", err
	}
	folder, err = i.Folder("registry-"+registryVersion, func(dir string) error {
		mvn, err := i.Program(ctx, "mvn", "maven")
		if err != nil {
			return err
		}
		pom := filepath.Join(dir, "pom.xml") // of a project whose folder is this one: the plugin leaves marks in it
		if err := os.WriteFile(pom, []byte(noProject), 0o600); err != nil {
			return err
		}
		return i.Run(ctx, mvn, "--batch-mode", "--quiet", "--file", pom, "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:unpack",
			"-Dartifact=io.apicurio:apicurio-registry-app:"+registryVersion+":tar.gz:all", "-DoutputDirectory="+dir)
	})
	return program, folder, err
}

func (r *Registry) start(ctx context.Context, program, folder string) error {
	plain, err := newPlace(ctx, loopback)
	if err != nil {
		return err
	}
	secure, err := newPlace(ctx, loopback)
	if err != nil {
		return err
	}
	c, err := newCertificate(r.dir)
	if err != nil {
		return err
	}
	const api = "/apis/ccompat/v7"
	r.URL, r.TLSURL, r.CA = "http://"+plain.Seen+api, "https://"+secure.Seen+api, c.File
	args := []string{program, "-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"}
	for _, setting := range [][2]string{
		{"quarkus.http.host", "127.0.0.1"},
		{"quarkus.http.port", strconv.Itoa(plain.Port)},
		{"quarkus.http.ssl-port", strconv.Itoa(secure.Port)},
		{"quarkus.http.ssl.certificate.files", c.File},
		{"quarkus.http.ssl.certificate.key-files", c.Key},
		{"quarkus.http.access-log.enabled", "false"},
	} {
		args = append(args, "-D"+setting[0]+"="+setting[1])
	}
	args = append(args, "-jar", filepath.Join(folder, "apicurio-registry-app-"+registryVersion+"-runner.jar"))
	r.proc = &process{log: filepath.Join(r.dir, "registry.log"), dir: r.dir, args: args}
	if err := r.proc.start(); err != nil {
		return err
	}
	return ready(ctx, r.proc, func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.URL+"/subjects", nil)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close() //nolint:errcheck // its status is all that counts
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("the registry answers %s", resp.Status)
		}
		return nil
	})
}

// Kill ends the registry with SIGKILL, and its schemas with it.
func (r *Registry) Kill() error { return r.proc.kill() }

// Close ends the registry and removes its folder.
func (r *Registry) Close() error {
	var err error
	if r.proc != nil {
		err = r.proc.kill()
	}
	return errors.Join(err, os.RemoveAll(r.dir))
}
