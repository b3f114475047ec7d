import { basename, extname } from 'node:path'
import type { FeatureBatch } from '../../geo/batch.ts'
import { ByteWindow } from '../byte-window.ts'
import type {
  DataFile,
  Format,
  LayerDescription,
  PlacedBatch,
  PlacedRows,
  ReadContext,
  RowAccess,
  RowAccessOptions,
} from '../format.ts'
import { FormatError } from '../format.ts'
import type { OpenFile } from '../open-file.ts'
import { openFile } from '../open-file.ts'
import { FgbFeatures, FgbRecords } from './fgb-features.ts'
import { isFgbHead } from './fgb-header.ts'
import { fgbSchema, openFgb, scanGeometryType } from './fgb-source.ts'

/** Bytes per read when features are looked up individually. */
const placedWindowBytes = 1 << 15

/** Features without a common type in the header are scanned once. */
async function describeFlatGeobuf(file: DataFile, context: ReadContext): Promise<LayerDescription[]> {
  const source = await openFile(file.path, context.signal)
  try {
    const window = ByteWindow.over(source)
    const { header, featuresAt } = await openFgb(window, source.size)
    const layer: LayerDescription = {
      name: basename(file.path, extname(file.path)),
      schema: fgbSchema(header),
      charset: 'UTF-8',
      messages: [],
    }
    if (header.envelope !== undefined) layer.envelope = header.envelope
    if (header.geometryType === 0) {
      const records = new FgbRecords(window, featuresAt, source.size)
      layer.schema = fgbSchema(header, await scanGeometryType(records))
      layer.featureCount = records.count
    } else if (header.featureCount !== undefined) layer.featureCount = header.featureCount
    else if (featuresAt === source.size) layer.featureCount = 0
    return [layer]
  } finally {
    await source.close()
  }
}

/** Opens the features of a file; the columns must be those of `layer`. */
async function openFeatures(
  source: OpenFile,
  layer: LayerDescription,
  { windowBytes, ...options }: RowAccessOptions & { windowBytes?: number } = {},
): Promise<FgbFeatures> {
  const window = ByteWindow.over(source, windowBytes)
  const { header, featuresAt } = await openFgb(window, source.size)
  const names = header.columns.map(({ attribute }) => `${attribute.name} ${attribute.type}`)
  const expected = layer.schema.attributes.map((attribute) => `${attribute.name} ${attribute.type}`)
  if (names.join() !== expected.join()) {
    throw new FormatError('The columns of the file changed since it was examined', { code: 'file-changed' })
  }
  const records = new FgbRecords(window, featuresAt, source.size)
  return new FgbFeatures(records, header, layer.schema, options)
}

async function* scanFlatGeobuf(
  file: DataFile,
  layer: LayerDescription,
  { signal }: ReadContext,
): AsyncGenerator<PlacedBatch> {
  const source = await openFile(file.path, signal)
  try {
    yield* (await openFeatures(source, layer)).batches(signal)
  } finally {
    await source.close()
  }
}

async function* readFlatGeobuf(
  file: DataFile,
  layer: LayerDescription,
  context: ReadContext,
): AsyncGenerator<FeatureBatch> {
  for await (const { batch } of scanFlatGeobuf(file, layer, context)) yield batch
}

/** Reads features by their offsets. The index of the file itself contains only envelopes and is untrusted. */
const flatgeobufRows: RowAccess = {
  sidecars: [],
  scan: scanFlatGeobuf,
  open: async (file, layer, { signal }, options) => {
    const source = await openFile(file.path, signal, { isSync: true })
    try {
      const features = await openFeatures(source, layer, { ...options, windowBytes: placedWindowBytes })
      const read: PlacedRows['read'] = (rowOffsets, own) => features.readPlaced(rowOffsets, own)
      return { files: new Map([['', source]]), read, close: source.close }
    } catch (error) {
      await source.close()
      throw error
    }
  },
}

/** FlatGeobuf 3, with or without index, also as streamed by `ogr2ogr`. */
export const flatgeobuf: Format = {
  name: 'FlatGeobuf',
  kind: 'vector',
  extensions: ['fgb'],
  mediaTypes: { 'application/flatgeobuf': ['fgb'] },
  canServeDirectly: true,
  writtenByGdal: { drivers: ['FlatGeobuf'], extension: 'fgb' },
  detect: (_file, head) => isFgbHead(head),
  describe: describeFlatGeobuf,
  read: readFlatGeobuf,
  rowAccess: flatgeobufRows,
}
