// A server with the API's shapes and no consumer behind it, for development and
// tests. It also serves the built page under the security policy of the real one.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'
import type { Flag, Point, Row } from '../../src/api/types.ts'
import * as data from './data.ts'
import { deadLetters, operations } from './operations.ts'

export interface Faults {
  /** Status of every answer under /v1; 0: none. */
  status: number
  ready: boolean
  /** Streams are cut and refused. */
  cut: boolean
  halted: boolean
  /** Streams do not say where they begin, as where they break before they can. */
  nowhere: boolean
  /** Streams are not answered until release. */
  held: boolean
}

export interface MockOptions {
  keys: number
  /** Points per second. */
  rate?: number
  seed?: number
  dist?: string
  /** Messages kept for those who come back. */
  kept?: number
}

interface Message {
  id: number
  point?: Point
  deleted?: string
}

interface Client {
  response: ServerResponse
  every: number
  glob: RegExp
  want: (variable: string) => boolean
  pending: Map<string, Message>
  timer: ReturnType<typeof setTimeout> | undefined
}

const policy = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
const types: Record<string, string> = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' }

const ranks: Record<string, (m: data.Model, row: Row | undefined) => number> = {
  effect: (_, r) => r?.mean ?? -Infinity, effect_asc: (_, r) => -(r?.mean ?? Infinity), certainty: (_, r) => Math.abs(r?.mean ?? 0) / (r?.sd ?? Infinity),
  flags: (m) => data.flagsOf(m).length, newest: (m) => m.time, rows: (m) => data.rows(m),
}

export function glob(pattern: string): RegExp {
  const text = pattern.replace(/\*\*|\*|[^*]+/g, (s) => (s === '**' ? '.*' : s === '*' ? '[^/]*' : s.replace(/[\\^$.|?+()[\]{}]/g, '\\$&')))
  return new RegExp(`^${text}$`, 'su')
}

export function globs(list: string | null): (variable: string) => boolean {
  if (!list || list === '**') return () => true
  const all = list.split(',').map(glob)
  return (v) => all.some((g) => g.test(v))
}

export class Mock {
  faults: Faults = { status: 0, ready: true, cut: false, halted: false, nowhere: false, held: false }
  readonly models = new Map<string, data.Model>()
  readonly asked: string[] = []
  private order: string[]
  private messages: Message[] = []
  private next = 1
  private clients = new Set<Client>()
  private held: (() => void)[] = []
  private server: Server
  private ticking: ReturnType<typeof setInterval> | undefined
  private readonly random: () => number

  private constructor(private options: MockOptions) {
    this.order = data.keys(options.keys)
    for (const key of this.order) this.models.set(key, data.model(key))
    this.random = data.random(options.seed ?? 1)
    this.server = createServer((q, r) => void this.answer(q, r).catch((e: unknown) => r.destroy(e as Error)))
  }

