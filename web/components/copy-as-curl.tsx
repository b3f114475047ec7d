import type { Call } from '../api/client.ts'
import { curlOf } from '../api/curl.ts'
import { messages } from '../messages/messages.ts'
import { Icon } from './icon.tsx'
import { say } from './toasts.tsx'

/**
 * Copies a text; if the browser forbids it (without https, from another machine), shows the text for manual
 * copying.
 */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    say(messages.value.state.copied)
  } catch {
    prompt(messages.value.state.copyByHand, text)
  }
}

type Calls = Call | readonly Call[]

/** A button that copies what a script would call for the same; of several calls each is a line. */
export function CopyAsCurl({ call }: { call: Calls | (() => Calls) }) {
  const { state } = messages.value
  const copy = (): Promise<void> => {
    const calls = [typeof call === 'function' ? call() : call].flat()
    return copyText(calls.map((one) => curlOf(one)).join('\n'))
  }
  return (
    <button type="button" class="btn quiet" onClick={() => void copy()}>
      <Icon name="code" />
      {state.copyAsCurl}
    </button>
  )
}
