import assert from 'node:assert/strict'
import { it } from 'node:test'
import { loadRows, never, readRows, stageRows } from '../../../tests/contract/store-session.ts'
import type { Row } from '../../../tests/support/batches.ts'
import { schemaOf, wkb } from '../../../tests/support/batches.ts'
import { fileDatabase, storeParameters } from '../../../tests/support/postgis-store.ts'
import { runSql } from '../../../tests/support/postgres.ts'
import { commitLoad } from '../commit-load.ts'
import type { LoadRequest, VectorStore } from '../store.ts'
import { createPostgisStore } from './postgis-store.ts'

const schema = schemaOf({ code: 'int32', name: 'text' }, 'Point')
const row = (code: number | null, name: string): Row => ({
  geometry: wkb('Point', [1, 2]),
  values: [code, name],
})
const hooks = { signal: never, onMessage: () => {}, onReject: () => {} }

interface Bench {
  store: VectorStore
  home: string
  sql(text: string): Promise<Record<string, unknown>[]>
}

let count = 0

/** Creates a table `layer` with the rows (1, a) and (2, b) in a schema of its own. */
async function withTable(work: (bench: Bench) => Promise<void>): Promise<void> {
  const url = await fileDatabase()
  count += 1
  const home = `dry_run_${count}`
  await runSql(url, `create schema ${home}`)
  const store = createPostgisStore(storeParameters(url, home))
  const sql = (text: string): Promise<Record<string, unknown>[]> =>
    runSql(url, `set search_path = ${home}, public; ${text}`)
  try {
    await loadRows(store, { schema, rows: [row(1, 'a'), row(2, 'b')] })
    await work({ store, home, sql })
  } finally {
    await store.close()
  }
}

const traces = `select (select array_agg(xmin::text || ctid::text || layer::text order by ctid) from layer) as rows,
  (select last_value::text || is_called::text from layer_fid_seq) as sequence,
  pg_stat_get_dead_tuples('layer'::regclass)::int as dead, pg_stat_get_tuples_inserted('layer'::regclass)::int as inserted,
  pg_relation_filenode('layer'::regclass)::int8::text as file, (select count(*) from spatial_ref_sys)::int as systems`

async function performDryRun(
  store: VectorStore,
  request: Partial<LoadRequest>,
  rows: Row[],
  keys?: string[],
) {
  const { staged, reported: report } = await stageRows(store, {
    schema,
    mode: 'REPLACE',
    ...request,
    rows,
    isDryRun: true,
  })
  const comparison = await staged.compare?.(keys, never)
  assert.ok(comparison !== undefined)
  return { staged, comparison, reported: report }
}

it('leaves rows, dead rows, sequences and the file of the table alone, and locks out no writer', () =>
  withTable(async ({ store, sql }) => {
    for (const dependent of [
      '',
      'create view names as select name from layer',
      'create unique index one_code on layer (code)',
    ]) {
      await sql(dependent)
      for (const mode of ['REPLACE', 'APPEND'] as const) {
        const before = await sql(traces)
        const {
          staged,
          comparison,
          reported: report,
        } = await performDryRun(store, { mode }, [row(7, 'x'), row(7, 'y'), row(null, 'z')])
        assert.equal(report.rejects.length, dependent.includes('unique') ? 1 : 0)
        for await (const _page of comparison.changes()) assert.deepEqual(await sql(traces), before)
        await sql(`set lock_timeout = '60s'; begin; lock table layer in share row exclusive mode; update layer set code = code;
          alter sequence layer_fid_seq restart; rollback`)
        await staged.discard()
        const [{ dead: _dead, ...left } = {}] = await sql(traces)
        const [{ dead: _before, ...expected } = {}] = before
        assert.deepEqual(left, expected)
      }
    }
  }))

it('does not register a CRS before the commit', () =>
  withTable(async ({ store, sql }) => {
    const geometry = {
      ...(schema.geometry ?? { name: 'geom', type: 'Point', hasZ: false, hasM: false }),
      crs: { srs: 'EPSG:9999', wkt: 'LOCAL_CS["odd"]' },
    } as const
    const odd = { ...schema, geometry }
    const before = await sql(traces)
    const { staged } = await performDryRun(store, { mode: 'CREATE', table: 'odd', schema: odd }, [
      row(1, 'a'),
    ])
    assert.deepEqual(await sql(traces), before)
    await commitLoad(staged, async () => {})
    assert.equal((await store.findTable('odd'))?.schema.geometry?.crs?.srs, 'EPSG:9999')
  }))

