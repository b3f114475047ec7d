import { messages } from '../messages/messages.ts'
import type { Call } from '../wire/client.ts'
import { curlOf } from '../wire/curl.ts'
import { Icon } from './icon.tsx'
import { say } from './toasts.tsx'

/** A button that copies what a script would call for the same. */
export function CopyAsCurl({ call }: { call: Call | (() => Call) }) {
  const { state } = messages.value
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(curlOf(typeof call === 'function' ? call() : call))
    say(state.copied)
  }
  return (
    <button type="button" class="btn quiet" onClick={() => void copy()}>
      <Icon name="code" />
      {state.copyAsCurl}
    </button>
  )
}
