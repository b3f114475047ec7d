import { workerData } from 'node:worker_threads'
import { answerCalls } from '../../lib/worker-calls.ts'
import { keptAddress, parseAddress } from '../collect/classify/address.ts'
import { scrubText } from '../collect/classify/scrub.ts'
import { openSeriesDatabase } from '../series/open-series-database.ts'
import { DumpError } from './errors.ts'
import type { PreparedLoad } from './load-dump.ts'
import { DumpLoad } from './load-dump.ts'
import type { MoveInData, PrepareCall } from './move-in-data.ts'

const { place, privacy, path, stagingPath }: MoveInData = workerData
const database = await openSeriesDatabase(place)
const load = new DumpLoad(database)

/** The class of an error does not pass to the other thread. */
async function prepare({ day, known }: PrepareCall): Promise<PreparedLoad | { refusal: string }> {
  try {
    return await load.prepare({
      day,
      known,
      path,
      stagingPath,
      privacy: { keepAddress, scrub: (text) => scrubText(text, privacy) },
      onProgress: (phase, done) => tell({ phase, done }),
    })
  } catch (error) {
    if (error instanceof DumpError) return { refusal: error.message }
    throw error
  }
}

function keepAddress(text: string): string | null {
  const address = parseAddress(text)
  return address === undefined ? null : keptAddress(address, privacy)
}

const tell = answerCalls({
  prepare,
  publish: ({ services, now }: { services: Map<number, number>; now: number }) => load.publish(services, now),
  close: () => database.close(),
})
