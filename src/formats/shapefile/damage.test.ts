import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import fc from 'fast-check'
import { dataFile, readContext, readLayer } from '../../../tests/support/read-layer.ts'
import { type WriterOptions, writeShapefile } from '../../../tests/support/shapefile-writer.ts'
import { FormatError } from '../format.ts'
import { shapefile } from './shapefile.ts'

const folder = mkdtempSync(join(tmpdir(), 'damage-'))
after(() => rmSync(folder, { recursive: true }))
const fixtures = join(import.meta.dirname, '../../../tests/fixtures/shapefile')

let files = 0

/** Creates five numbered points; `parts` changes the bytes of files by extension, null removes a file. */
function points(
  parts: Record<string, ((bytes: Buffer) => Buffer) | null> = {},
  more: Partial<WriterOptions> = {},
): string {
  files += 1
  const path = join(folder, `p${files}.shp`)
  const rows = [1, 2, 3, 4, 5].map((id) => ({ shape: { parts: [[id, id * 2]] }, values: [id] }))
  writeShapefile(path, { shapeType: 1, fields: [{ name: 'id', type: 'N', width: 3 }], rows, ...more })
  for (const [extension, change] of Object.entries(parts)) {
    const part = path.replace('.shp', `.${extension}`)
    if (change === null) rmSync(part)
    else writeFileSync(part, change(readFileSync(part)))
  }
  return path
}

async function summary(path: string) {
  const { layer, rows, rejects } = await readLayer(shapefile, path)
  return {
    rows: rows.map(({ geometry, values }) => `${geometry} ${values.join()}`),
    rejected: rejects.map((reject) => reject.row),
    codes: layer.messages.map((message) => message.code),
    featureCount: layer.featureCount,
  }
}

type Change = (bytes: Buffer) => Buffer
const all = [1, 2, 3, 4, 5].map((id) => `POINT (${id} ${id * 2}) ${id}`)
const withAndWithoutIndex = (shp: Change): Record<string, Change | null>[] => [{ shp }, { shp, shx: null }]
const recordAt = (record: number): number => 100 + (record - 1) * 28

describe('a Shapefile without some of its files', () => {
  it('is read without .shx', async () => {
    const read = await summary(points({ shx: null }))
    assert.deepEqual([read.rows, read.codes], [all, []])
  })

  it('has no attributes without .dbf, and says so', async () => {
    const { rows, codes, featureCount } = await summary(points({ dbf: null }))
    assert.deepEqual(
      rows,
      all.map((row) => row.slice(0, -1)),
    )
    assert.deepEqual([codes, featureCount], [['no-dbf'], 5])
  })

  it('has no CRS where the .prj is a web page, and says so', async () => {
    const path = points({}, { prj: '<!DOCTYPE html><html><body>404</body></html>' })
    const { layer } = await readLayer(shapefile, path)
    assert.equal(layer.schema.geometry?.crs, undefined)
    assert.deepEqual(
      layer.messages.map((message) => message.code),
      ['bad-prj'],
    )
    assert.match(layer.messages[0]?.message ?? '', /<!DOCTYPE/)
  })
})

