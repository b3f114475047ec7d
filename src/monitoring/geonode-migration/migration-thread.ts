import type { CallContext } from '../../lib/workers/handlers.ts'
import { serveWork } from '../../lib/workers/serve-work.ts'
import { parseAddress, storedAddress } from '../collect/classify/address.ts'
import { scrubText } from '../collect/classify/scrub.ts'
import { openSeriesDatabase } from '../series/open-series-database.ts'
import type { PreparedDumpLoad } from './load-dump.ts'
import { DumpLoad } from './load-dump.ts'
import type { DumpLoadProgress, MoveInData, PrepareCall } from './migration-data.ts'

async function handlersOf({ place, privacy, path, stagingPath }: MoveInData) {
  const database = await openSeriesDatabase(place)
  const load = new DumpLoad(database)
  const keepAddress = (text: string): string | null => {
    const address = parseAddress(text)
    return address === undefined ? null : storedAddress(address, privacy)
  }
  return {
    prepare: (call: PrepareCall, { notify }: CallContext<DumpLoadProgress>): Promise<PreparedDumpLoad> =>
      load.prepare({
        ...call,
        path,
        stagingPath,
        privacy: { keepAddress, scrub: (text) => scrubText(text, privacy) },
        onProgress: (phase, done) => notify({ phase, done }),
      }),
    publish: ({ services, now }: { services: Map<number, number>; now: number }) =>
      load.publish(services, now),
    close: () => database.close(),
  }
}

/** Handlers of a load's thread. */
export type MoveInWork = Awaited<ReturnType<typeof handlersOf>>

serveWork<MoveInWork, MoveInData>(handlersOf)
