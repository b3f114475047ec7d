import assert from 'node:assert/strict'
import {
  appendFileSync,
  readdirSync,
  renameSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { encodeFeature, sized, writeFlatGeobuf } from '../../../tests/support/flatgeobuf-writer.ts'
import type { WriterRow } from '../../../tests/support/shapefile-writer.ts'
import { writeShapefile } from '../../../tests/support/shapefile-writer.ts'
import { temporaryFolder } from '../../../tests/support/temporary-files.ts'
import { Failure } from '../../core/errors/errors.ts'
import { columnValue, isValid } from '../../geo/column.ts'
import { BoxTest } from '../../geo/wkb-touches.ts'
import type { FeatureQuery, StoreType } from '../store.ts'
import type { FileSource } from './file-source.ts'
import { fileSource } from './file-source.ts'
import { FileStore } from './file-store.ts'
import { buildIndex } from './index/build-index.ts'
import { findServedFormat } from './served-formats.ts'
import { withSidecars } from './with-sidecars.ts'

const signal = new AbortController().signal

function sourceOf(path: string, type: StoreType = 'Shapefile'): FileSource {
  const format = findServedFormat(type)
  assert.ok(format !== undefined)
  return fileSource({ type, parameters: { path }, indexFolder: join(dirname(path), 'indexes') }, format)
}

async function indexed(path: string, type: StoreType = 'Shapefile'): Promise<FileStore> {
  const source = sourceOf(path, type)
  await buildIndex(source, { signal })
  return new FileStore(source)
}

type Query = Partial<Omit<FeatureQuery, 'table'>>

async function idsOf(store: FileStore, table: string, query: Query = {}): Promise<string[]> {
  const ids: string[] = []
  for await (const page of store.readFeatures({ table, limit: 1e9, offset: 0, ...query }, signal))
    ids.push(...page.ids)
  return ids
}

/** Answers the same query by reading the whole file. */
async function idsByScan({ format, path }: FileSource, { bboxes, time }: Query): Promise<string[]> {
  const file = await withSidecars(path)
  const [layer] = await format.describe(file, { signal })
  assert.ok(layer !== undefined)
  const tests = bboxes?.map((box) => new BoxTest(box))
  const column = layer.schema.attributes.findIndex(({ name }) => name === time?.attribute)
  const ids: string[] = []
  for await (const batch of format.read(file, layer, { signal })) {
    for (let row = 0; row < batch.rowCount; row += 1) {
      const { geometry } = batch
      const isNear =
        tests === undefined ||
        geometry === undefined ||
        !isValid(geometry.validity, row) ||
        tests.some((test) => test.touches(geometry.bytes, geometry.offsets[row]))
      const days = time === undefined ? undefined : columnValue(batch.columns[column] as never, row)
      const startMs = typeof days === 'bigint' ? Number(days) / 1000 : Number(days) * 86_400_000
      const endMs = typeof days === 'bigint' ? startMs : startMs + 86_399_999
      const isThen =
        time === undefined ||
        (days !== null &&
          endMs >= Date.parse(time.from ?? '0000-01-01') &&
          startMs <= Date.parse(time.to ?? '9999-01-01'))
      if (isNear && isThen) ids.push(String(batch.rowNumbers[row]))
    }
  }
  return ids
}

function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const fields = [
  { name: 'name', type: 'C', width: 12 },
  { name: 'day', type: 'D', width: 8 },
]

/** Yields triangles, slivers and null shapes, some deleted, in random spatial order. */
function* triangles(count: number, seed: number): Generator<WriterRow> {
  const next = random(seed)
  for (let row = 1; row <= count; row += 1) {
    const [x, y, size] = [next() * 360 - 180, next() * 180 - 90, next() ** 4 * 40]
    const ring = [x, y, x + size, y + size * next(), x + size * next(), y - size, x, y]
    const day = `${1990 + Math.floor(next() * 30)}${String(1 + Math.floor(next() * 12)).padStart(2, '0')}15`
    yield {
      shape: next() < 0.05 ? null : { parts: [ring] },
      values: [`row ${row}`, next() < 0.1 ? null : day],
      isDeleted: next() < 0.03,
    }
  }
}

function queries(seed: number): Query[] {
  const next = random(seed)
  const box = (): { minX: number; minY: number; maxX: number; maxY: number } => {
    const [x, y, w, h] = [next() * 360 - 180, next() * 180 - 90, next() ** 3 * 200, next() ** 3 * 100]
    return { minX: x, minY: y, maxX: x + w, maxY: y + h }
  }
  const time = { attribute: 'day', from: '2001-03-15T12:00:00.000Z', to: '2010-01-01T00:00:00.000Z' }
  return [
    {},
    ...Array.from({ length: 30 }, () => ({ bboxes: [box()] })),
    { bboxes: [box(), box()] },
    { bboxes: [] },
    { bboxes: [{ minX: -1e9, minY: -1e9, maxX: 1e9, maxY: 1e9 }] },
    { time },
    { time: { attribute: 'day', from: time.from } },
    { time: { attribute: 'day', to: '1995-06-15T00:00:00.000Z' } },
    { time, bboxes: [{ minX: -90, minY: -45, maxX: 90, maxY: 45 }] },
  ]
}

const isCode =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof Failure && error.code === code

describe('a file served as it is', () => {
  it('answers every question of a Shapefile as a reading of the whole file does', async (test) => {
    const path = join(temporaryFolder(test), 'shapes.shp')
    writeShapefile(path, { shapeType: 5, fields, rows: triangles(6000, 7) })
    const store = await indexed(path)
    for (const query of queries(11)) {
      const expected = await idsByScan(sourceOf(path), query)
      assert.deepEqual(await idsOf(store, 'shapes', query), expected, JSON.stringify(query))
      assert.equal(await store.count({ table: 'shapes', ...query }, signal), expected.length)
    }
  })

  it('answers across the groups of its index, which rows that are left out do not shift', async (test) => {
    const path = join(temporaryFolder(test), 'many.shp')
    const next = random(3)
    function* points(): Generator<WriterRow> {
      for (let row = 1; row <= 530_000; row += 1) {
        const isDeleted = row % 1000 === 0
        yield { shape: { parts: [[next() * 100, next() * 100]] }, values: [row], isDeleted }
      }
    }
    writeShapefile(path, { shapeType: 1, fields: [{ name: 'n', type: 'N', width: 9 }], rows: points() })
    const store = await indexed(path)
    assert.equal(await store.count({ table: 'many' }, signal), 529_470)
    assert.deepEqual(await idsOf(store, 'many', { limit: 3, offset: 262_142 }), [
      '262405',
      '262406',
      '262407',
    ])
    assert.deepEqual(await idsOf(store, 'many', { limit: 2, offset: 529_468 }), ['529998', '529999'])
    const bboxes = [{ minX: 20, minY: 20, maxX: 20.5, maxY: 21 }]
    assert.deepEqual(await idsOf(store, 'many', { bboxes }), await idsByScan(sourceOf(path), { bboxes }))
    for (const [featureId, found] of Object.entries({
      1: 1,
      262405: 1,
      529999: 1,
      1000: 0,
      530001: 0,
      '1x': 0,
    })) {
      assert.equal((await idsOf(store, 'many', { featureId })).length, found, featureId)
    }
  })

  it('gives values and geometry of each row as a reading of the whole file does', async (test) => {
    const path = join(temporaryFolder(test), 'shapes.shp')
    writeShapefile(path, { shapeType: 5, fields, rows: triangles(900, 5) })
    const store = await indexed(path)
    const { format } = sourceOf(path)
    const file = await withSidecars(path)
    const [layer] = await format.describe(file, { signal })
    assert.ok(layer !== undefined)
    for await (const batch of format.read(file, layer, { signal })) {
      for (let row = 0; row < batch.rowCount; row += 97) {
        const featureId = String(batch.rowNumbers[row])
        for await (const { batch: one } of store.readFeatures(
          { table: 'shapes', limit: 1, offset: 0, featureId },
          signal,
        )) {
          assert.deepEqual(
            one.columns.map((column) => columnValue(column, 0)),
            batch.columns.map((column) => columnValue(column, row)),
          )
          const bytes = (at: typeof batch, index: number): Uint8Array | undefined =>
            at.geometry?.bytes.slice(at.geometry.offsets[index], at.geometry.offsets[index + 1])
          assert.deepEqual(bytes(one, 0), bytes(batch, row))
        }
      }
    }
  })

  it('knows rows without shape and shapes without row', async (test) => {
    const folder = temporaryFolder(test)
    for (const [name, dbfRows] of [
      ['fewer', 5],
      ['more', 15],
    ] as const) {
      const rows = (count: number): WriterRow[] =>
        Array.from({ length: count }, (_, at) => ({ shape: { parts: [[at, at]] }, values: [at] }))
      const field = { name: 'n', type: 'N', width: 4 }
      const path = join(folder, `${name}.shp`)
      writeShapefile(join(folder, 'other.shp'), { shapeType: 1, fields: [field], rows: rows(dbfRows) })
      writeShapefile(path, { shapeType: 1, fields: [field], rows: rows(10) })
      renameSync(join(folder, 'other.dbf'), join(folder, `${name}.dbf`))
      const store = await indexed(path)
      assert.equal(await store.count({ table: name }, signal), Math.max(10, dbfRows))
      const bboxes = [{ minX: 7, minY: 7, maxX: 8, maxY: 8 }]
      assert.deepEqual(await idsOf(store, name, { bboxes }), await idsByScan(sourceOf(path), { bboxes }))
    }
  })

  it('serves a FlatGeobuf with null, empty and mixed geometries', async (test) => {
    const path = join(temporaryFolder(test), 'mixed.fgb')
    const next = random(9)
    const features = Array.from({ length: 5000 }, (_, at) => {
      const [x, y] = [next() * 100, next() * 100]
      if (at % 50 === 0) return {}
      if (at % 51 === 0) return { geometry: { type: 1, xy: [] } }
      if (at % 2 === 0) return { geometry: { type: 1, xy: [x, y] } }
      return { geometry: { type: 2, xy: [x, y, x + next() * 5, y + next() * 5] } }
    })
    writeFileSync(path, writeFlatGeobuf({ geometryType: 0, features }))
    const store = await indexed(path, 'FlatGeobuf')
    for (const query of queries(5).filter(({ time }) => time === undefined)) {
      const expected = await idsByScan(sourceOf(path, 'FlatGeobuf'), query)
      assert.deepEqual(await idsOf(store, 'mixed', query), expected, JSON.stringify(query))
      assert.equal(await store.count({ table: 'mixed', ...query }, signal), expected.length)
    }
    assert.deepEqual(await idsOf(store, 'mixed', { featureId: '4999' }), ['4999'])
  })

  it('leaves out what cannot be read, and tells which', async (test) => {
    const path = join(temporaryFolder(test), 'damaged.fgb')
    const features = Array.from({ length: 20 }, (_, at) => ({ geometry: { xy: [at, at] } }))
    const bytes = writeFlatGeobuf({ geometryType: 1, features })
    const size = sized(encodeFeature({ geometry: { xy: [1, 1] } })).length
    bytes.fill(0xff, bytes.length - 10 * size + 4, bytes.length - 10 * size + 8)
    writeFileSync(path, bytes)
    const rejects: number[] = []
    const header = await buildIndex(sourceOf(path, 'FlatGeobuf'), {
      signal,
      onReject: ({ row }) => rejects.push(row),
    })
    assert.equal(header.rowCount + header.leftOut.count, 20)
    assert.deepEqual(
      header.leftOut.first.map(({ row }) => row),
      rejects,
    )
    assert.deepEqual(rejects, [11])
    const ids = await idsOf(new FileStore(sourceOf(path, 'FlatGeobuf')), 'damaged')
    assert.equal(ids.length, header.rowCount)
  })
})

describe('an index', () => {
  const rows = (count: number, seed = 1): WriterRow[] =>
    [...triangles(count, seed)].map((row) => ({ ...row, isDeleted: false }))
  const write = (path: string, count: number, seed?: number): void =>
    void writeShapefile(path, { shapeType: 5, fields, rows: rows(count, seed) })
  /**
   * Changes a file or folder continuously, with times in whole seconds like some file systems. Returns a
   * function that stops the changes.
   */
  function keepChanging(path: string): () => void {
    let turn = 0
    const change = (): void => {
      turn += 1
      const time = new Date((Math.floor(Date.now() / 1000) + (turn % 2)) * 1000)
      utimesSync(path, time, time)
    }
    change()
    const timer = setInterval(change, 3)
    return () => clearInterval(timer)
  }

  it('is refused as soon as anything of the file is another', async (test) => {
    const changes: Record<string, (path: string) => void> = {
      'rows of the same number and size': (path) => write(path, 50, 2),
      'times that were put back': (path) => {
        const { atime, mtime } = statSync(path)
        write(path, 50, 2)
        for (const name of readdirSync(dirname(path))) utimesSync(join(dirname(path), name), atime, mtime)
      },
      'more rows': (path) => write(path, 51),
      'a table alone': (path) => appendFileSync(path.replace('.shp', '.dbf'), ' '),
      'another file under its name': (path) => {
        write(path.replace('layer', 'other'), 50, 3)
        for (const extension of ['shp', 'shx', 'dbf'])
          renameSync(path.replace('layer.shp', `other.${extension}`), path.replace('.shp', `.${extension}`))
      },
      'a sidecar that came': (path) => writeFileSync(path.replace('.shp', '.CPG'), 'ISO-8859-1'),
    }
    for (const [name, change] of Object.entries(changes)) {
      const path = join(temporaryFolder(test), 'layer.shp')
      write(path, 50)
      const store = await indexed(path)
      assert.equal((await idsOf(store, 'layer')).length, 50)
      change(path)
      await assert.rejects(idsOf(store, 'layer'), isCode('layer-not-indexed'), name)
      await assert.rejects(store.count({ table: 'layer' }, signal), isCode('layer-not-indexed'), name)
      await buildIndex(sourceOf(path), { signal })
      assert.deepEqual(await idsOf(store, 'layer'), await idsByScan(sourceOf(path), {}), name)
    }
  })

  it('is made while other files come and go in the folder all the time, and is found again', async (test) => {
    const path = join(temporaryFolder(test), 'layer.shp')
    write(path, 50)
    const stop = keepChanging(dirname(path))
    try {
      assert.equal((await idsOf(await indexed(path), 'layer')).length, 50)
    } finally {
      stop()
    }
    const store = new FileStore(sourceOf(path))
    assert.equal((await idsOf(store, 'layer')).length, 50)
    writeFileSync(path.replace('.shp', '.cpg'), 'ISO-8859-1')
    await assert.rejects(idsOf(store, 'layer'), isCode('layer-not-indexed'))
  })

  it('is not waited for without an end where the file itself is written to all the time', async (test) => {
    const path = join(temporaryFolder(test), 'layer.shp')
    write(path, 50)
    const stop = keepChanging(path)
    try {
      await assert.rejects(buildIndex(sourceOf(path), { signal, patienceMs: 200 }), { code: 'file-changed' })
    } finally {
      stop()
    }
  })

  it('stays in use when other files come into the folder', async (test) => {
    const path = join(temporaryFolder(test), 'layer.shp')
    write(path, 50)
    const store = await indexed(path)
    writeFileSync(join(dirname(path), 'neighbour.csv'), 'a\n')
    assert.equal((await idsOf(store, 'layer')).length, 50)
  })

  it('ends an answer with an error when the file changes in the middle of it', async (test) => {
    const path = join(temporaryFolder(test), 'layer.shp')
    write(path, 6000)
    const store = await indexed(path)
    const pages = store
      .readFeatures({ table: 'layer', limit: 6000, offset: 0 }, signal)
      [Symbol.asyncIterator]()
    assert.equal((await pages.next()).done, false)
    write(path, 6000, 2)
    await assert.rejects(pages.next(), isCode('file-changed'))
  })

  it('is not used when it is half, of another version, or of another file', async (test) => {
    const path = join(temporaryFolder(test), 'layer.shp')
    write(path, 50)
    const { indexPath } = sourceOf(path)
    for (const spoil of [
      () => truncateSync(indexPath, statSync(indexPath).size - 1),
      () => truncateSync(indexPath, 10),
      () => writeFileSync(indexPath, Buffer.alloc(4096)),
      () => writeFileSync(indexPath, ''),
    ]) {
      const store = await indexed(path)
      spoil()
      await assert.rejects(idsOf(store, 'layer'), isCode('layer-not-indexed'))
    }
  })

  it('leaves nothing behind when it is not finished', async (test) => {
    const path = join(temporaryFolder(test), 'layer.shp')
    write(path, 50)
    await assert.rejects(buildIndex(sourceOf(path), { signal: AbortSignal.abort() }), /abort/)
    truncateSync(path, statSync(path).size - 3)
    await assert.rejects(buildIndex(sourceOf(path), { signal }), /cut short/)
    const left = readdirSync(dirname(path), { recursive: true }).filter((name) =>
      String(name).includes('.index'),
    )
    assert.deepEqual(left, [])
  })
})