it('takes up what was laid by, in every form, under another load as well', () =>
  withTable(async ({ store, sql, home }) => {
    const forms = [
      { mode: 'CREATE', table: 'made', names: ['n', 'm'] },
      { mode: 'REPLACE', table: 'layer', names: ['n', 'm'] },
      { mode: 'APPEND', table: 'layer', names: ['n', 'm', 'n', 'm'] },
    ] as const
    for (const { mode, table, names } of forms) {
      const request: LoadRequest = {
        loadId: `first-${mode}`,
        mode,
        table,
        schema,
        indexes: ['name'],
        isDryRun: true,
      }
      const { staged } = await performDryRun(store, request, [row(5, 'n'), row(6, 'm')])
      const text = await staged.retainRows?.()
      assert.ok(text !== undefined && store.takeUp !== undefined)
      const taken = await store.takeUp({ ...request, loadId: `second-${mode}`, isDryRun: false }, text, hooks)
      assert.equal(taken.result.rowsLoaded, 2)
      await commitLoad(taken, async () => {})
      assert.deepEqual(
        (await readRows(store, { table })).map(({ values }) => values[1]),
        names,
      )
    }
    assert.deepEqual(
      await sql(
        `select relname from pg_class where relname like 'terrane_load_%' and relnamespace = '${home}'::regnamespace`,
      ),
      [],
    )
  }))

it('refuses what was laid by where its rows or its table are not what they were', () =>
  withTable(async ({ store, sql, home }) => {
    const gone = { kind: 'conflict', code: 'staged-gone' }
    const changes: [string, string][] = [
      ['APPEND', 'alter table layer add column more int'],
      ['APPEND', 'delete from STAGED'],
      ['APPEND', 'drop table STAGED'],
      ['APPEND', 'alter table layer alter name set not null'],
      ['REPLACE', 'create view names as select name from layer'],
    ]
    for (const [mode, change] of changes) {
      const loadId = `gone_${changes.findIndex(([, one]) => one === change)}`
      const request = { loadId, mode, table: 'layer', schema, indexes: [], isDryRun: true } as LoadRequest
      const { staged } = await performDryRun(store, request, [row(5, 'n')])
      const text = (await staged.retainRows?.()) ?? ''
      await sql(change.replace('STAGED', `terrane_load_${loadId}`))
      await assert.rejects(store.takeUp?.(request, text, hooks) ?? Promise.resolve(), gone, change)
      await store.sweep(loadId)
      assert.deepEqual(
        await sql(
          `select 1 from pg_class where relname = 'terrane_load_${loadId}' and relnamespace = '${home}'::regnamespace`,
        ),
        [],
      )
    }
    assert.deepEqual((await readRows(store)).length, 2)
  }))

it('names what cannot be tried', () =>
  withTable(async ({ store, sql }) => {
    await sql(`create function note() returns trigger language plpgsql as 'begin return new; end';
      create trigger noted after insert on layer for each row execute function note();
      create table kinds (id int primary key); insert into kinds values (5);
      alter table layer drop constraint if exists known; delete from layer;
      alter table layer add constraint known foreign key (code) references kinds, add column at timestamptz default now()`)
    const { staged, comparison } = await performDryRun(store, {}, [row(5, 'n')])
    assert.deepEqual(comparison.notTried, ['triggers', 'foreign keys', 'defaults'])
    await staged.discard()
  }))

