import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'

/**
 * A value edited faster than the server responds: shows the latest edit and applies further edits to it, so
 * that no response overwrites a later edit.
 */
export function useRequested<T, Answer>(
  kept: T,
  send: (next: T) => Promise<Answer>,
): { value: T; change(next: T): Promise<Answer> } {
  const requested = useSignal<{ value: T } | undefined>(undefined)
  const inFlight = useRef(0)
  const change = async (next: T): Promise<Answer> => {
    requested.value = { value: next }
    inFlight.current += 1
    try {
      return await send(next)
    } finally {
      inFlight.current -= 1
      if (inFlight.current === 0) requested.value = undefined
    }
  }
  return { value: requested.value === undefined ? kept : requested.value.value, change }
}