describe('a damaged .shp', () => {
  it('gives a row whose shape is damaged as a reject with its properties, and reads on', async () => {
    const path = points({
      shp: (bytes) => {
        bytes.writeDoubleLE(Number.NaN, recordAt(2) + 12)
        bytes.writeInt32LE(77, recordAt(4) + 8)
        return bytes
      },
    })
    const { rows, rejects } = await readLayer(shapefile, path)
    assert.deepEqual(
      rows.map((row) => row.row),
      [1, 3, 5],
    )
    assert.deepEqual(rejects, [
      { row: 2, reason: 'Coordinate is not finite: NaN 4 (point 1)', properties: { id: '2' } },
      { row: 4, reason: 'Unknown shape type 77', properties: { id: '4' } },
    ])
  })

  it('rejects a shape of another type than the file holds', async () => {
    const shp = (bytes: Buffer): Buffer => {
      bytes.writeInt32LE(5, 32)
      return bytes
    }
    const { rejected } = await summary(points({ shp }))
    assert.deepEqual(rejected, [1, 2, 3, 4, 5])
  })

  it('rejects counts of parts and points that its record cannot hold', async () => {
    const ring = [0, 0, 0, 1, 1, 1, 0, 0]
    const rows = [1, 2, 3, 4].map((id) => ({ shape: { parts: [ring, ring] }, values: [id] }))
    const recordBytes = 8 + 44 + 8 + 8 * 16
    const at = (record: number, offset: number): number => 100 + (record - 1) * recordBytes + 8 + offset
    const shp = (bytes: Buffer): Buffer => {
      bytes.writeUInt32LE(0xffffffff, at(1, 36))
      bytes.writeUInt32LE(0x7fffffff, at(2, 40))
      bytes.writeUInt32LE(9, at(3, 48))
      return bytes
    }
    const { rows: read, rejected } = await summary(points({ shp }, { shapeType: 5, rows }))
    assert.deepEqual([rejected, read.length], [[1, 2, 3], 1])
  })

  it('that is cut off is refused, naming both lengths', async () => {
    const shp = (bytes: Buffer): Buffer => bytes.subarray(0, 200)
    await assert.rejects(summary(points({ shp })), {
      code: 'truncated',
      message: /240 bytes, the file has 200/,
    })
    await assert.rejects(summary(points({ shp, shx: null })), { code: 'truncated' })
    const between = (bytes: Buffer): Buffer => bytes.subarray(0, recordAt(4))
    await assert.rejects(summary(points({ shp: between, shx: null })), {
      code: 'truncated',
      message: /after record 3/,
    })
    await assert.rejects(summary(points({ shp: (bytes) => bytes.subarray(0, 60) })), { code: 'truncated' })
  })

  it('whose header alone is wrong about its length is read, with a message', async () => {
    for (const length of [50, 400]) {
      const shp = (bytes: Buffer): Buffer => {
        bytes.writeUInt32BE(length, 24)
        return bytes
      }
      const { rows, codes } = await summary(points({ shp }))
      assert.deepEqual([rows, codes], [all, ['wrong-length']])
    }
  })

  it('ends where its header says when what follows is not a record', async () => {
    const shp = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.from('left over from an upload')])
    const { rows, codes } = await summary(points({ shp, shx: null }))
    assert.deepEqual([rows, codes], [all, ['trailing-bytes']])
  })

  it('with a record length that leads nowhere is read by its index, and refused without', async () => {
    const shp = (bytes: Buffer): Buffer => {
      bytes.writeUInt32BE(0x7fffffff, recordAt(3) + 4)
      return bytes
    }
    assert.deepEqual((await summary(points({ shp }))).rows, all)
    await assert.rejects(summary(points({ shp, shx: null })), {
      code: 'corrupt',
      message: /Record 3 .* at byte 156/,
    })
  })

  it('of a type that is not read says which, and why multipatches are not', async () => {
    for (const [type, isDetected, message] of [
      [31, true, /multipatches .* are not read/],
      [77, false, /Shape type 77 .* is not supported/],
    ] as const) {
      const shp = (bytes: Buffer): Buffer => {
        bytes.writeInt32LE(type, 32)
        return bytes
      }
      const path = points({ shp })
      assert.equal(await shapefile.detect(dataFile(path), readFileSync(path)), isDetected)
      await assert.rejects(summary(path), { code: 'unsupported-shape-type', message })
    }
  })

  it('with bytes behind its last record that its header counts is read, by its index or up to the rows of its .dbf', async () => {
    const tails = [
      '\0',
      '\0\0\0\0',
      'left over from an upload',
      `\0\0\0\u0007${'\u00ff'.repeat(240)}`,
      '\0'.repeat(240),
    ]
    for (const tail of tails) {
      const shp = (bytes: Buffer): Buffer => {
        const longer = Buffer.concat([bytes, Buffer.from(tail, 'latin1')])
        longer.writeUInt32BE(longer.length >> 1, 24)
        return longer
      }
      for (const parts of withAndWithoutIndex(shp)) {
        const { rows, codes } = await summary(points(parts))
        assert.deepEqual([rows, codes], [all, ['trailing-bytes']], JSON.stringify([tail, Object.keys(parts)]))
      }
    }
  })

  it('whose last record says more bytes than there are is read', async () => {
    const shp = (bytes: Buffer): Buffer => {
      bytes.writeUInt32BE(100, recordAt(5) + 4)
      return bytes
    }
    for (const parts of withAndWithoutIndex(shp)) assert.deepEqual((await summary(points(parts))).rows, all)
    const cut = (bytes: Buffer): Buffer => shp(bytes).subarray(0, 230)
    await assert.rejects(summary(points({ shp: cut, shx: null })), { code: 'truncated' })
  })

  it('whose record numbers are wrong is read in the order of its records', async () => {
    const shp = (bytes: Buffer): Buffer => {
      for (const record of [1, 2, 3, 4, 5]) bytes.writeUInt32BE(record === 3 ? 0 : 9, recordAt(record))
      return bytes
    }
    for (const parts of withAndWithoutIndex(shp)) assert.deepEqual((await summary(points(parts))).rows, all)
  })
})

