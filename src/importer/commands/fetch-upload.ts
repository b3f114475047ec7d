import type { InspectDeps } from '../inspect/inspect.ts'
import { fetchInto } from '../inspect/inspect.ts'
import type { RunningTable } from '../runtime/runtime.ts'

/**
 * Fetches remote data for an upload that waits for them. Deleting or canceling the import stops the fetch.
 */
export async function fetchUpload(
  { look, running }: { look: InspectDeps; running: RunningTable },
  importId: number,
  location: string,
  folder: string,
  outer: AbortSignal,
): Promise<void> {
  await running.duringRequest(importId, outer, (signal) =>
    fetchInto(look, importId, { location }, folder, signal),
  )
}
