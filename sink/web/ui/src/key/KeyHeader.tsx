import type { ComponentChildren } from 'preact'
import { Ago, Badge, Copy, Foreign, Help, Labelled } from '../components/index.ts'
import { absolute, count, fixed } from '../format.ts'
import { flagWords } from './words.ts'
import type { KeyModel } from './model.ts'

/** KeyHeader says which model this is, how much it has seen and what to mind. */
export function KeyHeader({ model }: { model: KeyModel }) {
  const posterior = model.posterior.value
  const newest = model.newest()
  const point = model.history.newest
  const discounted = point?.n_eff ?? posterior?.n_eff ?? null
  const flags = point?.flags ?? []
  const words = posterior?.flags ?? []
  return (
    <header class="key-head">
      <div class="key-title">
        <h1><Foreign text={model.key} length={90} /></h1>
        <Copy text={model.key} label="Copy key" />
      </div>
      <dl class="facts">
        {posterior && <Fact name="kind"><Badge tone="info">{posterior.kind}</Badge>{posterior.variant !== 'corrected' && <Badge tone="warn">{posterior.variant}</Badge>}</Fact>}
        {newest && <Fact name={<Labelled text="shards" term="shard" />}><b data-testid="t" data-value={newest.t}>{count(newest.t)}</b></Fact>}
        {newest && (
          <Fact name={<Labelled text="rows" term="n" />}>
            <b data-value={newest.n}>{count(newest.n)}</b>
            {discounted !== null && Math.abs(discounted - newest.n) > 0.5 && <span class="muted" title={String(discounted)}> (worth {fixed(discounted, 0)})</span>}
          </Fact>
        )}
        {newest && newest.t > 0 && <Fact name={<Labelled text="last record" term="age" />}><Ago time={newest.time} /><span class="muted small">{absolute(newest.time)}</span></Fact>}
        {(posterior?.gaps ?? 0) > 0 && <Fact name="skipped gaps"><Badge tone="warn">{count(posterior?.gaps)}</Badge></Fact>}
        {posterior?.outliers && (
          <Fact name="outliers">
            <span title={`beyond the 1e-6 tails of their predictions; the last is in shard ${posterior.outliers.t}`}>
              <b>{count(posterior.outliers.rows)}</b><span class="muted"> (last at offset {count(posterior.outliers.offset)})</span>
            </span>
          </Fact>
        )}
        <Fact name={<Labelled text="flags" term="flags" />}>
          {flags.length === 0 ? <span class="muted">{point ? 'none' : model.loaded.value ? 'not known here' : '…'}</span> : flags.map((f) => (
            <span key={f} class="labelled"><Badge tone={f === 'prior_dominated' ? 'plain' : 'warn'}>{flagWords[f]}</Badge><Help term={f} /></span>
          ))}
        </Fact>
      </dl>
      {words.length > 0 && <ul class="model-words">{words.map((w) => <li key={w}><span class="foreign">{w}</span></li>)}</ul>}
    </header>
  )
}

function Fact({ name, children }: { name: ComponentChildren; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
