import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

/** Copy is a button that copies text and says whether it could. */
export function Copy({ text, label = 'Copy' }: { text: string; label?: string }) {
  const said = useSignal('')
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const copy = async () => {
    said.value = (await put(text)) ? 'Copied' : 'Select and copy by hand'
    clearTimeout(timer.current)
    timer.current = setTimeout(() => (said.value = ''), 2000)
  }
  return (
    <button type="button" class="copy no-print" onClick={copy} aria-live="polite">
      {said.value || label}
    </button>
  )
}

async function put(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Without TLS and off loopback there is no clipboard but by selection.
    const area = document.createElement('textarea')
    area.value = text
    area.className = 'visually-hidden'
    document.body.append(area)
    area.select()
    const done = document.execCommand('copy')
    area.remove()
    return done
  }
}

/** Command shows a command of the terminal with a button that copies it. */
export function Command({ text, label }: { text: string; label?: string }) {
  return (
    <div class="command">
      {label && <span class="muted">{label}</span>}
      <div class="command-line">
        <code class="foreign">{text}</code>
        <Copy text={text} />
      </div>
    </div>
  )
}
