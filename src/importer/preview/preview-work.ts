import type { CallContext } from '../../lib/workers/handlers.ts'
import { Transfer } from '../../lib/workers/handlers.ts'
import { serveWork } from '../../lib/workers/serve-work.ts'
import type { LoadPlace } from '../worker/open-rows.ts'
import type { RowsPart, RowsWish } from '../worker/write-rows.ts'
import { writeRows } from '../worker/write-rows.ts'
import type { Counted, ScanNotice, ScanWish } from './scan-rows.ts'

function handlersAt(place: LoadPlace) {
  return {
    rows: (wish: RowsWish, { signal }: CallContext) => handedOver(writeRows(wish, place, signal)),
    /** Imported with the first scan: the first rows are shown without it. */
    scan: async (wish: ScanWish, context: CallContext<ScanNotice>): Promise<Counted> => {
      const { scanRows } = await import('./scan-rows.ts')
      return scanRows(wish, place, context)
    },
  }
}

async function* handedOver(parts: AsyncIterable<RowsPart>): AsyncGenerator<Transfer<RowsPart>> {
  for await (const part of parts) yield new Transfer(part, [part.bytes.buffer as ArrayBuffer])
}

/** Operations of the preview worker. */
export type PreviewWork = ReturnType<typeof handlersAt>

serveWork<PreviewWork, LoadPlace>(handlersAt)
