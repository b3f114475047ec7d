import { basename, extname } from 'node:path'
import { parseLiteral } from '../../core/values/number-text.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import { BatchBuilder } from '../../geo/batch.ts'
import { emptyEnvelope, isEmptyEnvelope } from '../../geo/envelope.ts'
import type { Schema } from '../../geo/schema.ts'
import { geometryTypeCode } from '../../geo/wkb.ts'
import type { DataFile, Format, LayerDescription, ReadContext } from '../format.ts'
import { FormatError } from '../format.ts'
import { openFile } from '../open-file.ts'

const schema: Schema = {
  attributes: [],
  geometry: { name: 'geom', type: 'Point', hasZ: true, hasM: false, crs: undefined },
}
const pieceBytes = 1 << 16
const longestLine = 1000
const pointCode = geometryTypeCode('Point')

/** The lines of a file, a piece of it at a time, without those that are blank. */
async function* readLines(path: string, signal: AbortSignal): AsyncGenerator<string[]> {
  const file = await openFile(path, signal)
  try {
    const piece = new Uint8Array(pieceBytes)
    let rest = ''
    for (let position = 0, count = 1; count > 0; position += count) {
      count = await file.read(piece, position)
      const lines = (rest + Buffer.from(piece.subarray(0, count)).toString('latin1')).split('\n')
      rest = count === 0 ? '' : (lines.pop() ?? '')
      if (rest.length > longestLine) throw new FormatError(`A line has more than ${longestLine} characters`)
      yield lines.filter((line) => line.trim() !== '')
    }
  } finally {
    await file.close()
  }
}

/** Three numbers; undefined where a line holds anything else. */
function parsePoint(line: string): [number, number, number] | undefined {
  const [x, y, z, ...more] = line.trim().split(/\s+/).map(parseLiteral)
  return x === undefined || y === undefined || z === undefined || more.length > 0 ? undefined : [x, y, z]
}

function appendLine(batch: BatchBuilder, row: number, line: string): void {
  const point = parsePoint(line)
  const { geometry } = batch
  if (point === undefined || geometry === undefined) {
    batch.rejectRow({ row, value: line.slice(0, 200), reason: 'The line does not hold three numbers' })
    return
  }
  const [x, y, z] = point
  geometry.header(pointCode, true, false)
  geometry.coordinate(x, y)
  geometry.ordinate(z)
  geometry.endGeometry()
  batch.endRow(row)
}

async function describeXyz({ path }: DataFile, { signal }: ReadContext): Promise<LayerDescription[]> {
  const envelope = emptyEnvelope()
  let featureCount = 0
  for await (const lines of readLines(path, signal)) {
    featureCount += lines.length
    for (const [x, y] of lines.flatMap((line) => [parsePoint(line) ?? []])) {
      if (x === undefined || y === undefined) continue
      envelope.minX = Math.min(envelope.minX, x)
      envelope.minY = Math.min(envelope.minY, y)
      envelope.maxX = Math.max(envelope.maxX, x)
      envelope.maxY = Math.max(envelope.maxY, y)
    }
  }
  const bounds = isEmptyEnvelope(envelope) ? {} : { envelope }
  return [{ name: basename(path, extname(path)), schema, featureCount, ...bounds, messages: [] }]
}

async function* readXyz(
  { path }: DataFile,
  _layer: LayerDescription,
  { signal }: ReadContext,
): AsyncGenerator<FeatureBatch> {
  let batch = new BatchBuilder(schema)
  let row = 0
  for await (const lines of readLines(path, signal)) {
    for (const line of lines) {
      row += 1
      appendLine(batch, row, line)
      if (!batch.isFull) continue
      yield batch.finish()
      signal.throwIfAborted()
      batch = new BatchBuilder(schema)
    }
  }
  if (!batch.isEmpty) yield batch.finish()
}

/** Points with heights as text: x, y and z in each line, apart by blanks. */
export const xyz: Format = {
  name: 'XYZ',
  kind: 'vector',
  extensions: ['xyz'],
  canServeDirectly: false,
  detect: ({ path }, head) => {
    const [first = ''] = Buffer.from(head.subarray(0, longestLine)).toString('latin1').split('\n')
    return extname(path).toLowerCase() === '.xyz' && parsePoint(first) !== undefined
  },
  describe: describeXyz,
  read: readXyz,
}
