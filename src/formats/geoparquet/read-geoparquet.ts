import { basename, extname } from 'node:path'
import type { FeatureBatch } from '../../geo/batch.ts'
import type { GeometryField, Schema } from '../../geo/schema.ts'
import type { DataFile, FormatMessage, FormatReading, LayerDescription, ReadContext } from '../format.ts'
import { FormatError } from '../format.ts'
import type { OpenFile } from '../open-file.ts'
import { openFile } from '../open-file.ts'
import { attributeOfNode, isFlat } from './column-cursor.ts'
import type { GeometryInfo } from './geo-metadata.ts'
import { findGeometry } from './geo-metadata.ts'
import { nativeShape } from './native-geometry.ts'
import { damaged } from './parquet-error.ts'
import type { ParquetFile } from './parquet-file.ts'
import { openParquet } from './parquet-file.ts'
import type { LayerColumns } from './row-groups.ts'
import { ParquetRowReader } from './row-groups.ts'
import { surveyWkb } from './survey-wkb.ts'

export const geoparquetReading: FormatReading = { describe, read }

function layerColumns(parquet: ParquetFile, info: GeometryInfo | undefined): LayerColumns {
  const { children } = parquet.root
  const node = children.find(({ name }) => name === info?.column)
  const attributes = children.filter((child) => child !== node && info?.coverings.has(child.name) !== true)
  if (node === undefined || info === undefined) return { attributes, geometry: undefined }
  if (info.encoding === 'wkb' && !(isFlat(node) && node.element.type === 'BYTE_ARRAY')) {
    throw damaged(`the column "${node.name}" should hold geometries and holds no bytes`)
  }
  return { attributes, geometry: { node, info } }
}

async function geometryField(
  file: OpenFile,
  parquet: ParquetFile,
  { node, info }: NonNullable<LayerColumns['geometry']>,
): Promise<GeometryField> {
  const { encoding } = info
  const shape =
    encoding === 'wkb' ? (info.shape ?? (await surveyWkb(file, parquet, node))) : nativeShape(encoding, node)
  return { name: node.name, ...shape, crs: info.crs }
}

async function describe(file: DataFile, { signal }: ReadContext): Promise<LayerDescription[]> {
  const source = await openFile(file.path, signal)
  try {
    const parquet = await openParquet(source)
    const info = findGeometry(parquet)
    const columns = layerColumns(parquet, info)
    const schema: Schema = {
      attributes: columns.attributes.map(attributeOfNode),
      geometry: columns.geometry && (await geometryField(source, parquet, columns.geometry)),
    }
    const layer: LayerDescription = {
      name: basename(file.path, extname(file.path)),
      schema,
      featureCount: parquet.rowCount,
      messages: messagesOf(info, schema),
    }
    if (info?.envelope !== undefined) layer.envelope = info.envelope
    return [layer]
  } finally {
    await source.close()
  }
}

function messagesOf(info: GeometryInfo | undefined, { attributes }: Schema): FormatMessage[] {
  const messages = [...(info?.messages ?? [])]
  const others = info?.others.filter((name) => attributes.some((attribute) => attribute.name === name)) ?? []
  if (others.length > 0) {
    const message = `The file has further geometries, which are loaded as plain columns: ${others.join(', ')}`
    messages.push({ level: 'warning', code: 'geometry-as-column', message })
  }
  return messages
}

async function* read(
  file: DataFile,
  layer: LayerDescription,
  { signal }: ReadContext,
): AsyncGenerator<FeatureBatch> {
  const source = await openFile(file.path, signal)
  try {
    const parquet = await openParquet(source)
    const columns = layerColumns(parquet, findGeometry(parquet))
    const found = columns.attributes.map(attributeOfNode).map(({ name, type }) => `${name} ${type}`)
    const expected = layer.schema.attributes.map(({ name, type }) => `${name} ${type}`)
    if (found.join('\n') !== expected.join('\n')) {
      throw new FormatError('The columns of the file changed since it was examined', { code: 'file-changed' })
    }
    yield* new ParquetRowReader(layer.schema, columns).read(source, parquet, signal)
  } finally {
    await source.close()
  }
}
