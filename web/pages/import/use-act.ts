import { type Signal, useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { type Call, call } from '../../api/client.ts'

/** Sends changes to the server, one after the other, and reloads after each; `error` is the last error. */
export function useAct(reload: () => Promise<void>): {
  act(requested: Call): Promise<void>
  error: Signal<unknown>
} {
  const error = useSignal<unknown>(undefined)
  const last = useRef(Promise.resolve())
  const ask = async (requested: Call): Promise<void> => {
    error.value = undefined
    try {
      await call(requested)
    } catch (refusal) {
      error.value = refusal
    }
    await reload()
  }
  const act = (requested: Call): Promise<void> => {
    const turn = (): Promise<void> => ask(requested)
    last.current = last.current.then(turn, turn)
    return last.current
  }
  return { act, error }
}
