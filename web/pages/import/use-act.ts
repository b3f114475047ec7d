import { type Signal, useSignal } from '@preact/signals'
import { type Call, call } from '../../wire/client.ts'

/** Asks the server for a change, then reads anew whatever came of it; `error` is what it refused last. */
export function useAct(reload: () => Promise<void>): {
  act(asked: Call): Promise<void>
  error: Signal<unknown>
} {
  const error = useSignal<unknown>(undefined)
  const act = async (asked: Call): Promise<void> => {
    error.value = undefined
    try {
      await call(asked)
    } catch (refusal) {
      error.value = refusal
    }
    await reload()
  }
  return { act, error }
}