describe('the list of fields of a .dbf', () => {
  /**
   * Creates points with a number and a text; the list of fields ends with `mark`, or where the header says.
   */
  const withMark = (mark: number | undefined, letter = 'C'): string => {
    const fields = [
      { name: 'id', type: 'N', width: 3 },
      { name: 'name', type: 'C', width: 4 },
    ]
    const rows = [1, 2].map((id) => ({ shape: { parts: [[id, id]] }, values: [id, 'ABCD'] }))
    const dbf = (bytes: Buffer): Buffer => {
      bytes.write(letter, 64 + 11, 'latin1')
      if (mark !== undefined) bytes[96] = mark
      else bytes.writeUInt16LE(96, 8)
      return mark === undefined ? Buffer.concat([bytes.subarray(0, 96), bytes.subarray(97)]) : bytes
    }
    return points({ dbf }, { fields, rows })
  }

  it('ends with any byte or none where the header says so', async () => {
    for (const mark of [0x0d, 0x0a, 0x00, 0x20, undefined]) {
      const { rows } = await summary(withMark(mark))
      assert.deepEqual(rows, ['POINT (1 1) 1,ABCD', 'POINT (2 2) 2,ABCD'], String(mark))
    }
  })

  it('may hold fields of a type that nobody knows: they are texts', async () => {
    for (const letter of ['X', '?', '\u0001']) {
      const { rows } = await summary(withMark(0x0d, letter))
      assert.deepEqual(rows, ['POINT (1 1) 1,ABCD', 'POINT (2 2) 2,ABCD'], letter)
    }
  })
})

