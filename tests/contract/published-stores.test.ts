import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { quoteIdentifier } from '../../src/core/postgres/quote.ts'
import { getStoreDescription } from '../../src/stores/registry.ts'
import { tileReadingOf } from '../../src/stores/tile-reading.ts'
import { rowsOf, schemaOf, wkb } from '../support/batches.ts'
import { makePostgisStore } from '../support/postgis-store.ts'
import { describeReading } from './store-reading.ts'
import type { MakeStore } from './store-session.ts'
import { loadRows, never, withStore } from './store-session.ts'
import { describeTiles } from './store-tiles.ts'

/** Statements by which other programs make `layer` of the columns of `base`. */
const relations: Record<string, (columns: string) => string> = {
  'a view': (columns) => `create view layer as select ${columns} from base`,
  'a materialized view': (columns) => `create materialized view layer as select ${columns} from base`,
  'a partitioned table': (columns) => `
    create view chosen as select ${columns} from base;
    create sequence layer_ids;
    create table layer (id bigint primary key default nextval('layer_ids'), like chosen) partition by hash (id);
    create table layer_0 partition of layer for values with (modulus 2, remainder 0);
    create table layer_1 partition of layer for values with (modulus 2, remainder 1);
    insert into layer (${columns}) select ${columns} from base`,
}

for (const [what, sql] of Object.entries(relations)) {
  const make: MakeStore = async () => {
    const under = await makePostgisStore()
    const { schemaName, store } = under
    return {
      ...under,
      fill: async (schema, rows) => {
        await loadRows(store, { schema, rows, table: 'base' })
        const { geometry } = (await store.findTable('base'))?.schema ?? {}
        const names = [...schema.attributes, ...(geometry === undefined ? [] : [geometry])]
        const columns = names.map(({ name }) => quoteIdentifier(name)).join(', ')
        await under.execute(sql(columns).replaceAll(/\b(base|chosen)\b/g, `"${schemaName}".$1`))
      },
    }
  }
  describe(`${what} that other programs made`, () => {
    const hasKeys = what === 'a partitioned table'
    describeReading(make, getStoreDescription('PostGIS'), hasKeys)
    if (hasKeys) {
      describeTiles(make, getStoreDescription('PostGIS'))
      return
    }
    it(
      'gives tiles the rows that it gives features',
      withStore(make, async ({ fill, store }) => {
        const rows = Array.from({ length: 50 }, (_, n) => ({
          geometry: n === 7 ? null : wkb('Point', [n, n]),
          values: [n],
        }))
        await fill(schemaOf({ n: 'int32' }, 'Point'), rows)
        const found: unknown[] = []
        const boxes = [{ minX: 5, minY: 5, maxX: 9, maxY: 9 }]
        for await (const { batch } of tileReadingOf(store).readTile({ table: 'layer', boxes }, never))
          found.push(...rowsOf(batch).map(({ values }) => values[0]))
        // Without a key, rows have no order.
        assert.deepEqual(found.map(Number).sort(), [5, 6, 8, 9])
      }),
    )
  })
}

describe('a view that is slow', () => {
  it('is described without row count and bounds after a time', async () => {
    const { store, execute, dispose } = await makePostgisStore()
    try {
      await execute(
        'create view layer as select n, pg_sleep(0.01) is null as slow, ST_SetSRID(ST_MakePoint(n, n), 4326) as g from generate_series(1, 100) n where pg_sleep(0.01) is not null',
      )
      const table = await store.findTable('layer', { readMs: 50 })
      assert.deepEqual(
        [table?.schema.geometry?.name, table?.featureCount, table?.envelope],
        ['g', undefined, undefined],
      )
      const { featureCount, envelope } = (await store.findTable('layer')) ?? {}
      assert.deepEqual([featureCount, envelope?.maxX], [100, 100])
    } finally {
      await store.close()
      await dispose()
    }
  })
})
