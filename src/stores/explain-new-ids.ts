import type { LoadMode } from './store.ts'

/** Returns a message that a load assigns other ids than those in the identity column of the source. */
export function explainNewIds(mode: LoadMode, column: string): string {
  return mode === 'UPSERT'
    ? `New rows get new ids: the ids in "${column}" are taken over only where "${column}" is the key`
    : `The rows get new ids: ${mode} does not reuse the ids in "${column}"`
}
