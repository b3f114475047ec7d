import { type Signal, useSignal } from '@preact/signals'

interface Acting {
  isBusy: Signal<boolean>
  /** Why the last act was refused. */
  error: Signal<unknown>
  /** One act at a time; whether it was done. */
  act(work: () => Promise<unknown>): Promise<boolean>
}

/** What a button does: once at a time, and the refusal is kept to be shown beside it. */
export function useActing(): Acting {
  const isBusy = useSignal(false)
  const error = useSignal<unknown>(undefined)
  const act = async (work: () => Promise<unknown>): Promise<boolean> => {
    if (isBusy.peek()) return false
    isBusy.value = true
    error.value = undefined
    try {
      await work()
      return true
    } catch (refusal) {
      error.value = refusal
      return false
    } finally {
      isBusy.value = false
    }
  }
  return { isBusy, error, act }
}
