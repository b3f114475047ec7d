import { type Signal, useSignal } from '@preact/signals'

interface Acting {
  isBusy: Signal<boolean>
  /** Why the last act was refused. */
  error: Signal<unknown>
  /** Runs one action at a time; returns true if it succeeded. */
  act(work: () => Promise<unknown>): Promise<boolean>
}

/** Action of a button: one at a time; stores the error to show it next to the button. */
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
