import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seededRandom } from '../../bench/random.ts'
import type { AttributeType, Schema } from '../../src/geo/schema.ts'
import type { Row } from '../support/batches.ts'
import { schemaOf, wkb } from '../support/batches.ts'
import type { LoadArguments, LoadOutcome, MakeStore, StoreUnderTest } from './store-session.ts'
import { loadRows, never, readRows, stageRows, withStore } from './store-session.ts'

function identitySchema(name: string, type: AttributeType = 'int64', others: object = {}): Schema {
  const identity = { name, type, isIdentity: true as const, ...others }
  return schemaOf({ [name]: identity, name: 'text' }, 'Point')
}

const withFid = identitySchema('fid')
const row = (id: bigint | null, name: string, x = 0): Row => ({
  geometry: wkb('Point', [x, -x]),
  values: [id, name],
})

export function describeIdentities(make: MakeStore): void {
  describe('identity columns', () => {
    it('become the ids of a new table with a key of that name, and no column', withStore(make, testCreate))
    it('give new ids to rows without one, and to those whose id is taken', withStore(make, testFallback))
    it('are columns where the key is called otherwise, or they hold no integers', withStore(make, testOther))
    it('become the ids again when rows are replaced', withStore(make, testReplace))
    it('are not reused by an APPEND', withStore(make, testAppend))
    it('are taken over by an UPSERT only where they are its key', withStore(make, testUpsert))
    it('are no difference between rows unless they are a key', withStore(make, testCompare))
    it('are kept by a dry run that is taken up', withStore(make, testTakeUp))
    it('agree with a model for any ids', withStore(make, testModel))
  })
}

/** Ids and names of the rows of the table, those of the spatial index where rows are found by it. */
async function idsOf({ store }: StoreUnderTest, box?: number): Promise<string[]> {
  const bboxes = box === undefined ? {} : { bboxes: [{ minX: -1, minY: -box, maxX: box, maxY: 1 }] }
  const rows = await readRows(store, bboxes)
  const at = rows[0] === undefined ? 0 : rows[0].values.length - 1
  return rows.map(({ id, values }) => `${id} ${String(values[at])}`)
}

async function load(under: StoreUnderTest, given: LoadArguments): Promise<LoadOutcome> {
  const outcome = await loadRows(under.store, given)
  assert.deepEqual(outcome.rejects, [])
  return outcome
}

const codes = ({ messages }: Pick<LoadOutcome, 'messages'>): string[] => messages.map(({ code }) => code)

async function testCreate(under: StoreUnderTest): Promise<void> {
  const rows = [row(7n, 'a', 1), row(1_000_000_007n, 'b', 2), row(9_007_199_254_740_991n, 'c', 3)]
  const outcome = await load(under, { schema: withFid, rows })
  assert.deepEqual(codes(outcome), [])
  const expected = ['7 a', '1000000007 b', '9007199254740991 c']
  assert.deepEqual(await idsOf(under), expected)
  assert.deepEqual(await idsOf(under, 4), expected)
  assert.deepEqual(await idsOf(under, 2), expected.slice(0, 2))
  const table = await under.store.findTable('layer')
  assert.deepEqual([table?.primaryKey, table?.schema.attributes.map(({ name }) => name)], ['fid', ['name']])
  // Letter case does not count, nor the width of the integers.
  for (const [at, schema] of [
    identitySchema('FID', 'int32'),
    identitySchema('Fid', 'int16'),
    identitySchema('fid', 'decimal', { precision: 10, scale: 0 }),
  ].entries()) {
    const values = schema.attributes[0]?.type === 'decimal' ? ['5', '90'] : [5, 90]
    const few = values.map((value, place) => ({ geometry: null, values: [value, `r${place}`] }))
    await load(under, { table: `t${at}`, schema, rows: few })
    const read = await readRows(under.store, { table: `t${at}` })
    assert.deepEqual(
      read.map(({ id, values: [name, ...rest] }) => [id, name, rest]),
      [
        ['5', 'r0', []],
        ['90', 'r1', []],
      ],
    )
  }
}

