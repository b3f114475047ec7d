import { metricNamed } from '../../src/monitoring/metrics/metrics.ts'
import { eventTypeId } from '../../src/monitoring/model/event-types.ts'
import { resourceTypeId } from '../../src/monitoring/model/resource-types.ts'
import type { SeriesDatabase } from '../../src/monitoring/series/series-database.ts'

/** Visitors of one service, distributed over minutes. */
export interface Visitors {
  serviceId: number
  /** Seconds since 1970: a whole minute. */
  from: number
  minutes: number
  visitorsPerMinute: number
  /** Layers that each visitor uses. */
  layersOfVisitor: number
  layers: number
}

/** Above the ids that the server assigns in the meantime. */
const firstId = 5_000_000
const columns = 'series_id, period, label_id, sum, weighted, min, max, samples, count, labels, users, sketch'

/**
 * Writes minute rows of `request.users` in the form that the collector writes: for each layer and for all
 * requests, by visitor and as totals. Returns the number of rows of a response with one row per minute, layer
 * and visitor.
 */
export async function writeVisitors(database: SeriesDatabase, visitors: Visitors): Promise<number> {
  const { minutes, visitorsPerMinute, layersOfVisitor, layers } = visitors
  await database.transaction(async (inside) => {
    await writeNames(inside, visitors)
    for (let split = 0; split <= layers; split += 1) {
      for (const isTotal of [false, true]) await writeSeries(inside, visitors, split, isTotal)
    }
    await inside.run(
      `insert into monitoring_minutes (${columns})
       ${numbersBelow(minutes, 'p')}, ${numbersBelow(visitorsPerMinute, 'n', false)}
       select ${firstId}, ${visitors.from} + p.i * 60, ${firstId} + p.i * ${visitorsPerMinute} + n.i, 1, 1, 1, 1, 1, 1, 1, 0, null
       from p cross join n`,
    )
    for (let layer = 0; layer < layersOfVisitor; layer += 1) {
      await inside.run(
        `insert into monitoring_minutes (${columns})
         ${numbersBelow(minutes, 'p')}, ${numbersBelow(visitorsPerMinute, 'n', false)}
         select ${firstId} + 2 * (1 + (n.i + ${layer}) % ${layers}), ${visitors.from} + p.i * 60,
           ${firstId} + p.i * ${visitorsPerMinute} + n.i, 1, 1, 1, 1, 1, 1, 1, 0, null
         from p cross join n`,
      )
    }
    await inside.run(
      `insert into monitoring_minutes (${columns})
       select series_id + 1, period, 0, sum(sum), sum(weighted), 1, 1, sum(samples), sum(count), sum(labels), 0, null
       from monitoring_minutes where series_id >= ${firstId} group by series_id, period`,
    )
  })
  if (database.kind === 'postgres') await database.run('analyze')
  return minutes * visitorsPerMinute * layersOfVisitor
}

/** Split 0 is all requests, the others are layers. */
async function writeSeries(
  database: SeriesDatabase,
  { serviceId }: Visitors,
  split: number,
  isTotal: boolean,
): Promise<void> {
  const [id, resource] = [firstId + 2 * split + (isTotal ? 1 : 0), split === 0 ? 0 : firstId + split]
  await database.insert(
    'monitoring_series',
    ['id', 'service_id', 'metric_id', 'event_type', 'resource_id', 'is_total', 'load_id'],
    [[id, serviceId, metricNamed('request.users').id, eventTypeId('all'), resource, isTotal ? 1 : 0, 0]],
  )
}

async function writeNames(
  database: SeriesDatabase,
  { minutes, visitorsPerMinute, layers }: Visitors,
): Promise<void> {
  const resources = Array.from({ length: layers }, (_, index) => [
    firstId + 1 + index,
    resourceTypeId('layer'),
    `ws:layer_${index}`,
  ])
  await database.insert('monitoring_resources', ['id', 'type', 'name'], resources)
  await database.run(
    `insert into monitoring_labels (id, name, user_name, used)
     ${numbersBelow(minutes * visitorsPerMinute, 'n')} select ${firstId} + i, 'visitor-' || i, null, null from n`,
  )
}

function numbersBelow(count: number, name: string, isFirst = true): string {
  return `${isFirst ? 'with recursive ' : ''}${name}(i) as (select 0 union all select i + 1 from ${name} where i < ${count - 1})`
}
