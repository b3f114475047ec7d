import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'

/**
 * A value edited faster than the server responds: shows the latest edit and applies further edits to it, so
 * that no response overwrites a later edit.
 */
export function useWanted<T, Answer>(
  kept: T,
  send: (next: T) => Promise<Answer>,
): { value: T; change(next: T): Promise<Answer> } {
  const wanted = useSignal<{ value: T } | undefined>(undefined)
  const underWay = useRef(0)
  const change = async (next: T): Promise<Answer> => {
    wanted.value = { value: next }
    underWay.current += 1
    try {
      return await send(next)
    } finally {
      underWay.current -= 1
      if (underWay.current === 0) wanted.value = undefined
    }
  }
  return { value: wanted.value === undefined ? kept : wanted.value.value, change }
}
