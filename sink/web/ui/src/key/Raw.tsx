import { useMemo } from 'preact/hooks'
import { modelPath } from '../api/client.ts'
import { Copy, Loading } from '../components/index.ts'
import { bytes } from '../format.ts'
import type { KeyModel } from './model.ts'

const most = 200_000

/** Raw is the stored posterior as the API answers it. */
export function Raw({ model }: { model: KeyModel }) {
  const posterior = model.posterior.value
  const text = useMemo(() => JSON.stringify(posterior, null, 2), [posterior])
  if (!posterior) return <Loading what="the posterior" />
  const path = modelPath(model.key)
  const cut = text.length > most ? text.lastIndexOf('\n', most) : text.length
  return (
    <div class="stack">
      <div class="row">
        <Copy text={text} label="Copy JSON" />
        <a href={path} target="_blank" rel="noopener">GET <code class="foreign">{path}</code></a>
        <a href={modelPath(model.key, '/about')} target="_blank" rel="noopener">about</a>
        <a href={modelPath(model.key, '/history')} target="_blank" rel="noopener">history</a>
        <span class="muted">as of offset {String(posterior.source.offset)}</span>
      </div>
      <pre class="json foreign" tabIndex={0} role="region" aria-label="Posterior as JSON">{text.slice(0, cut)}</pre>
      {cut < text.length && <p class="muted">The first {bytes(cut)} of {bytes(text.length)}; copying and the link give all of it.</p>}
    </div>
  )
}
