import { type Signal, useSignal } from '@preact/signals'
import { type Call, call } from '../../../api/client.ts'
import { goTo } from '../../../lib/router.ts'
import type { ImportSummary } from '../types.ts'

/** The call that makes an import of data that lie somewhere; the page is not waited for. */
export function importCallOf(data: object, path = '/rest/imports'): Call {
  return { method: 'POST', path, query: { async: true }, body: { import: { data } } }
}

/** Makes an import and goes there; `error` is what the server refused. */
export function useBegin(): { begin(requested: Call): Promise<void>; error: Signal<unknown> } {
  const error = useSignal<unknown>(undefined)
  const begin = async (requested: Call): Promise<void> => {
    error.value = undefined
    try {
      const { import: made } = await call<{ import: ImportSummary }>(requested)
      goTo(`/app/imports/${made.id}`)
    } catch (refusal) {
      error.value = refusal
    }
  }
  return { begin, error }
}