describe('the index of a Shapefile', () => {
  /** Swaps two entries and the record numbers, like editing in place does. */
  const swapped = {
    shx: (bytes: Buffer): Buffer => {
      const second = Buffer.from(bytes.subarray(108, 116))
      bytes.copy(bytes, 108, 132, 140)
      second.copy(bytes, 132)
      return bytes
    },
    shp: (bytes: Buffer): Buffer => {
      bytes.writeInt32BE(5, recordAt(2))
      bytes.writeInt32BE(2, recordAt(5))
      return bytes
    },
  }

  it('is followed where records stand in another order', async () => {
    const { rows, codes } = await summary(points(swapped))
    assert.deepEqual(rows, [
      'POINT (1 2) 1',
      'POINT (5 10) 2',
      'POINT (3 6) 3',
      'POINT (4 8) 4',
      'POINT (2 4) 5',
    ])
    assert.deepEqual(codes, [])
  })

  it('leaves out records that were replaced', async () => {
    const shx = (bytes: Buffer): Buffer => {
      bytes.writeInt32BE(recordAt(5) / 2, 100)
      return bytes.subarray(0, 100 + 8)
    }
    const shp = (bytes: Buffer): Buffer => {
      bytes.writeInt32BE(1, recordAt(5))
      return bytes
    }
    const dbf = (bytes: Buffer): Buffer => {
      bytes.writeUInt32LE(1, 4)
      return Buffer.concat([bytes.subarray(0, 65 + 4), Buffer.of(0x1a)])
    }
    const { rows } = await summary(points({ shx, shp, dbf }))
    assert.deepEqual(rows, ['POINT (5 10) 1'])
  })

  it('is ignored, with a message, where it does not belong to the .shp', async () => {
    const { rows, codes } = await summary(points({ shx: swapped.shx }))
    assert.deepEqual([rows, codes], [all, ['index-ignored']])
    const junk = await summary(points({ shx: (bytes) => bytes.fill(0xff, 100) }))
    assert.deepEqual([junk.rows, junk.codes], [all, ['index-ignored']])
    const short = await summary(points({ shx: (bytes) => bytes.subarray(0, 116) }))
    assert.deepEqual([short.rows, short.codes], [all, ['index-ignored']])
  })
})

describe('reading a Shapefile', () => {
  it('stops when it is told to', async () => {
    const path = join(fixtures, 'blockgroups.shp')
    const stop = new AbortController()
    const [layer] = await shapefile.describe(dataFile(path), readContext())
    assert.ok(layer !== undefined)
    stop.abort(new Error('enough'))
    const read = async (): Promise<void> => {
      for await (const _ of shapefile.read(dataFile(path), layer, { signal: stop.signal }));
    }
    await assert.rejects(read(), /enough/)
    await assert.rejects(shapefile.describe(dataFile(path), { signal: stop.signal }), /enough/)
  })

  it('closes its files, also when the reader stops early or fails', async () => {
    const openFiles = (): string[] => readdirSync('/proc/self/fd')
    const before = openFiles().length
    const path = join(fixtures, 'blockgroups.shp')
    const [layer] = await shapefile.describe(dataFile(path), readContext())
    assert.ok(layer !== undefined)
    for await (const _ of shapefile.read(dataFile(path), layer, readContext())) break
    await assert.rejects(summary(points({ shp: (bytes) => bytes.subarray(0, 200) })))
    assert.equal(openFiles().length, before)
  })

  it('never crashes on changed bytes, and accounts for every row it said there were', async () => {
    const names = ['utf', 'coutwildrnp', 'ne_110m_admin_1_states_provinces_shp']
    const change = fc.record({
      extension: fc.constantFrom('shp', 'shx', 'dbf'),
      // Changes headers and the first records most often.
      place: fc.oneof(fc.nat(300), fc.nat(1_000_000)),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }),
      cut: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(200) }),
    })
    const scenario = fc.record({
      name: fc.constantFrom(...names),
      changes: fc.array(change, { minLength: 1, maxLength: 3 }),
      hasIndex: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(scenario, async ({ name, changes, hasIndex }) => {
        const path = join(folder, 'fuzz.shp')
        for (const extension of ['shp', 'shx', 'dbf']) {
          copyFileSync(join(fixtures, `${name}.${extension}`), path.replace('.shp', `.${extension}`))
        }
        for (const { extension, place, bytes, cut } of changes) {
          const part = path.replace('.shp', `.${extension}`)
          const content = readFileSync(part)
          content.set(bytes.subarray(0, content.length), place % Math.max(1, content.length - bytes.length))
          writeFileSync(part, content.subarray(0, content.length - cut))
        }
        if (!hasIndex) rmSync(path.replace('.shp', '.shx'))
        try {
          const { layer, rows, rejects } = await readLayer(shapefile, path)
          assert.equal(rows.length + rejects.length, layer.featureCount)
        } catch (error) {
          assert.ok(error instanceof FormatError, String(error))
        }
      }),
      { numRuns: 200 },
    )
  })
})
