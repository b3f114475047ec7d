import type { WorkLocation } from './trusted-files.ts'
import type { RowsPart, TaskRowsRequest } from './write-rows.ts'
import { writeTaskRows } from './write-rows.ts'

/** Limited, since a load may be waiting for the thread. */
const maxMs = 400
const maxBytes = 2 << 20

/**
 * Returns the requested rows in one part, if they are near the start and small; undefined if another worker
 * must read them.
 */
export async function findFirstRows(
  request: TaskRowsRequest,
  location: WorkLocation,
  signal: AbortSignal,
): Promise<RowsPart | undefined> {
  const end = AbortSignal.timeout(maxMs)
  const parts: Uint8Array[] = []
  let sizeBytes = 0
  try {
    for await (const part of writeTaskRows(request, location, AbortSignal.any([signal, end]))) {
      parts.push(part.bytes)
      sizeBytes += part.bytes.length
      if (part.isLast) return { ...part, bytes: Uint8Array.from(Buffer.concat(parts)) }
      if (sizeBytes > maxBytes || end.aborted) return undefined
    }
    return undefined
  } catch (error) {
    signal.throwIfAborted()
    if (end.aborted) return undefined
    throw error
  }
}
