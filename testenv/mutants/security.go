package main

var (
	checkpoints = []string{"./pipeline/redis"}
)

// ofSecurity are faults of what keeps strangers, and servers that lose state, away.
var ofSecurity = []mutant{
	{"saves to a server that may evict", "pipeline/redis/save.go",
		"ctx, err = s.guard.claimed(ctx)", "ctx, err = ctx, nil", "TestEvictionStopsTheStore", checkpoints},
	{"loads from a server that may evict", "pipeline/redis/load.go",
		"ctx, err = s.guard.claimed(ctx)", "ctx, err = ctx, nil", "TestEvictionStopsTheStore", checkpoints},
	{"claims on a server that may evict", "pipeline/redis/claim.go",
		"ctx, err = s.guard.pass(ctx)", "ctx, err = ctx, nil", "TestEvictionStopsTheStore", checkpoints},
	{"an unknown policy passes", "pipeline/redis/guard.go",
		"e == AcceptLoss || e == AcceptUnknown)", "true)", "TestUnknownPolicyStopsTheStore", checkpoints},
	{"the claim outlives an eviction", "pipeline/redis/guard.go",
		"if errors.Is(err, ErrEviction) || errors.Is(err, ErrPolicyUnknown) {\n\t\terr = fmt", "if false {\n\t\terr = fmt", "TestEvictionStopsTheStore", checkpoints},
	{"a new connection is not asked", "pipeline/redis/guard.go",
		"if ctx.Value(guarded{}) == nil {", "if true {", "TestPolicyAfterAReconnect", checkpoints},
	{"a wrong password is an unknown policy", "pipeline/redis/policy.go",
		"goredis.HasErrorPrefix(refused, \"WRONGPASS\")", "false", "TestWrongPassword", checkpoints},
	{"a refused password is sent for ever", "internal/access/tries.go",
		"if t.refused >= MostTries {", "if false {", "TestTries", []string{"./internal/access"}},
	{"many connections try a password at once", "internal/access/tries.go",
		"return t.right && t.current == password", "return true", "TestTriesOneAtATime", []string{"./internal/access"}},
	{"a token is read once", "sink/web/reread.go",
		"if r.have && seen == r.seen {", "if r.have {", "TestTokenIsReadAgain", web},
	{"log-out ends nothing at the server", "sink/web/login.go",
		"if s.keeper.revoke(r) {", "if r == nil {", "TestLogoutEndsTheSession", web},
	{"any token will do", "sink/web/token.go",
		"if len(token) < leastToken {", "if false {", "TestShortTokens", web},
	{"one client takes all streams", "sink/web/crowd.go",
		"if c.of[client] >= c.most {", "if false {", "TestStreamsPerClient", web},
	{"every refusal has a line", "sink/web/audit.go",
		"if f != nil {", "if f != nil && f.told.IsZero() {", "TestAuditLogIsBounded", web},
	{"refusals of all addresses are remembered", "sink/web/audit.go",
		"len(a.known) >= mostAudited", "false", "TestAuditLogIsBounded", web},
	{"any peer says who it is", "sink/web/client.go",
		"ok && i >= 0 && trusted(client)", "ok && i >= 0 && (i == len(forwarded)-1 || trusted(client))", "TestForwardedFor", web},
	{"a client says who it is to a proxy", "sink/web/client.go",
		"strings.TrimSpace(forwarded[i])", "strings.TrimSpace(forwarded[0])", "TestForwardedFor", web},
	{"a change without its line", "cmd/consumer/app/audit.go",
		"return fmt.Errorf(\"%w; nothing was changed\", err)", "_ = err", "TestAuditOfCommands", []string{"./cmd/consumer"}},
	{"no certificate is wanted", "sink/web/routes.go",
		"s.options.TLS.certified(origin.Handler(all))", "origin.Handler(all)", "TestClientsWithoutCertificate", web},
}
