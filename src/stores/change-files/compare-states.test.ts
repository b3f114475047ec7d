import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import type { Row, Value } from '../../../tests/support/batches.ts'
import { batchesOf, schemaOf, wkb } from '../../../tests/support/batches.ts'
import { takesProcessorSeconds } from '../../../tests/support/processor-time.ts'
import { differenceByKey, differenceByRows } from '../../../tests/support/row-difference.ts'
import { makeTablePair, pairSchema, pairShapes } from '../../../tests/support/table-pairs.ts'
import type { Schema } from '../../geo/schema.ts'
import { attributeTypes } from '../../geo/schema.ts'
import type { ChangeCounts } from '../changes.ts'
import type { FeaturePage } from '../store.ts'
import type { ComparedState } from './compare-states.ts'
import { compareStates } from './compare-states.ts'
import type { RowMatch } from './spooled-rows.ts'

const never = new AbortController().signal

function stateOf(schema: Schema, rows: readonly Row[]): ComparedState {
  async function* pages(): AsyncGenerator<FeaturePage> {
    let first = 1
    for await (const batch of batchesOf(schema, rows)) {
      yield { batch, ids: Array.from({ length: batch.rowCount }, (_, at) => String(first + at)) }
      first += batch.rowCount
    }
  }
  return { schema, pages: pages() }
}

async function compare(
  t: TestContext,
  before: ComparedState,
  after: ComparedState,
  match: RowMatch,
): Promise<{ counts: ChangeCounts; matchedBy: string[]; listed: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-compare-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const request = { match, path: join(folder, 'a.gpkg'), limit: 1000, onPage: () => undefined }
  const found = await compareStates(before, after, request, never)
  assert.deepEqual(readdirSync(folder), ['a.gpkg'])
  return found
}

const plain = (name: string, columns: Value[], place = 1): Row => ({
  geometry: wkb('Point', [place, place]),
  values: [name, ...columns],
})

