import type { RunningTable } from '../live/live.ts'
import type { LookNeeds } from '../look/look.ts'
import { fetchInto } from '../look/look.ts'

/**
 * Fetches remote data for an upload that waits for them. Deleting or canceling the import stops the fetch.
 */
export async function fetchUpload(
  { look, running }: { look: LookNeeds; running: RunningTable },
  importId: number,
  location: string,
  folder: string,
  outer: AbortSignal,
): Promise<void> {
  await running.duringRequest(importId, outer, (signal) =>
    fetchInto(look, importId, { location }, folder, signal),
  )
}
