import { workerData } from 'node:worker_threads'
import { answerCalls } from '../../lib/worker-calls.ts'
import { keptAddress, parseAddress } from '../collect/classify/address.ts'
import { openSeriesDatabase } from '../series/open-series-database.ts'
import { DumpLoad } from './load-dump.ts'
import type { MoveInData } from './move-in.ts'

const { place, privacy, path, stagingPath }: MoveInData = workerData
const database = await openSeriesDatabase(place)
const load = new DumpLoad(database)

const tell = answerCalls({
  prepare: (day: number) =>
    load.prepare({
      day,
      path,
      stagingPath,
      keepAddress: (text) => {
        const address = parseAddress(text)
        return address === undefined ? null : keptAddress(address, privacy)
      },
      onProgress: (phase, done) => tell({ phase, done }),
    }),
  publish: ({ services, now }: { services: Map<number, number>; now: number }) => load.publish(services, now),
  close: () => database.close(),
})