  static async listen(options: MockOptions, port = 0): Promise<Mock> {
    const mock = new Mock(options)
    await new Promise<void>((done, fail) => mock.server.once('error', fail).listen(port, '127.0.0.1', done))
    const rate = options.rate ?? 0
    if (rate > 0) {
      let owed = 0
      mock.ticking = setInterval(() => {
        for (owed += rate / 20; owed >= 1; owed--) {
          const key = mock.order[Math.floor(mock.random() * mock.order.length)]
          if (key !== undefined) mock.update(key)
        }
      }, 50)
    }
    return mock
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  /** update absorbs one more shard of a key, a new one perhaps, and tells the streams. */
  update(key: string) {
    let m = this.models.get(key)
    if (!m) {
      m = { ...data.model(key), t: 0 }
      this.models.set(key, m)
      this.order = [...this.order, key].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    }
    m.t++
    m.offset += 7
    m.time = Date.now()
    this.send({ id: this.next++, point: data.point(m, () => true) })
  }

  remove(key: string) {
    this.models.delete(key)
    this.order = this.order.filter((k) => k !== key)
    this.send({ id: this.next++, deleted: key })
  }

  /** cut ends all streams; they may come back unless faults.cut. */
  cut() {
    for (const c of this.clients) c.response.destroy()
  }

  /** release answers the streams that were held. */
  release() {
    this.faults.held = false
    for (const answer of this.held.splice(0)) answer()
  }

  async close() {
    clearInterval(this.ticking)
    this.cut()
    this.server.closeAllConnections()
    await new Promise((done) => this.server.close(done))
  }

  private send(m: Message) {
    this.messages.push(m)
    if (this.messages.length > (this.options.kept ?? 5000)) this.messages.shift()
    for (const c of this.clients) this.offer(c, m)
  }

  private offer(c: Client, m: Message) {
    if (!c.glob.test(m.point?.key ?? m.deleted ?? '')) return
    c.pending.set(c.every > 0 ? (m.point?.key ?? m.deleted ?? '') : String(m.id), m)
    c.timer ??= setTimeout(() => this.flush(c), c.every)
  }

  private flush(c: Client) {
    c.timer = undefined
    const all = [...c.pending.values()].sort((a, b) => a.id - b.id)
    c.pending.clear()
    const points = all.filter((m) => m.point)
    for (const m of all) if (m.deleted !== undefined) c.response.write(`id: ${m.id}\nevent: deleted\ndata: ${JSON.stringify({ key: m.deleted })}\n\n`)
    const last = points.at(-1)
    if (!last) return
    const body = points.map(({ point: p }) => p && { ...p, posterior: p.posterior.filter((r) => c.want(r.variable)) })
    c.response.write(`id: ${last.id}\nevent: updates\ndata: ${JSON.stringify(body)}\n\n`)
  }

  private stream(query: URLSearchParams, request: IncomingMessage, response: ServerResponse) {
    if (this.faults.held) return void this.held.push(() => this.stream(query, request, response))
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
    const c: Client = {
      response, every: Number(query.get('every') ?? 0), glob: glob(query.get('key') ?? '**'), want: globs(query.get('variables')),
      pending: new Map(), timer: undefined,
    }
    this.clients.add(c)
    response.on('close', () => {
      clearTimeout(c.timer)
      this.clients.delete(c)
    })
    const since = Number(request.headers['last-event-id'] ?? query.get('since') ?? NaN)
    const first = this.messages[0]?.id ?? this.next
    const lost = since < first - 1 || since >= this.next
    const at = Number.isNaN(since) || lost ? this.next - 1 : since
    if (lost || (Number.isNaN(since) && !this.faults.nowhere)) response.write(`id: ${at}\nevent: ${lost ? 'reset' : 'position'}\ndata: {}\n\n`)
    else response.write(': here\n\n')
    if (!lost) for (const m of this.messages) if (m.id > since) this.offer(c, m)
  }

  private async answer(request: IncomingMessage, response: ServerResponse) {
    const url = new URL(request.url ?? '/', 'http://mock')
    const path = (request.url ?? '/').split('?')[0] ?? '/'
    this.asked.push(request.method + ' ' + (request.url ?? ''))
    if (request.method === 'POST' && path === '/mock') {
      let body = ''
      for await (const chunk of request) body += String(chunk)
      Object.assign(this.faults, JSON.parse(body))
      if (this.faults.cut) this.cut()
      return json(response, 200, this.faults)
    }
    if (path === '/readyz') {
      const { ready } = this.faults
      return json(response, ready ? 200 : 503, ready ? { status: 'ready' } : { status: 'not ready', reasons: ['partition 2: waiting for the store', 'Kafka at the configured brokers does not answer'] })
    }
    if (path.startsWith('/v1/')) return this.api(path, url.searchParams, request, response)
    return this.file(path, response)
  }

  private async api(path: string, query: URLSearchParams, request: IncomingMessage, response: ServerResponse) {
    const { status } = this.faults
    if (status) {
      if (status === 429 || status === 503) response.setHeader('Retry-After', '1')
      return error(response, status, { 401: 'unauthorized', 404: 'not_found', 429: 'too_many_requests', 503: 'unavailable' }[status] ?? 'internal',
        { 401: 'send the token as: Authorization: Bearer TOKEN', 429: 'more than 50 requests a second', 503: 'the checkpoint store or Kafka does not answer, try again' }[status] ?? 'as the mock was told')
    }
    if (path === '/v1/events') return this.faults.cut ? error(response, 503, 'unavailable', 'cut') : this.stream(query, request, response)
    if (path === '/v1/kinds') return json(response, 200, { kinds: data.kinds })
    if (path === '/v1/models') return this.list(query, request, response)
    if (path === '/v1/operations') return json(response, 200, operations(this.models.size, this.options.rate ?? 0, this.faults))
    if (path === '/v1/dead-letters') return json(response, 200, deadLetters(this.options.keys === 0 ? 0 : 12))
    if (path === '/v1/calibration') {
      const c = data.calibration(null, 400)
      return json(response, 200, { keys: this.models.size, all: c, kinds: Object.fromEntries(data.kinds.map((k) => [k.name, c])) })
    }
    const asked = /^\/v1\/model(\/.*)?$/.exec(path)
    const rest = asked ? encodeURIComponent(query.get('key') ?? '') + (asked[1] ?? '') : (path.split('/v1/models/')[1] ?? '')
    const tail = /\/(about|history|calibration|predict)$/.exec(rest)?.[1] ?? ''
    const key = decodeURIComponent(tail ? rest.slice(0, -tail.length - 1) : rest)
    const m = this.models.get(key)
    if (!m) return error(response, 404, 'not_found', `no model for key ${JSON.stringify(key)}`)
    const want = globs(query.get('variables'))
    switch (tail) {
      case '':
        return json(response, 200, data.full(m), `"${m.offset}"`, request)
      case 'history': {
        const n = Math.min(Number(query.get('limit') ?? 1000), m.t)
        return json(response, 200, { key, owned: true, complete: n === m.t, points: Array.from({ length: n }, (_, i) => data.point(m, want, m.t - n + 1 + i)) })
      }
      case 'calibration':
        return json(response, 200, data.calibration(m, m.t - 1))
      case 'about':
        return json(response, 200, {
          key, kind: m.kind, variant: 'corrected', match: '**', config: '0123456789abcdef', source: { topic: 'shards', partition: data.partition(m), offset: m.offset },
          time: new Date(m.time).toISOString(), t: m.t, n: data.rows(m), settings: { prior: { beta_variance: 1 } }, forget: 1, forget_per: 'shard',
          inputs: data.inputs, prior: data.posterior(m, 0.5), state_bytes: 4096, owned: true,
          commands: { get: `consumer get ${JSON.stringify(key)} --config credence.yaml` },
        })
      default: {
        let body = ''
        for await (const chunk of request) body += String(chunk)
        const { rows = [] } = JSON.parse(body) as { rows?: unknown[] }
        return json(response, 200, { key, t: m.t, n: data.rows(m), predictions: rows.map((_, row) => ({ row, mean: 1, sd: 0.5, 'q2.5': 0, 'q97.5': 2, epred_sd: 0.1, 'epred_q2.5': 0.8, 'epred_q97.5': 1.2 })) })
      }
    }
  }

  private list(query: URLSearchParams, request: IncomingMessage, response: ServerResponse) {
    const want = globs(query.get('variables'))
    const total = this.models.size
    const named = query.getAll('key')
    if (named.length > 0) {
      const found = named.flatMap((k) => this.models.get(k) ?? [])
      return json(response, 200, { models: found.map((m) => data.entry(m, want)), next: null, total })
    }
    const flag = query.get('flag') as Flag | null
    const kind = query.get('kind')
    if (kind && !data.kinds.some((k) => k.name === kind)) return error(response, 400, 'bad_query', `kind: ${JSON.stringify(kind)} is none of: ${data.kinds.map((k) => k.name).join(', ')}`)
    const contains = (query.get('contains') ?? '').toLowerCase()
    const after = query.get('after') ?? ''
    const limit = Number(query.get('limit') ?? 100)
    const short = query.get('fields') === 'key'
    const [from, to] = [query.get('from'), query.get('to')].map((t) => (t ? Date.parse(t) : NaN))
    const rank = ranks[query.get('sort') ?? '']
    if (rank) {
      const first = (m: data.Model) => data.posterior(m).find((r) => want(r.variable) && !r.variable.endsWith('[intercept]'))
      const list = this.order.flatMap((k) => this.models.get(k) ?? []).filter((m) => (!kind || m.kind === kind) && (!flag || data.flagsOf(m).includes(flag)) && (!contains || m.key.toLowerCase().includes(contains)))
        .map((m) => ({ m, rank: rank(m, first(m)) })).sort((a, b) => b.rank - a.rank).slice(0, limit)
      return json(response, 200, { models: list.map(({ m }) => (short ? { key: m.key } : data.entry(m, want))), next: null, total })
    }
    const page: data.Model[] = []
    let more = false
    for (const key of this.order) {
      const m = this.models.get(key)
      if (!m || Buffer.compare(Buffer.from(key), Buffer.from(after)) <= 0 || !key.startsWith(query.get('prefix') ?? '')) continue
      if (m.time < from! || m.time > to!) continue
      if ((kind && m.kind !== kind) || (contains && !key.toLowerCase().includes(contains)) || (flag && !data.flagsOf(m).includes(flag))) continue
      if (page.length === limit) {
        more = true
        break
      }
      page.push(m)
    }
    const etag = `"${this.next}-${request.url?.length ?? 0}"`
    json(response, 200, { models: page.map((m) => (short ? { key: m.key } : data.entry(m, want))), next: more ? (page.at(-1)?.key ?? null) : null, total }, etag, request)
  }

  private async file(path: string, response: ServerResponse) {
    const dist = this.options.dist
    if (!dist) return error(response, 404, 'not_found', 'nothing at ' + path)
    const asset = path.startsWith('/assets/')
    const name = asset ? normalize(path).replace(/^(\.\.[/\\])+/, '') : '/index.html'
    const body = await readFile(join(dist, name)).catch(() => null)
    if (!body) return error(response, 404, 'not_found', 'nothing at ' + path)
    response.writeHead(200, {
      'Content-Type': types[extname(name)] ?? 'application/octet-stream', 'Content-Security-Policy': policy, 'X-Content-Type-Options': 'nosniff',
      'Cache-Control': asset ? 'public, max-age=31536000, immutable' : 'no-cache',
    })
    response.end(body)
  }
}

function json(response: ServerResponse, status: number, value: unknown, etag?: string, request?: IncomingMessage) {
  if (etag && request?.headers['if-none-match'] === etag) return void response.writeHead(304, { ETag: etag }).end()
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...(etag ? { ETag: etag } : {}) })
  response.end(JSON.stringify(value) + '\n')
}

function error(response: ServerResponse, status: number, code: string, message: string) {
  json(response, status, { error: { code, message } })
}
