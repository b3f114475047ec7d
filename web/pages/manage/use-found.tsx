import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Dialog } from '../../components/dialog.tsx'
import { Failed, Loading } from '../../components/states.tsx'
import { messages } from '../../messages/messages.ts'
import { closeDialog } from './row-acts.tsx'

/** Loads the content of a dialog when it opens; shows `waiting` until then. */
export function useFound<T>(
  ask: (signal: AbortSignal) => Promise<T>,
): { value: T; waiting?: never } | { value: undefined; waiting: VNode } {
  const [value, setValue] = useState<T>()
  const [error, setError] = useState<unknown>()
  const [tries, setTries] = useState(0)
  useEffect(() => {
    const asking = new AbortController()
    setError(undefined)
    ask(asking.signal).then(setValue, (reason: unknown) => {
      if (!asking.signal.aborted) setError(reason)
    })
    return () => asking.abort()
  }, [tries])
  if (value !== undefined) return { value }
  const content =
    error === undefined ? <Loading /> : <Failed error={error} onAgain={() => setTries(tries + 1)} />
  return {
    value: undefined,
    waiting: (
      <Dialog title={messages.value.state.loading} onClose={closeDialog}>
        {content}
      </Dialog>
    ),
  }
}
