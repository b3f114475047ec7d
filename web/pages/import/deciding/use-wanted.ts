import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'

/**
 * A value that is changed whole, and faster than the server answers: what is wanted is shown and changed further
 * until the last change is answered, so that none overwrites the one before.
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
