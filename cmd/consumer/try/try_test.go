package try

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/consumer/draft"
	"github.com/credence-stream/credence/cmd/consumer/run"
	shows "github.com/credence-stream/credence/cmd/consumer/show"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/clitest"
	"github.com/credence-stream/credence/cmd/producer/rows"
	servers "github.com/credence-stream/credence/internal/embedded"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/testenv/probe"
)

// sales writes a file of n rows of 20 shops, in which sold follows price, promo and
// weather, and some prices are missing.
func sales(t testing.TB, n int) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(15, 2))
	var b bytes.Buffer
	b.WriteString("id,day,shop,price,promo,weather,sold\n")
	effect := map[string]float64{"sun": 3, "cloud": 0, "rain": -3, "yes": 9, "no": 0}
	for i := range n {
		shop, price := rng.IntN(20), 2+3*rng.Float64()
		promo, weather := []string{"yes", "no", "no"}[rng.IntN(3)], []string{"sun", "cloud", "rain"}[rng.IntN(3)]
		y := 50 + 2*float64(shop) - 6*price + effect[promo] + effect[weather] + 5*rng.NormFloat64()
		text := fmt.Sprintf("%.2f", price)
		if rng.IntN(100) == 0 {
			text = ""
		}
		fmt.Fprintf(&b, "%d,2024-%02d-%02d,shop%02d,%s,%s,%s,%.2f\n", i+1, 1+i*12/n, 1+i/300%28, shop, text, promo, weather, y)
	}
	name := filepath.Join(t.TempDir(), "sales.csv")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// attempt is a trial that runs beside the test.
type attempt struct {
	*testing.T
	*trial
	out, err clitest.Transcript
	began    time.Time
	stop     context.CancelFunc
	done     chan struct{}
	result   error // once done is closed
}

// begin starts a trial; change completes it.
func begin(t *testing.T, file string, change func(*trial)) *attempt {
	t.Helper()
	x := &attempt{T: t, began: time.Now(), done: make(chan struct{})}
	a := &app.App{Names: cli.Apart(), Kinds: models.Kinds(), Out: &x.out, Err: &x.err}
	x.trial = &trial{App: a, mostKeys: mostKeys, mostRead: mostRead, mostBytes: mostBytes, flags: &flags{
		file: file, listen: "127.0.0.1:0", fixed: true, noBrowser: true,
		ask: draft.Request{By: "try", Sample: usualSample, Records: config.Input{Format: config.FormatArrow}, Wish: draft.Wish{Response: "sold"}},
	}}
	change(x.trial)
	ctx, stop := context.WithTimeout(t.Context(), probe.Patience)
	x.stop = stop
	go func() {
		x.result = x.run(ctx)
		close(x.done)
	}()
	t.Cleanup(func() {
		stop()
		<-x.done
	})
	return x
}

// until waits until a pattern was said, and returns what it matched.
func (x *attempt) until(pattern string) []string {
	x.Helper()
	find := regexp.MustCompile(pattern)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		if m := find.FindStringSubmatch(x.err.String()); m != nil {
			return m
		}
		select {
		case <-tick.C:
		case <-x.done:
			x.Fatalf("ended without %s: %v\n%s", pattern, x.result, x.err.String())
		}
	}
}

// end interrupts the trial, which waits for nothing that may not come.
func (x *attempt) end() {
	x.Helper()
	x.stop()
	probe.Eventually(x, "it ends", func() bool {
		select {
		case <-x.done:
			return true
		default:
			return false
		}
	})
}

// ended interrupts it once it has learnt from all rows, which is no failure.
func (x *attempt) ended() {
	x.Helper()
	if x.end(); x.result != nil {
		x.Errorf("an interrupt at the end is no failure: %v", x.result)
	}
}

// cut interrupts it before, which is one, as of run --until-end.
func (x *attempt) cut() {
	x.Helper()
	if x.end(); !errors.Is(x.result, cli.ErrReported) {
		x.Errorf("an interrupt before the end is no success: %v", x.result)
	}
}

// get asks the page.
func (x *attempt) get(page, path string) (int, string) {
	x.Helper()
	q, err := http.NewRequestWithContext(x.Context(), http.MethodGet, page+path, nil)
	if err != nil {
		x.Fatal(err)
	}
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		x.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		x.Fatal(err)
	}
	return r.StatusCode, string(body)
}