it('finds values of text, enumerations, JSON and citext that differ although the database calls them equal', () =>
  withTable(async ({ store, sql }) => {
    await sql(`create type mood as enum ('good', 'bad');
      create collation if not exists no_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
      create domain short as text check (length(value) < 5);
      create table odd (key int primary key, m mood, j jsonb, t text collate no_case, c char(4), d short, a int[], n numeric, s timestamp)`)
    const names = ['key', 'm', 'j', 't', 'c', 'd', 'a', 'n', 's']
    const texts = schemaOf(Object.fromEntries(names.map((name) => [name, 'text'] as const)))
    const first = ['1', 'good', '{"a": 1, "b": 2}', 'x', 'c', 'd', '{1,2}', '1.0', '2024-01-01T00:00:00Z']
    await loadRows(store, { mode: 'APPEND', table: 'odd', schema: texts, rows: [{ values: first }] })
    const alike = ['1', 'good', '{"b":2,"a":1}', 'x', 'c', 'd', '{1, 2}', '1.00', '2024-01-01T00:00:00Z']
    for (const [at, value] of [
      [0, undefined],
      [1, 'bad'],
      [2, '{"a":2}'],
      [3, 'X'],
      [4, 'C'],
      [5, 'D'],
      [6, '{2,1}'],
      [7, '1.01'],
      [8, '2024-01-01T00:00:01Z'],
    ] as const) {
      const values = value === undefined ? alike : alike.with(at, value)
      for (const keys of [['key'], undefined]) {
        const { staged, comparison } = await performDryRun(
          store,
          { table: 'odd', schema: texts },
          [{ values }],
          keys,
        )
        const { added, changed, same } = comparison.counts
        const expected = value === undefined ? [0, keys && 0, 1] : keys ? [0, 1, 0] : [1, undefined, 0]
        assert.deepEqual([added, changed ?? undefined, same], expected, `${names[at]} = ${value}`)
        await staged.discard()
      }
    }
  }))

it('gives a table that was tried out first the indexes and statistics of one that was not', () =>
  withTable(async ({ store, sql, home }) => {
    const shape = (table: string): Promise<Record<string, unknown>[]> =>
      sql(`select replace(indexdef, '${table}', 'layer') as index from pg_indexes
        where schemaname = '${home}' and tablename = '${table}' order by 1`)
    const analyzed = (table: string): Promise<Record<string, unknown>[]> =>
      sql(
        `select attname, n_distinct from pg_stats where schemaname = '${home}' and tablename = '${table}' order by 1`,
      )
    const rows = [row(5, 'n'), row(6, 'm')]
    const indexes = ['name']
    await loadRows(store, { schema, rows, table: 'plain', indexes })
    for (const [mode, table] of [
      ['CREATE', 'tried'],
      ['REPLACE', 'plain'],
    ] as const) {
      const { staged } = await performDryRun(store, { mode, table, indexes }, rows)
      await commitLoad(staged, async () => {})
      assert.deepEqual(await shape(table), await shape('plain'), mode)
      assert.equal((await shape(table)).length, 3)
      assert.deepEqual(await analyzed(table), await analyzed('plain'), mode)
    }
  }))

it('finds already in a dry run that an index of values cannot be built', () =>
  withTable(async ({ store }) => {
    const long = Array.from({ length: 9000 }, (_, at) =>
      String.fromCodePoint(0x4e00 + ((at * 7919) % 20_000)),
    )
    const request: Partial<LoadRequest> = { mode: 'CREATE', table: 'long', indexes: ['name'] }
    await assert.rejects(
      performDryRun(store, request, [row(1, long.join(''))]),
      /index row|too (?:large|long)/,
    )
  }))

it('compares whole rows as SQL does, whether most of them have the ids that they had or not', () =>
  withTable(async ({ store, sql }) => {
    let state = 7
    const random = (below: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((state / 2 ** 32) * below)
    }
    for (let pair = 0; pair < 12; pair += 1) {
      const names = pair % 3 === 0 ? 3 : 500
      const some = (): Row => row(random(4) === 0 ? null : random(3), `n${random(names)}`)
      const first = Array.from({ length: 150 }, some)
      const second = first.flatMap((one) => {
        const fate = random(pair % 2 === 0 ? 40 : 4)
        return fate === 0 ? [] : fate === 1 ? [some()] : fate === 2 ? [one, one] : [one]
      })
      if (pair % 4 === 3) second.reverse()
      await loadRows(store, { schema, rows: first, mode: 'REPLACE' })
      await loadRows(store, { schema, rows: second, mode: pair === 0 ? 'CREATE' : 'REPLACE', table: 'other' })
      const except = async (one: string, two: string): Promise<number> => {
        const list = 'select code, name, geom::text from'
        const [found] = await sql(
          `select count(*)::int as n from (${list} ${one} except all ${list} ${two}) difference`,
        )
        return Number(found?.['n'])
      }
      const { staged, comparison } = await performDryRun(store, {}, second)
      const { added, removed } = comparison.counts
      const expected = [await except('other', 'layer'), await except('layer', 'other')]
      assert.deepEqual([added, removed], expected, `pair ${pair}`)
      let listed = 0
      for await (const page of comparison.changes()) listed += page.length
      assert.equal(listed, added + removed)
      await staged.discard()
    }
  }))