async function testFallback(under: StoreUnderTest): Promise<void> {
  const rows = [row(9n, 'a', 1), row(null, 'b', 2), row(3n, 'c', 3), row(9n, 'd', 4), row(3n, 'e', 5)]
  const outcome = await load(under, { schema: withFid, rows })
  assert.deepEqual(codes(outcome), ['ids-replaced'])
  assert.match(outcome.messages[0]?.message ?? '', /^3 rows got new ids in "layer"/)
  assert.deepEqual(await idsOf(under), ['3 c', '9 a', '10 b', '11 d', '12 e'])
  for (const box of [2, 4, 9]) {
    const found = (await idsOf(under, box)).map((text) => text.slice(-1)).sort()
    assert.deepEqual(found, ['a', 'b', 'c', 'd', 'e'].slice(0, box))
  }
  // A later row gets the next id.
  await load(under, {
    mode: 'APPEND',
    schema: schemaOf({ name: 'text' }, 'Point'),
    rows: [pointOnly('f', 6)],
  })
  assert.equal((await idsOf(under)).at(-1), '13 f')
  // An id beyond those that all readers can distinguish, and negative and zero ids.
  const odd = [row(2n ** 53n, 'g'), row(-(2n ** 63n), 'h'), row(-5n, 'i'), row(0n, 'j')]
  assert.deepEqual(codes(await load(under, { table: 'odd', schema: withFid, rows: odd })), ['ids-replaced'])
  const read = await readRows(under.store, { table: 'odd' })
  assert.deepEqual(
    read.map(({ id, values }) => `${id} ${String(values[0])}`),
    ['-5 i', '0 j', '1 g', '2 h'],
  )
}

const pointOnly = (name: string, x: number): Row => ({ geometry: wkb('Point', [x, -x]), values: [name] })

async function testOther(under: StoreUnderTest): Promise<void> {
  const schema = identitySchema('gid')
  await load(under, { schema, rows: [row(1_000_000_007n, 'a'), row(5n, 'b')] })
  const [first, second] = await readRows(under.store)
  assert.deepEqual(
    [first, second].map((one) => [one?.id, one?.values]),
    [
      ['1', [1_000_000_007n, 'a']],
      ['2', [5n, 'b']],
    ],
  )
  const text = schemaOf({ fid: { name: 'fid', type: 'text', isIdentity: true } })
  await load(under, { table: 'texts', schema: text, rows: [{ values: ['x7'] }] })
  const [only] = await readRows(under.store, { table: 'texts' })
  assert.deepEqual([only?.id, only?.values], ['1', ['x7']])
}

async function testReplace(under: StoreUnderTest): Promise<void> {
  await load(under, { schema: withFid, rows: [row(7n, 'a', 1), row(8n, 'b', 2)] })
  const outcome = await load(under, {
    mode: 'REPLACE',
    schema: withFid,
    rows: [row(70n, 'c', 3), row(8n, 'd', 4)],
  })
  assert.deepEqual(codes(outcome), [])
  assert.deepEqual(await idsOf(under), ['8 d', '70 c'])
  assert.deepEqual(await idsOf(under, 3), ['70 c'])
  const worse = await load(under, {
    mode: 'REPLACE',
    schema: withFid,
    rows: [row(5n, 'e', 1), row(5n, 'f', 2), row(null, 'g', 3)],
  })
  assert.deepEqual(codes(worse), ['ids-replaced'])
  assert.deepEqual(await idsOf(under), ['5 e', '6 f', '7 g'])
  await load(under, {
    mode: 'APPEND',
    schema: schemaOf({ name: 'text' }, 'Point'),
    rows: [pointOnly('h', 4)],
  })
  assert.equal((await idsOf(under)).length, 4)
  assert.deepEqual((await idsOf(under, 3)).length, 3)
}

async function testAppend(under: StoreUnderTest): Promise<void> {
  await load(under, { schema: withFid, rows: [row(7n, 'a')] })
  const outcome = await load(under, { mode: 'APPEND', schema: withFid, rows: [row(7n, 'b'), row(100n, 'c')] })
  assert.deepEqual(codes(outcome), ['ids-not-reused'])
  assert.equal(outcome.messages[0]?.level, 'info')
  assert.deepEqual(await idsOf(under), ['7 a', '8 b', '9 c'])
}

async function testUpsert(under: StoreUnderTest): Promise<void> {
  await load(under, { schema: withFid, rows: [row(7n, 'a'), row(8n, 'b')] })
  const byFid = await load(under, {
    mode: 'UPSERT',
    upsert: { keys: ['fid'], deletesMissing: false },
    schema: withFid,
    rows: [row(8n, 'B'), row(100n, 'c')],
  })
  assert.deepEqual([codes(byFid), byFid.result.changes], [[], { added: 1, changed: 1, removed: 0, same: 0 }])
  assert.deepEqual(await idsOf(under), ['7 a', '8 B', '100 c'])
  const byName = await load(under, {
    mode: 'UPSERT',
    upsert: { keys: ['name'], deletesMissing: false },
    schema: withFid,
    rows: [row(55n, 'a'), row(7n, 'd')],
  })
  assert.deepEqual(
    [codes(byName), byName.result.changes],
    [['ids-not-reused'], { added: 1, changed: 0, removed: 0, same: 1 }],
  )
  assert.deepEqual(await idsOf(under), ['7 a', '8 B', '100 c', '101 d'])
}

