import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { csv } from '../../src/formats/csv/csv.ts'
import type { FeatureBatch } from '../../src/geo/batch.ts'
import { BatchBuilder } from '../../src/geo/batch.ts'
import { columnValue } from '../../src/geo/column.ts'
import {
  chainIndexes,
  describeTransform,
  foldChain,
  runChain,
  validateTransform,
} from '../../src/transforms/chain.ts'
import { findTransform, rasterTransforms, vectorTransforms } from '../../src/transforms/registry.ts'
import type { TransformSpec, VectorTransform } from '../../src/transforms/transform.ts'
import { TransformError } from '../../src/transforms/transform.ts'
import { endsSoon } from '../support/open-files.ts'
import { temporaryFiles } from '../support/temporary-files.ts'

const save = temporaryFiles()
const never = new AbortController().signal

/** The example's rows as the reader of delimited text gives them. */
async function batchOf({ type, example }: VectorTransform): Promise<FeatureBatch> {
  const file = { path: save(`${type}.csv`, example.rows), sidecars: {} }
  const [layer] = await csv.describe(file, { signal: never })
  assert.ok(layer)
  const [batch] = await Array.fromAsync(csv.read(file, layer, { signal: never }))
  assert.ok(batch)
  return batch
}

async function* one(batch: FeatureBatch): AsyncGenerator<FeatureBatch> {
  yield batch
}

async function run(batch: FeatureBatch, spec: TransformSpec, signal = never): Promise<FeatureBatch> {
  const context = { signal, onMessage: () => undefined }
  const [changed] = await Array.fromAsync(runChain(one(batch), batch.schema, [spec], context))
  assert.ok(changed)
  return changed
}

/** Rows of a batch by their number in the source, without the attributes named. */
function rowsOf({ schema, columns, rowCount, rowNumbers }: FeatureBatch, without: readonly string[]) {
  const kept = schema.attributes.flatMap(({ name }, at) => (without.includes(name) ? [] : [at]))
  return new Map(
    Array.from({ length: rowCount }, (_, row) => [
      rowNumbers[row],
      kept.map((at) => {
        const column = columns[at]
        return column === undefined ? undefined : [schema.attributes[at]?.name, columnValue(column, row)]
      }),
    ]),
  )
}

describe('every transformation', () => {
  it('is found by its type in any letter case, and names it once', () => {
    const all = [...vectorTransforms, ...rasterTransforms]
    for (const transform of all) assert.equal(findTransform(transform.type.toUpperCase()), transform)
    assert.equal(new Set(all.map(({ type }) => type.toLowerCase())).size, all.length)
  })

  for (const transform of vectorTransforms) {
    const { spec } = transform.example

    describe(transform.type, () => {
      it('shows its parameters as plain data that mean the same again', () => {
        assert.equal(validateTransform(spec), transform)
        const shown = describeTransform(spec)
        assert.deepEqual(structuredClone(shown), shown)
        assert.deepEqual(describeTransform({ ...shown, type: transform.type }), shown)
      })

      it('gives the schema that it tells, every row once, and leaves other values as they are', async () => {
        const batch = await batchOf(transform)
        const before = structuredClone(batch)
        const [schema] = foldChain(batch.schema, [spec])
        const changed = await run(batch, spec)
        assert.deepEqual(changed.schema, schema)
        assert.equal(changed.geometry === undefined, schema?.geometry === undefined)
        assert.deepEqual(
          changed.columns.map(({ type }) => type),
          schema?.attributes.map(({ type }) => type),
        )
        const rows = [...changed.rowNumbers, ...changed.rejects.map(({ row }) => row)].sort((a, b) => a - b)
        assert.deepEqual(
          rows,
          [...batch.rowNumbers, ...batch.rejects.map(({ row }) => row)].sort((a, b) => a - b),
        )
        const meant = Object.values(spec).map(String)
        const gone = batch.schema.attributes.filter(
          (one) => !schema?.attributes.some(({ name }) => name === one.name),
        )
        const added = schema?.attributes.filter(
          (one) => !batch.schema.attributes.some(({ name }) => name === one.name),
        )
        const changedNames = [...meant, ...[...gone, ...(added ?? [])].map(({ name }) => name)]
        const kept = rowsOf(batch, changedNames)
        for (const { row } of changed.rejects) kept.delete(row)
        assert.deepEqual(rowsOf(changed, changedNames), kept)
        assert.deepEqual(structuredClone(batch), before, 'the batch that it was given is another now')
      })

      it('takes a batch without rows', async () => {
        const batch = await batchOf(transform)
        const changed = await run(new BatchBuilder(batch.schema).finish(), spec)
        assert.equal(changed.rowCount, 0)
        assert.deepEqual(changed.schema, foldChain(batch.schema, [spec])[0])
      })

      it('refuses a schema that has nothing of what it needs', async () => {
        const isRefused = (error: unknown): boolean =>
          error instanceof TransformError && /1 \(/.test(error.message)
        assert.throws(() => foldChain({ attributes: [], geometry: undefined }, [spec]), isRefused)
      })

      it('stops within two seconds when it is told to', async () => {
        const batch = await batchOf(transform)
        const abort = new AbortController()
        async function* endless(): AsyncGenerator<FeatureBatch> {
          for (;;) {
            yield batch
            await new Promise(setImmediate)
          }
        }
        const context = { signal: abort.signal, onMessage: () => undefined }
        await endsSoon(transform.type, abort, async () => {
          for await (const _ of runChain(endless(), batch.schema, [spec], context));
        })
      })

      if (transform.phase === 'after') {
        it('asks for its work behind the load and changes no row', async () => {
          const batch = await batchOf(transform)
          assert.ok(chainIndexes([spec]).length > 0)
          assert.equal(await run(batch, spec), batch)
        })
      }
    })
  }

  for (const transform of rasterTransforms) {
    const { type, example } = transform

    it(`${type} shows and checks its options, and makes arguments of them`, () => {
      assert.equal(validateTransform(example), transform)
      const shown = describeTransform(example)
      assert.deepEqual(structuredClone(shown), shown)
      assert.throws(() => validateTransform({ ...example, options: ['-unheard-of'] }), TransformError)
      const runs = transform.runs(example)
      assert.ok(runs.length > 0)
      for (const one of runs) validateTransform(one)
      const step = { input: 'in.tif', output: 'out.tif', drivers: ['GTiff'] }
      const words = transform.arguments(example, step)
      assert.ok(words.includes(step.input) && words.includes(step.output) === transform.writesOutput)
      const placement = transform.placement(
        { srs: 'EPSG:4326', hasExtent: true, hasControlPoints: false },
        example,
      )
      assert.deepEqual(structuredClone(placement), placement)
    })
  }
})
