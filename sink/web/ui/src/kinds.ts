import { api } from './api/client.ts'
import type { Kind, KindInfo } from './api/types.ts'
import { shared } from './resource.ts'

/** useKinds is what the consumer knows of kinds of models. */
export const useKinds = shared((signal) => api.kinds(signal))

/** chosenKind is the kind that the query string names; one that the consumer is known not to have counts as none. */
export function chosenKind(query: URLSearchParams, kinds: readonly KindInfo[] | undefined): Kind | '' {
  const kind = query.get('kind') ?? ''
  return kinds && !kinds.some((k) => k.name === kind) ? '' : kind
}

/** kindNames are those to choose from: what was chosen alone, until the consumer says which there are. */
export function kindNames(chosen: Kind | '', kinds: readonly KindInfo[] | undefined): readonly Kind[] {
  return kinds?.map((k) => k.name) ?? (chosen ? [chosen] : [])
}
