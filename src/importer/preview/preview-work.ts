import type { CallContext } from '../../core/workers/handlers.ts'
import { Transfer } from '../../core/workers/handlers.ts'
import { serveWork } from '../../core/workers/serve-work.ts'
import type { WorkLocation } from '../worker/open-rows.ts'
import type { RowsPart, TaskRowsRequest } from '../worker/write-rows.ts'
import { writeTaskRows } from '../worker/write-rows.ts'
import type { Counted, RowScanRequest, ScanNotice } from './scan-rows.ts'

function handlersAt(location: WorkLocation) {
  return {
    rows: (request: TaskRowsRequest, { signal }: CallContext) =>
      handedOver(writeTaskRows(request, location, signal)),
    /** The code is imported with the first scan; the first rows are shown without it. */
    scan: async (request: RowScanRequest, context: CallContext<ScanNotice>): Promise<Counted> => {
      const { scanRows } = await import('./scan-rows.ts')
      return scanRows(request, location, context)
    },
  }
}

async function* handedOver(parts: AsyncIterable<RowsPart>): AsyncGenerator<Transfer<RowsPart>> {
  for await (const part of parts) yield new Transfer(part, [part.bytes.buffer as ArrayBuffer])
}

/** Operations of the preview worker. */
export type PreviewWork = ReturnType<typeof handlersAt>

serveWork<PreviewWork, WorkLocation>((place, _tell, allowReset) => {
  allowReset()
  return handlersAt(place)
})