// eventually asks the page until it answers as it should.
func (x *attempt) eventually(page, path string, good func(code int, body string) bool) {
	x.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		if good(x.get(page, path)) {
			return
		}
		select {
		case <-tick.C:
		case <-x.done:
			x.Fatalf("ended before %s was good: %v\n%s", path, x.result, x.err.String())
		}
	}
}

// command runs another command of consumer and returns its data.
func command(t *testing.T, make func(*app.App) *cobra.Command, args ...string) string {
	t.Helper()
	var out, messages bytes.Buffer
	cmd := make(&app.App{Names: cli.Apart(), Kinds: models.Kinds(), Out: &out, Err: &messages})
	cmd.SetArgs(args)
	cmd.SetOut(&messages)
	cmd.SetErr(&messages)
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, messages.String())
	}
	return out.String()
}

// real is a cluster and a store outside of any trial.
func real(t *testing.T) *servers.Env {
	t.Helper()
	env, err := servers.Start(t.Context(), servers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := env.Close(); err != nil {
			t.Error(err)
		}
	})
	return env
}

// connected connects to a real cluster as a configuration says.
func connected(t *testing.T, env *servers.Env, file string) *connect.Connection {
	t.Helper()
	c, _, err := config.Load(config.Source{Kinds: models.Kinds(), File: file, Sets: on(env)})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := connect.Dial(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

func on(env *servers.Env) []string {
	return []string{"kafka.brokers=" + env.Brokers()[0], "redis.url=" + env.RedisURL(), "http.listen="}
}

// onFlags are on as flags.
func onFlags(env *servers.Env) []string {
	var all []string
	for _, s := range on(env) {
		all = append(all, "--set", s)
	}
	return all
}

// undated is a posterior without the time of its record, which is when it was sent.
func undated(posterior string) string {
	return regexp.MustCompile(`"time":"[^"]*",?`).ReplaceAllString(strings.TrimSpace(posterior), "")
}

// Without a page the report says the same, calibration included, but for how long it took.
func TestWithoutAPage(t *testing.T) {
	file := sales(t, 2000)
	var reports []string
	for _, listen := range []string{"127.0.0.1:0", ""} {
		x := begin(t, file, func(t *trial) { t.listen, t.ask.Selection.KeyColumn = listen, "shop" })
		<-x.done
		if x.result != nil {
			t.Fatal(x.result)
		}
		if page := strings.Contains(x.err.String(), "the live page"); page != (listen != "") {
			t.Errorf("--listen %q: %s", listen, x.err.String())
		}
		reports = append(reports, x.out.String())
	}
	if reports[0] != reports[1] || !strings.Contains(reports[1], "that were predicted before they were seen") {
		t.Errorf("without a page\n%s\nwith one\n%s", reports[1], reports[0])
	}
}

// A trial gives the posteriors of init, replay and run with the same shards, to the bit.
func TestATrialIsWhatItsCommandsGive(t *testing.T) {
	file, dir := sales(t, 3000), t.TempDir()
	kept := filepath.Join(dir, "kept.yaml")
	x := begin(t, file, func(t *trial) {
		t.stays, t.ask.Out, t.ask.Selection.KeyColumn = true, kept, "shop"
	})
	page := x.until(`the live page: (\S+)`)[1]
	x.until("the page stays")

	drafted := filepath.Join(dir, "drafted.yaml")
	command(t, draft.Command, "--input", file, "--key-column", "shop", "--response", "sold", "--out", drafted)
	a, errA := os.ReadFile(kept)
	b, errB := os.ReadFile(drafted)
	if errA != nil || errB != nil || section(a) != section(b) {
		t.Errorf("try keeps (%v)\n%s\ninit drafts (%v)\n%s", errA, a, errB, b)
	}
	env := real(t)
	conn := connected(t, env, drafted)
	if err := conn.CreateTopics(t.Context(), conn.Config); err != nil {
		t.Fatal(err)
	}
	src, err := rows.Open(t.Context(), file, rows.Selection{KeyColumn: "shop"}, rows.Watch{})
	if err != nil {
		t.Fatal(err)
	}
	sender := conn.NewSender(conn.Config.Kafka.Input, 0)
	for shard, err := range rows.Shards(src, x.rows) {
		if err == nil {
			err = sender.Send(t.Context(), shard)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := sender.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	command(t, run.Command, append([]string{"--config", drafted, "--until-end"}, onFlags(env)...)...)
	for shop := range 20 {
		key := fmt.Sprintf("shop%02d", shop)
		want := command(t, shows.GetCommand, append([]string{key, "--config", drafted, "--format", "json"}, onFlags(env)...)...)
		if code, got := x.get(page, "/v1/models/"+key); code != 200 || undated(got) != undated(want) {
			t.Errorf("%s: %d\n%s\nby init, replay and run\n%s", key, code, got, want)
		}
	}
	x.ended()
}

// section is the part of a configuration that says what is modelled.
func section(text []byte) string {
	_, rest, _ := strings.Cut(string(text), "\nmodels:")
	return rest
}

// An interrupt in the middle ends the trial, with the account of what was done and what was
// learnt until then.
func TestAnInterruptedTrialSaysWhatItDid(t *testing.T) {
	file := sales(t, 200_000) // more than it learns from until it is interrupted
	x := begin(t, file, func(t *trial) { t.rows, t.ask.Selection.KeyColumn = 1, "shop" })
	page := x.until(`the live page: (\S+)`)[1]
	for shop := range 20 { // a slow machine does not save all that is applied when it is interrupted
		x.eventually(page, fmt.Sprintf("/v1/models/shop%02d", shop), func(code int, _ string) bool { return code == 200 })
	}
	x.cut()
	m := x.until(`stopped before the end, after [0-9.]+ s: ([0-9,]+) records, ([0-9,]+) rows \([0-9,]+ per second\), 20 keys\.`)
	if m[1] == "200,000" {
		t.Errorf("it was not in the middle: %s", m[0])
	}
	out := x.out.String()
	if !regexp.MustCompile(`^\nWhat was learnt about sold, from sales.csv \(20 keys\)\nIt was interrupted: this is from about [0-9,]+ of 200,000 rows\.\n`).MatchString(out) ||
		!strings.Contains(out, "price") || !strings.Contains(out, "\nTo keep it\n") {
		t.Errorf("the report of a part:\n%s", out)
	}
}

// Standard input that nothing comes from is not waited for after an interrupt, and what was
// kept of it is removed.
func TestAnInterruptedPipe(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	in, out := io.Pipe()
	defer func() { _ = out.Close() }()
	x := begin(t, "-", func(t *trial) { t.stdin = in })
	if _, err := out.Write([]byte("a,b\n" + strings.Repeat("1,2\n", 2000))); err != nil { // enough to tell the format by
		t.Fatal(err)
	}
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for kept := []string(nil); len(kept) == 0; <-tick.C {
		kept, _ = filepath.Glob(filepath.Join(temp, "credence-try-*", "stdin.csv")) // the pattern is good
	}
	x.cut()
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	if said := x.err.String(); !strings.HasSuffix(said, "stopped before anything was learnt\n") {
		t.Errorf("it says %q", said)
	}
}

// The first band of a file of 100,000 rows is on the page in less than ten seconds, and on a
// machine at a tenth of the speed in less than a hundred.
func TestFirstBand(t *testing.T) {
	if testing.Short() {
		t.Skip("a large file")
	}
	file := sales(t, 100_000)
	x := begin(t, file, func(t *trial) { t.stays, t.ask.Selection.KeyColumn = true, "shop" })
	page := x.until(`the live page: (\S+)`)[1]
	x.eventually(page, "/v1/models/shop07/history", func(code int, body string) bool {
		return code == 200 && strings.Contains(body, `"beta[price]"`)
	})
	took := time.Since(x.began)
	t.Logf("first band after %v", took)
	if took > 100*time.Second {
		t.Errorf("the first band took %v", took)
	}
	x.until(`reached the end in [0-9.]+ s: [0-9,]+ records, 98,966 rows .*, 20 keys\. 1,034 of [0-9,]+ rows were left out: [0-9,]+ without [a-z_]+`)
	t.Logf("all after %v", time.Since(x.began))
	x.ended()
}
