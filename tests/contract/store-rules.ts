import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seededRandom } from '../../bench/random.ts'
import { commitLoad } from '../../src/stores/commit-load.ts'
import type { LoadMode } from '../../src/stores/store.ts'
import type { Row } from '../support/batches.ts'
import { schemaOf, wkb } from '../support/batches.ts'
import type { LoadArguments, MakeStore, StoreUnderTest } from './store-session.ts'
import { loadRows, never, readRows, stageRows, withStore } from './store-session.ts'

const schema = schemaOf({ id: 'int32', code: 'text', a: 'int32', b: 'int32', n: 'int32' }, 'Point')

/** Rules that a table may have, as statements of each store. */
const rules: Record<string, { postgis: string; sqlite: string }> = {
  'a unique column': {
    postgis: 'create unique index one_code on layer (code)',
    sqlite: 'create unique index one_code on layer (code)',
  },
  'two columns that are unique together': {
    postgis: 'create unique index one_place on layer (a, b)',
    sqlite: 'create unique index one_place on layer (a, b)',
  },
  'a unique expression, in some rows': {
    postgis: 'create unique index one_lower on layer (lower(code)) where n > 2',
    sqlite: 'create unique index one_lower on layer (lower(code)) where n > 2',
  },
  'a column that may not be empty': {
    postgis: 'alter table layer alter n set not null',
    sqlite: declared('NOT NULL'),
  },
  'a check': {
    postgis: 'alter table layer add check (n <> 4 or a > 1)',
    sqlite: declared('CHECK ("n" <> 4 or "a" > 1)'),
  },
}

/** SQLite has no statement that gives a column a rule later. */
function declared(rule: string): string {
  return `PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET sql = replace(sql, '"n" MEDIUMINT', '"n" MEDIUMINT ${rule}') WHERE name = 'layer'`
}

function madeRows(random: () => number, count: number, ids: number): Row[] {
  const pick = (most: number): number => Math.floor(random() * most)
  return Array.from({ length: count }, () => ({
    geometry: wkb('Point', [pick(9), pick(9)]),
    values: [pick(ids), `${'aB'[pick(2)]}${pick(25)}`, pick(6), pick(6), random() < 0.1 ? null : pick(9)],
  }))
}

/** Rows that no rule is against. */
const filled: Row[] = Array.from({ length: 5 }, (_, at) => ({
  geometry: wkb('Point', [at, at]),
  values: [at, `k${at}`, at, at + 10, 3],
}))

/** Modes of loads with the seed of their rows. */
export const ruledModes: readonly (readonly [mode: LoadMode, seed: number])[] = [
  ['REPLACE', 1],
  ['APPEND', 2],
  ['UPSERT', 3],
]

/** Tests each rule in one mode; `tests/release/models/stores.test.ts` has the other modes. */
export function describeRules(make: MakeStore): void {
  describe('rules of a table', () =>
    describeRuledLoads(make, (rule) => [ruledModes[rule % 3] ?? assert.fail()]))
}

/** Tests loads into a table with each rule; `modesOf` takes the number of the rule. */
export function describeRuledLoads(make: MakeStore, modesOf: (rule: number) => typeof ruledModes): void {
  for (const [at, [name, statements]] of Object.entries(rules).entries()) {
    it(
      `${name}: a dry run finds the rows that a load finds, and touches nothing`,
      withStore(make, async (under) => {
        for (const [mode, seed] of modesOf(at)) await compareRuns(under, statements, mode, seed)
      }),
    )
  }
}

async function compareRuns(
  under: StoreUnderTest,
  { postgis, sqlite }: { postgis: string; sqlite: string },
  mode: LoadMode,
  seed: number,
): Promise<void> {
  const { store } = under
  await loadRows(store, { schema, rows: filled })
  await under.execute(store.type === 'PostGIS' ? postgis : sqlite)
  const rows = madeRows(seededRandom(seed), 40, 30)
  const upsert = mode === 'UPSERT' ? { upsert: { keys: ['id'], deletesMissing: false } } : {}
  const load: LoadArguments = { schema, rows, mode, ...upsert }
  const first = await under.trace()
  const tried = await stageRows(store, { ...load, isDryRun: true })
  const compared = await tried.staged.compare?.(mode === 'APPEND' ? undefined : ['id'], never)
  const refused = tried.reported.rejects.map(({ row }) => row).sort((one, other) => one - other)
  await tried.staged.discard()
  assert.deepEqual(await under.trace(), first)

  const loadOutcome = await loadRows(store, load)
  const expected = loadOutcome.rejects.map(({ row }) => row).sort((one, other) => one - other)
  assert.ok(expected.length > 0, `${mode}: some rows are refused`)
  assert.deepEqual(refused, expected, mode)
  const { added = 0, changed, same = 0 } = compared?.counts ?? {}
  assert.equal(
    added + (changed ?? 0) + same,
    rows.length - expected.length,
    `${mode}: every row is counted once`,
  )
  assert.deepEqual(loadOutcome.result.changes ?? compared?.counts, compared?.counts, mode)

  // The commit does not check the rejected rows again.
  const again = await stageRows(store, {
    ...load,
    mode: mode === 'APPEND' ? 'REPLACE' : mode,
    isDryRun: true,
  })
  await again.staged.compare?.(undefined, never)
  const known = again.reported.rejects.length
  const result = await commitLoad(again.staged, async () => {})
  assert.equal(again.reported.rejects.length, known, mode)
  assert.equal(result.rowsLoaded, rows.length - known, mode)
  assert.ok((await readRows(store)).length > 0)
  await store.dropTable('layer')
}
