// Made-up models in the shapes of openapi.yaml: every answer is a function of
// the key's number, its shard count and the seed, so that tests know them.
import type { Calibration, Coverage, Flag, Input, Kind, KindInfo, ModelEntry, Point, Posterior, Row } from '../../src/api/types.ts'

export const start = Date.UTC(2026, 4, 1, 12)

/** random is mulberry32: uniform on [0, 1), the same for the same seed. */
export function random(seed: number): () => number {
  let a = seed >>> 0
  return () => {
    a = (a + 0x6d2b79f5) >>> 0
    let t = Math.imul(a ^ (a >>> 15), a | 1)
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

function normal(seed: number): number {
  const r = random(seed)
  return Math.sqrt(-2 * Math.log(1 - r())) * Math.cos(2 * Math.PI * r())
}

export const hostile = [
  '<script>document.title="owned"</script>',
  '"><img src=x onerror=alert(1)>',
  'abc\u202egnp.exe',
  'line\nbreak\tand tab',
  '../../etc/passwd',
  'percent%2Fencoded',
  'star/**/glob',
  'k'.repeat(512),
  '日本語/キー/🙂',
  '?query=1&key=2#hash',
]

/** kindOf is a kind of model with a feature or more, but for what change says. */
export function kindOf(name: Kind, change: Partial<KindInfo> = {}): KindInfo {
  return {
    name, purpose: `what ${name} is for`, formula: `the formula of ${name}`, text: `What ${name} does.`, variants: ['corrected', 'paper'], response: 'real',
    features: true, intercept: true, groups: 'none', exposure: false, time: false, ordered: false, draws: false, ...change,
  }
}

export const kinds = [
  kindOf('linear'), kindOf('dlm', { features: false, intercept: false, time: true, ordered: true }), kindOf('poisson', { response: 'count', groups: 'any' }),
  kindOf('anova', { features: false, groups: 'one' }), kindOf('probit', { response: 'binary', draws: true }), kindOf('compressed'),
]
const variablesOf: Record<Kind, string[]> = {
  linear: ['beta[intercept]', 'beta[temperature]', 'beta[wind]', 'beta[carrier=AA]', 'sigma2'],
  dlm: ['theta', 'phi', 'sigma2', 'tau2'],
  poisson: ['beta[intercept]', 'beta[price]', 'u[store=12]', 'sigma2_u[store]'],
  anova: ['mu', 'zeta[a]', 'zeta[b]', 'zeta[c]', 'sigma2', 'tau2'],
  probit: ['beta[intercept]', 'beta[age]', 'beta[income]'],
  compressed: ['gamma[x1]', 'gamma[x2]', 'sigma2'],
}
const prefixOf: Record<Kind, string> = {
  linear: 'flights', dlm: 'air/pm25', poisson: 'sales', anova: 'lab/assay', probit: 'credit', compressed: 'genes',
}

/** inputs are the columns of a linear model of delays. */
export const inputs: Input[] = [
  { name: 'temperature', role: 'feature', type: 'number', unit: '°C', center: 12, scale: 8 },
  { name: 'wind', role: 'feature', type: 'number', unit: 'km/h', center: 14, scale: 6 },
  { name: 'carrier', role: 'feature', type: 'category', levels: ['AA', 'DL'], baseline: 'DL', other: 'level' },
  { name: 'at', role: 'feature', type: 'number', moment: true },
  { name: 'delay', role: 'response', type: 'number', unit: 'min', center: 5, scale: 20 },
]

/** quantities of a linear model: an estimate, a probability, a prediction and one that is not there. */
const quantities: NonNullable<Posterior['quantities']> = [
  { name: 'heat', kind: 'form' }, { name: 'P(heat > 0)', kind: 'probability' }, { name: 'predict(temperature=20, wind=5)', kind: 'prediction' },
  { name: 'level of NYC', kind: 'form', absent: 'no row of group NYC was absorbed' },
]

/** answered are the rows of the quantities, which come before those of the variables. */
function answered(m: Model): Row[] {
  const none = { mean: null, sd: null, median: null, 'q2.5': null, q5: null, q25: null, q75: null, q95: null, 'q97.5': null, mcse_mean: null, ess_bulk: null, ess_tail: null, r_hat: null }
  const [, heat] = posterior(m)
  return [
    { ...heat!, variable: 'heat' }, { ...none, variable: 'P(heat > 0)', mean: 0.9987, mcse_mean: 0.0004 },
    { ...none, variable: 'predict(temperature=20, wind=5)', mean: 7.25, sd: 3.5, 'q2.5': 0.4, 'q97.5': 14.1 },
  ]
}

/** keys gives so many keys, hostile ones among them, in byte order. */
export function keys(n: number): string[] {
  const out = hostile.slice(0, Math.min(n, hostile.length))
  for (let i = out.length; i < n; i++) {
    const kind = kinds[i % kinds.length] as KindInfo
    out.push(`${prefixOf[kind.name]}/${String(Math.floor(i / kinds.length)).padStart(6, '0')}`)
  }
  return out.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
}

export interface Model {
  key: string
  seed: number
  kind: Kind
  t: number
  offset: number
  time: number
}

function hash(text: string): number {
  let h = 2166136261
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 16777619)
  return h >>> 0
}

export function model(key: string): Model {
  const seed = hash(key)
  const kind = Object.entries(prefixOf).find(([, p]) => key.startsWith(p + '/'))?.[0] ?? 'linear'
  const t = 1 + (seed % 40)
  return { key, seed, kind, t, offset: t * 7, time: start + t * 1000 }
}

export const partition = (m: Model) => m.seed % 4
export const rows = (m: Model) => m.t * 64

/** posterior of a model after t shards: sds shrink as 1/√n, means wander within them. */
export function posterior(m: Model, t = m.t): Row[] {
  return (variablesOf[m.kind] ?? []).map((variable, v) => {
    const r = random(m.seed + v * 7919)
    const size = 10 ** (r() * 5 - 2)
    const truth = size * (r() * 2 - 1) + (variable.startsWith('sigma') || variable.startsWith('tau') ? 2 * size : 0)
    const sd = size / Math.sqrt(t)
    const mean = truth + sd * 0.8 * normal(m.seed * 31 + v * 17 + t)
    const drawn = m.kind === 'probit' || m.kind === 'poisson' || m.kind === 'compressed'
    const ess = drawn ? 60 + Math.floor(r() * 900) : null
    const q = (z: number) => mean + z * sd
    return {
      variable, mean, sd, median: q(0.01), 'q2.5': q(-1.96), q5: q(-1.645), q25: q(-0.674), q75: q(0.674), q95: q(1.645), 'q97.5': q(1.96),
      mcse_mean: ess ? sd / Math.sqrt(ess) : null, ess_bulk: ess, ess_tail: ess ? Math.floor(ess * 0.8) : null,
      r_hat: drawn ? 1 + r() ** 8 * 0.15 : null,
    }
  })
}

export function flagsOf(m: Model): Flag[] {
  const out: Flag[] = []
  const p = posterior(m)
  if (p.some((r) => (r.r_hat ?? 1) > 1.05)) out.push('weak_r_hat')
  if (p.some((r) => (r.ess_bulk ?? 1000) < 100)) out.push('low_ess')
  if (m.seed % 23 === 0) out.push('poor_calibration')
  if (m.t < 3) out.push('prior_dominated')
  if (m.seed % 97 === 0) out.push('model')
  return out
}

const coverage95 = (m: Model) => (m.seed % 23 === 0 ? 0.81 : 0.94 + (m.seed % 20) / 1000)

export function entry(m: Model, want: (variable: string) => boolean): ModelEntry {
  return {
    key: m.key, kind: m.kind, variant: 'corrected', partition: partition(m), owned: true, t: m.t, n: rows(m), offset: m.offset,
    time: new Date(m.time).toISOString(), coverage95: m.t > 1 ? coverage95(m) : null, scored_rows: (m.t - 1) * 64,
    flags: flagsOf(m), posterior: posterior(m).filter((r) => want(r.variable)),
  }
}

export function point(m: Model, want: (variable: string) => boolean, t = m.t): Point {
  const all = posterior(m, t)
  return {
    key: m.key, kind: m.kind, t, n: t * 64, n_eff: t * 64, partition: partition(m), offset: m.offset - (m.t - t) * 7,
    time: new Date(m.time - (m.t - t) * 1000).toISOString(), score: score(m, t), flags: flagsOf(m), variables: all.length,
    posterior: all.filter((r) => want(r.variable)),
  }
}

function score(m: Model, t: number) {
  const e = normal(m.seed + t * 3)
  return { rows: 64, predicted_rows: 0, log_density: -1.4 + 0.1 * e, log_evidence: -90 + e, rmse: 1 + 0.05 * e, coverage95: Math.round(64 * (coverage95(m) - 0.01 * e)) / 64 }
}

export function full(m: Model): Posterior {
  return {
    key: m.key, kind: m.kind, variant: 'corrected', t: m.t, n: rows(m), draws: 500, config: '0123456789abcdef',
    source: { topic: 'shards', partition: partition(m), offset: m.offset }, time: new Date(m.time).toISOString(), n_eff: rows(m),
    scaling: { y: { center: 3, scale: 2 } }, prior_dominated: [], score: score(m, m.t),
    ...(m.kind === 'linear' ? { quantities, alerts: ['heat-certain'], posterior: [...answered(m), ...posterior(m)] } : { posterior: posterior(m) }),
  }
}

export function calibration(m: Model | null, shards: number): Calibration {
  const n = shards * 64
  const seed = m?.seed ?? 1
  const r = random(seed)
  const bad = m !== null && m.seed % 23 === 0
  const pit = Array.from({ length: 40 }, (_, i) => Math.round((n / 40) * (bad ? 0.5 + ((i - 19.5) / 19.5) ** 2 * 1.5 : 0.9 + 0.2 * r())))
  const coverage: Coverage[] = n === 0 ? [] : [0.5, 0.8, 0.9, 0.95].map((nominal) => {
    const half = 2.576 * Math.sqrt((nominal * (1 - nominal)) / n)
    return { nominal, share: bad ? nominal - 0.14 : Math.min(1, nominal + half * (r() - 0.5)), low: nominal - half, high: Math.min(1, nominal + half) }
  })
  return { ...(m ? { key: m.key, owned: true } : {}), rows: n, shards, pit, coverage, log_density: n ? -1.4 : null, rmse: n ? 1.02 : null }
}
