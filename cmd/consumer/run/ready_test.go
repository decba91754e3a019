package run

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/clitest"
	"github.com/credence-stream/credence/models"
)

// The command says what /readyz says, by exit code and words, whether it is given an
// address or the configuration that has it.
func TestReadyCommand(t *testing.T) {
	status, body := http.StatusOK, `{"status":"ready"}`
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			t.Errorf("asked for %s", r.URL.Path)
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	defer s.Close()
	port := s.URL[strings.LastIndex(s.URL, ":"):]
	file := clitest.WriteFile(t, "c.yaml", []byte(`models: [{match: "**", kind: linear}]`+"\nhttp: {listen: \"0.0.0.0"+port+"\", token_file: token}\n"))
	ask := func(args ...string) (int, string) {
		var out, messages bytes.Buffer
		a := &app.App{Names: cli.Apart(), Kinds: models.Kinds(), Out: &out, Err: &messages}
		cmd := ReadyCommand(a)
		cmd.SetArgs(append([]string{}, args...)) // nil would be those of this process
		cmd.SilenceErrors, cmd.SilenceUsage, cmd.GroupID = true, true, ""
		err := cmd.ExecuteContext(t.Context())
		if err != nil {
			fmt.Fprint(&messages, err)
		}
		return cli.ExitCode(err), out.String() + messages.String()
	}
	for _, c := range []struct {
		status int
		body   string
		args   []string
		code   int
		says   string
	}{
		{200, `{"status":"ready"}`, []string{"--url", s.URL + "/"}, 0, "ready"},
		{200, `{"status":"ready"}`, []string{"--config", file, "--set", "http.token_file=", "--set", "http.listen=127.0.0.1" + port}, 0, "ready"},
		{503, `{"status":"not ready","reasons":["partition 3 is halted: truncated"]}`, []string{"--url", s.URL}, 1, "not ready: partition 3 is halted"},
		{404, `no such page`, []string{"--url", s.URL}, 1, "another program listens there"},
		{200, `{"status":"ready"}`, []string{"--url", "http://" + clitest.Nobody(t)}, 1, "is it running"},
		{200, `{"status":"ready"}`, nil, 2, "--config FILE and --url URL"},
		{200, `{"status":"ready"}`, []string{"--url", s.URL, "--config", file}, 2, "--config FILE and --url URL"},
	} {
		status, body = c.status, c.body
		if code, says := ask(c.args...); code != c.code || !strings.Contains(says, c.says) {
			t.Errorf("%v with %d: exit %d, %q", c.args, c.status, code, says)
		}
	}
	for listen, want := range map[string]string{
		"0.0.0.0:8080": "http://127.0.0.1:8080", ":8080": "http://127.0.0.1:8080", "[::]:8080": "http://[::1]:8080",
		"localhost:1": "http://localhost:1", "10.0.0.7:8080": "http://10.0.0.7:8080",
	} {
		if got, err := ownURL(config.HTTP{Listen: listen}); got != want || err != nil {
			t.Errorf("%s: %s, %v", listen, got, err)
		}
		encrypted := config.HTTP{Listen: listen, TLS: config.HTTPTLS{CertFile: "c.pem"}}
		if got, err := ownURL(encrypted); got != strings.Replace(want, "http:", "https:", 1) || err != nil {
			t.Errorf("%s with a certificate: %s, %v", listen, got, err)
		}
	}
	if _, err := ownURL(config.HTTP{}); err == nil {
		t.Error("a consumer without HTTP has an address")
	}
}
