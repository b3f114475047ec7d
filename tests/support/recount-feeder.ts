import { seededRandom } from '../../bench/random.ts'
import type { SeriesLimits } from '../../src/core/config/monitoring-settings.ts'
import { openSeriesDatabase } from '../../src/monitoring/series/open-series-database.ts'
import type { RequestEvent, Sample } from '../../src/monitoring/series/request-event.ts'
import type { SeriesWriter } from '../../src/monitoring/series/series.ts'
import type { SeriesLocation } from '../../src/monitoring/series/series-database.ts'
import { createSeriesWriter } from '../../src/monitoring/series/series-writer.ts'
import type { DayOptions } from './recount-day.ts'
import { makeDay } from './recount-day.ts'

/** Input that `tests/support/recount-feed.ts` passes to this program, as JSON in its only argument. */
export interface FeederOrder {
  place: SeriesLocation
  limits: SeriesLimits
  day: DayOptions
  /** Decides on batches and repeats. */
  seed: number
  /** Milliseconds since 1970: when everything is closed. */
  end: number
}

/** List that arrives in an order of its own; its cursor is the number of elements already read. */
interface Source {
  name: string
  facts: { at: number; event?: RequestEvent; sample?: Sample }[]
  taken: number
}

const lateMs = 2 * 3600 * 1000
const largestBatch = 4000

/** Passes the day to a writer as collectors do; continues where a killed process stopped. */
async function feed({ place, limits, day, seed, end }: FeederOrder): Promise<void> {
  const draw = seededRandom(seed)
  const sources = toSources(day, draw)
  const writer = createSeriesWriter(await openSeriesDatabase(place), limits)
  for (const source of sources) source.taken = Number((await writer.cursor(source.name)) ?? 0)
  for (let batch = 1; ; batch += 1) {
    const source = earliest(sources)
    if (source === undefined) break
    const now = source.facts[source.taken]?.at ?? end
    await giveBatch(writer, source, 1 + Math.floor(draw() * largestBatch), draw() < 0.2)
    console.log(`batch ${batch}`)
    if (draw() < 0.3) await writer.settle(now)
    console.log(`settled ${batch}`)
  }
  while ((await writer.settle(end)).hasMore) console.log('settled')
  await writer.close()
  console.log('done')
}

async function giveBatch(
  writer: SeriesWriter,
  source: Source,
  size: number,
  isRepeated: boolean,
): Promise<void> {
  const part = source.facts.slice(source.taken, source.taken + size)
  const from = source.taken === 0 ? undefined : String(source.taken)
  const batch = {
    events: part.flatMap(({ event }) => event ?? []),
    samples: part.flatMap(({ sample }) => sample ?? []),
    cursor: { source: source.name, from, to: String(source.taken + part.length) },
  }
  if (!(await writer.append(batch))) throw new Error('A batch was refused')
  if (isRepeated && (await writer.append(batch))) throw new Error('A batch was taken twice')
  source.taken += part.length
}

/** Creates one source for each service; one fact in fifty arrives up to two hours late. */
function toSources(options: DayOptions, draw: () => number): Source[] {
  const { requests, samples } = makeDay(options)
  const facts = [
    ...requests.map((event) => ({ at: event.created, id: event.serviceId, event })),
    ...samples.map((sample) => ({ at: sample.created, id: sample.serviceId, sample })),
  ].map((fact) => (draw() < 0.02 ? { ...fact, at: fact.at + draw() * lateMs } : fact))
  const byService = Map.groupBy(facts, ({ id }) => id)
  return [...byService].map(([id, list]) => ({
    name: `log:${id}`,
    facts: list.sort((a, b) => a.at - b.at),
    taken: 0,
  }))
}

function earliest(sources: Source[]): Source | undefined {
  let found: Source | undefined
  let first = Number.POSITIVE_INFINITY
  for (const source of sources) {
    const at = source.facts[source.taken]?.at ?? Number.POSITIVE_INFINITY
    if (at < first) {
      first = at
      found = source
    }
  }
  return found
}

await feed(JSON.parse(process.argv[2] ?? '{}'))
