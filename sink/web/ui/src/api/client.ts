import { failure, type Result } from './result.ts'
import type {
  About, Calibration, CalibrationAcross, Contrast, DeadLetters, Flag, Health, History, Kind, KindList, ModelList, ObservedRows, Operations, Order,
  Posterior, PredictRequest, Predictions,
} from './types.ts'

/** Query holds what goes behind the question mark; undefined and '' are left out, lists repeat. */
export type Query = Record<string, string | number | readonly string[] | undefined>

export function search(query: Query): string {
  const out = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === '') continue
    for (const v of typeof value === 'object' ? value : [value]) out.append(name, String(v))
  }
  const text = out.toString()
  return text && '?' + text
}

/** Answers by path with their ETag, so that what did not change is not sent again. */
const answers = new Map<string, { etag: string; value: unknown }>()
const kept = 64

interface Options {
  signal?: AbortSignal
  method?: string
  body?: unknown
  /** Statuses whose body is an answer of the same form, not an Error. */
  also?: readonly number[]
}

/** onUnauthorized is called on 401; main sets it to go to the login page. */
export const hooks = { onUnauthorized: () => {} }

export async function request<T>(path: string, options: Options = {}): Promise<Result<T>> {
  const headers: Record<string, string> = { Accept: 'application/json' }
  const cached = options.method ? undefined : answers.get(path)
  if (cached) headers['If-None-Match'] = cached.etag
  if (options.body !== undefined) headers['Content-Type'] = 'application/json'
  const init: RequestInit = { method: options.method ?? 'GET', headers, credentials: 'same-origin', cache: 'no-store' }
  if (options.signal) init.signal = options.signal
  if (options.body !== undefined) init.body = JSON.stringify(options.body)

  let response: Response
  try {
    response = await fetch(path, init)
  } catch (error) {
    if (options.signal?.aborted) return { ok: false, failure: failure(0, 'aborted', 'given up by the page') }
    return { ok: false, failure: failure(0, 'unreachable', 'no answer from the consumer') }
  }
  if (response.status === 304 && cached) return { ok: true, value: cached.value as T }
  let body: unknown
  try {
    body = await response.json()
  } catch {
    body = undefined
  }
  if ((response.ok || options.also?.includes(response.status)) && body !== undefined) {
    const etag = response.headers.get('ETag')
    if (etag && !options.method) remember(path, etag, body)
    return { ok: true, value: body as T }
  }
  if (response.status === 401) hooks.onUnauthorized()
  const said = (body as { error?: { code?: unknown; message?: unknown } } | undefined)?.error
  const wait = Number(response.headers.get('Retry-After') ?? NaN)
  return {
    ok: false,
    failure: failure(
      response.status,
      typeof said?.code === 'string' ? said.code : 'unreadable',
      typeof said?.message === 'string' ? said.message : `the answer to ${path.slice(0, 80)} is not what the page expects`,
      Number.isFinite(wait) ? wait * 1000 : undefined,
    ),
  }
}

function remember(path: string, etag: string, value: unknown) {
  answers.delete(path)
  answers.set(path, { etag, value })
  if (answers.size > kept) answers.delete(answers.keys().next().value as string)
}

export interface ModelsQuery {
  prefix?: string
  contains?: string
  key?: readonly string[]
  kind?: Kind
  flag?: Flag
  /** Times of records that a key's shards have. */
  from?: string
  to?: string
  sort?: Order
  after?: string
  limit?: number
  fields?: 'all' | 'key'
  variables?: string
}

/**
 * modelPath is the address of what the API says about a key: about is '' for
 * the model itself. A browser takes . and .. out of a path, escaped or not:
 * such a key goes in the query.
 */
export function modelPath(key: string, about: '' | '/about' | '/history' | '/calibration' | '/contrast' | '/observed' | '/predict' = '', query: Query = {}): string {
  return /^\.{1,2}$/.test(key) ? '/v1/model' + about + search({ key, ...query }) : '/v1/models/' + encodeURIComponent(key) + about + search(query)
}

export const api = {
  kinds: (signal?: AbortSignal) => request<KindList>('/v1/kinds', some(signal)),
  models: (query: ModelsQuery, signal?: AbortSignal) => request<ModelList>('/v1/models' + search({ ...query }), some(signal)),
  model: (key: string, signal?: AbortSignal) => request<Posterior>(modelPath(key), some(signal)),
  about: (key: string, signal?: AbortSignal) => request<About>(modelPath(key, '/about'), some(signal)),
  history: (key: string, query: { limit?: number; variables?: string } = {}, signal?: AbortSignal) =>
    request<History>(modelPath(key, '/history', { ...query }), some(signal)),
  calibration: (key: string, signal?: AbortSignal, windows?: number) => request<Calibration>(modelPath(key, '/calibration', { windows }), some(signal)),
  contrast: (key: string, of: string, signal?: AbortSignal) => request<Contrast>(modelPath(key, '/contrast', { of }), some(signal)),
  observed: (key: string, limit: number, signal?: AbortSignal) => request<ObservedRows>(modelPath(key, '/observed', { limit }), some(signal)),
  predict: (key: string, body: PredictRequest, signal?: AbortSignal) =>
    request<Predictions>(modelPath(key, '/predict'), { ...some(signal), method: 'POST', body }),
  calibrationAcross: (query: { prefix?: string; kind?: Kind } = {}, signal?: AbortSignal) =>
    request<CalibrationAcross>('/v1/calibration' + search({ ...query }), some(signal)),
  operations: (signal?: AbortSignal) => request<Operations>('/v1/operations', some(signal)),
  deadLetters: (limit: number, signal?: AbortSignal) => request<DeadLetters>('/v1/dead-letters' + search({ limit }), some(signal)),
  ready: (signal?: AbortSignal) => request<Health>('/readyz', { ...some(signal), also: [503] }),
}

function some(signal: AbortSignal | undefined): Options {
  return signal ? { signal } : {}
}