describe('two states of a table that are compared', () => {
  it('do not differ by the identity column of their data, unless rows are matched by it', async (t) => {
    const schema = schemaOf({ key: 'text', number: 'int32', name: 'text' })
    const rows = (numbers: number[]): ComparedState =>
      stateOf(
        schema,
        numbers.map((number, at) => ({ values: [`k${at}`, number, at === 2 ? `${number}` : 'same'] })),
      )
    const matched = async (match: RowMatch) =>
      (await compare(t, rows([1, 2, 3]), rows([4, 5, 6]), { ...match, identity: 'number' })).counts
    const changed = { added: 0, changed: 1, removed: 0, same: 2 }
    assert.deepEqual(await matched({ by: 'keys', keys: ['key'] }), changed)
    assert.deepEqual(await matched({ by: 'ids' }), changed)
    assert.deepEqual(await matched({ by: 'keys', keys: [] }), {
      added: 1,
      changed: null,
      removed: 1,
      same: 2,
    })
    const apart = { added: 3, changed: 0, removed: 3, same: 0 }
    assert.deepEqual(await matched({ by: 'keys', keys: ['number'] }), apart)
  })

  for (const shape of pairShapes) {
    it(`differ as their rows do, with every type of attribute and ${shape.name}`, async (t) => {
      const schema = pairSchema(shape, attributeTypes)
      for (let seed = 1; seed <= 4; seed += 1) {
        const { before, after, hasKeys } = makeTablePair(schema, seed)
        const whole = (rows: Row[]) => rows.map((row) => ({ ...row, geometry: row.geometry ?? null }))
        const keys = ['key']
        const found = await compare(t, stateOf(schema, before), stateOf(schema, after), { by: 'keys', keys })
        const meant = hasKeys
          ? differenceByKey(whole(before), whole(after), [0])
          : differenceByRows(whole(before), whole(after))
        assert.deepEqual(found.counts, meant, `seed ${seed}`)
        assert.deepEqual(found.matchedBy, hasKeys ? keys : [])
        const { added, changed, removed } = meant
        assert.equal(found.listed, added + (changed ?? 0) + removed)
      }
    })
  }

  const counts = async (
    t: TestContext,
    [before, oldRows]: [Schema, Row[]],
    [after, newRows]: [Schema, Row[]],
    match: RowMatch = { by: 'keys', keys: ['名'] },
  ): Promise<(number | null)[]> => {
    const found = await compare(t, stateOf(before, oldRows), stateOf(after, newRows), match)
    const { added, changed, removed, same } = found.counts
    return [added, changed, removed, same]
  }
  const named = (columns: Record<string, 'int32' | 'int64' | 'text'>) =>
    schemaOf({ 名: 'text', ...columns }, 'Point')

  it('are many rows that no key tells apart, none of which looks at all others', (t) =>
    takesProcessorSeconds(30, async () => {
      const schema = named({ n: 'int32' })
      const rows = (first: number): Row[] =>
        Array.from({ length: 40_000 }, (_, at) => plain('same', [first + at], (first + at) % 90))
      assert.deepEqual(await counts(t, [schema, rows(0)], [schema, rows(10)]), [10, null, 10, 39_990])
    }))

  it('have a column that came or went as one that is empty', async (t) => {
    const [one, two] = [named({}), named({ β: 'text' })]
    const rows = [plain('a', []), plain('b', [])]
    const more = [plain('a', ['x']), plain('b', [null])]
    assert.deepEqual(await counts(t, [one, rows], [two, more]), [0, 1, 0, 1])
    assert.deepEqual(await counts(t, [two, more], [one, rows]), [0, 1, 0, 1])
  })

  it('are the same in a wider column, and not in one of another kind', async (t) => {
    const rows = [plain('a', [1]), plain('b', [null])]
    const wide = [plain('a', [1n]), plain('b', [null])]
    const texts = [plain('a', ['1']), plain('b', [null])]
    assert.deepEqual(
      await counts(t, [named({ n: 'int32' }), rows], [named({ n: 'int64' }), wide]),
      [0, 0, 0, 2],
    )
    assert.deepEqual(
      await counts(t, [named({ n: 'int32' }), rows], [named({ n: 'text' }), texts]),
      [0, 1, 0, 1],
    )
  })

  it('differ where a place came, went or is of another type', async (t) => {
    const points = schemaOf({ 名: 'text' }, 'Point')
    const multi = schemaOf({ 名: 'text' }, 'MultiPoint')
    const none = schemaOf({ 名: 'text' })
    const single = [plain('a', []), plain('b', [])]
    const several: Row[] = ['a', 'b'].map((name) => ({
      geometry: wkb('MultiPoint', [[1, 1]]),
      values: [name],
    }))
    const bare: Row[] = ['a', 'b'].map((name) => ({ values: [name] }))
    assert.deepEqual(await counts(t, [points, single], [multi, several]), [0, 2, 0, 0])
    assert.deepEqual(await counts(t, [points, single], [none, bare]), [0, 2, 0, 0])
    assert.deepEqual(await counts(t, [none, bare], [none, bare]), [0, 0, 0, 2])
  })

  it('may be empty, and are matched by ids where these tell', async (t) => {
    const schema = named({})
    const rows = [plain('a', []), plain('b', [])]
    assert.deepEqual(await counts(t, [schema, []], [schema, rows]), [2, 0, 0, 0])
    assert.deepEqual(await counts(t, [schema, rows], [schema, []]), [0, 0, 2, 0])
    assert.deepEqual(await counts(t, [schema, []], [schema, []]), [0, 0, 0, 0])
    const other = [plain('a', []), plain('c', []), plain('d', [])]
    assert.deepEqual(await counts(t, [schema, rows], [schema, other], { by: 'ids' }), [1, 1, 0, 1])
  })
})