async function testCompare(under: StoreUnderTest): Promise<void> {
  for (const [table, schema] of [
    ['layer', withFid],
    ['gids', identitySchema('gid')],
  ] as const) {
    await load(under, { table, schema, rows: [row(1n, 'a', 1), row(2n, 'b', 2)] })
    const rows = [row(11n, 'a', 1), row(12n, 'b', 2), row(13n, 'c', 3)]
    const request = { loadId: `${table}1`, mode: 'REPLACE' as const, isDryRun: true }
    const { staged } = await stageRows(under.store, { ...request, table, schema, rows })
    const { name } = schema.attributes[0] ?? { name: '' }
    const whole = await staged.compare?.(undefined, never)
    assert.deepEqual(whole?.counts, { added: 1, changed: null, removed: 0, same: 2 })
    const byKey = await staged.compare?.([name], never)
    assert.deepEqual(byKey?.counts, { added: 3, changed: 0, removed: 2, same: 0 })
    const byName = await staged.compare?.(['name'], never)
    assert.deepEqual(byName?.counts, { added: 1, changed: 0, removed: 0, same: 2 })
    await staged.discard()
  }
}

async function testTakeUp(under: StoreUnderTest): Promise<void> {
  const rows = [row(9n, 'a', 1), row(3n, 'b', 2), row(9n, 'c', 3)]
  for (const mode of ['CREATE', 'REPLACE'] as const) {
    const request = { mode, schema: withFid, rows, isDryRun: true }
    const { staged, reported: report } = await stageRows(under.store, { ...request, loadId: `${mode}1` })
    await staged.compare?.(undefined, never)
    assert.deepEqual(codes(report), ['ids-replaced'])
    const retainedRows = await staged.retainRows?.()
    const hooks = { signal: never, onMessage: () => undefined, onReject: () => undefined }
    const expected = { loadId: `${mode}2`, mode, table: 'layer', schema: withFid, indexes: [] }
    const taken = await under.store.takeUp?.(expected, retainedRows ?? '', hooks)
    await (await taken?.prepare())?.commit()
    assert.deepEqual(await idsOf(under), ['3 b', '9 a', '10 c'])
    assert.deepEqual((await idsOf(under, 2)).sort(), ['3 b', '9 a'])
  }
}

/**
 * Loads rows with ids that may be missing, repeated and in any order, into a new table and into an existing
 * one.
 */
async function testModel(under: StoreUnderTest): Promise<void> {
  const random = seededRandom(9)
  for (let round = 0; round < 6; round += 1) {
    const count = [1, 2, 60, 400, 3000, 5000][round] ?? 1
    const spread = [1, 3, 40, 100_000, 1_500, 1e12][round] ?? 1
    const sorted = round === 5
    const ids = Array.from({ length: count }, () =>
      random() < 0.05 && !sorted ? null : BigInt(Math.floor(random() * spread)),
    )
    if (sorted) ids.sort((one, other) => ((one ?? 0n) < (other ?? 0n) ? -1 : 1))
    const rows = ids.map((id, at) => row(id, `n${at}`, at / 10))
    const schema = withFid
    await load(under, {
      mode: round % 2 === 0 ? 'REPLACE' : 'CREATE',
      table: `m${round >> 1}`,
      schema,
      rows,
    }).catch((error: unknown) => {
      if ((error as { code?: string }).code !== 'table-exists') throw error
      return load(under, { mode: 'REPLACE', table: `m${round >> 1}`, schema, rows })
    })
    const read = await readRows(under.store, { table: `m${round >> 1}` })
    assert.equal(new Set(read.map(({ id }) => id)).size, count)
    const found = new Map(read.map(({ id, values }) => [String(values.at(-1)), id]))
    const seen = new Set<bigint>()
    for (const [at, id] of ids.entries()) {
      if (id === null || seen.has(id)) continue
      seen.add(id)
      assert.equal(found.get(`n${at}`), String(id), `round ${round}, row ${at}`)
    }
    const box = count / 20
    const bboxes = [{ minX: -1, minY: -box, maxX: box, maxY: 1 }]
    const inBox = await readRows(under.store, { table: `m${round >> 1}`, bboxes })
    assert.equal(inBox.length, ids.filter((_, at) => at / 10 <= box).length, `round ${round}`)
  }
}
