import type { FileMetaData, SchemaElement } from 'hyparquet'
import { parquetMetadata } from 'hyparquet'
import type { OpenFile } from '../open-file.ts'
import { damaged, guarded, notSupported, tooLarge } from './parquet-error.ts'
import { encryptedMagic, parquetMagic } from './parquet-head.ts'
import { thriftEnd } from './thrift-walk.ts'

const maxFooterBytes = 64 << 20
const maxMetadataValues = 5_000_000
const maxDepth = 32
const maxFixedBytes = 1 << 24
const maxElements = 20_000
/**
 * A group of rows without any bytes is possible (all null); numbers far beyond those of any real file are
 * rejected.
 */
const maxRowsPerByte = 100
const fewRows = 1_000_000

/** An element of the schema: a leaf has values, others have children. */
export interface ParquetNode {
  element: SchemaElement
  name: string
  /** Path below the root, joined by dots. */
  path: string
  children: ParquetNode[]
  /** Definition level of a value that is present (Parquet's "Nested Encoding"). */
  maxDefinition: number
  maxRepetition: number
  /** Leaf number, which is that of its chunk in each row group; for a group that of its first leaf. */
  leaf: number
}

export interface ColumnChunk {
  start: number
  length: number
  codec: string
}

export interface ParquetRowGroup {
  rowCount: number
  /** By leaf number. */
  chunks: ColumnChunk[]
}

export interface ParquetFile {
  root: ParquetNode
  leafCount: number
  rowCount: number
  rowGroups: ParquetRowGroup[]
  keyValues: Map<string, string>
}

async function readExactly(file: OpenFile, position: number, count: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(count)
  let length = 0
  while (length < count) {
    const got = await file.read(bytes.subarray(length), position + length)
    if (got === 0) throw damaged('it became shorter while it was read')
    length += got
  }
  return bytes
}

/**
 * Reads the metadata in the footer (Apache Parquet format, "Metadata") and checks them against the size of
 * the file.
 */
export async function openParquet(file: OpenFile): Promise<ParquetFile> {
  if (file.size < 12) throw damaged(`it has ${file.size} bytes`)
  const tail = await readExactly(file, file.size - 8, 8)
  const ending = String.fromCharCode(...tail.subarray(4))
  if (ending === encryptedMagic) throw notSupported('The Parquet file is encrypted: decrypt it first')
  if (ending !== parquetMagic) throw damaged('it does not end with "PAR1", so its end is missing')
  const length = new DataView(tail.buffer).getUint32(0, true)
  if (length > file.size - 12)
    throw damaged(`its footer should take ${length} bytes, the file has ${file.size}`)
  if (length > maxFooterBytes)
    throw tooLarge(`The footer takes ${length} bytes; at most ${maxFooterBytes} are read`)
  const footer = await readExactly(file, file.size - 8 - length, length + 8)
  if (thriftEnd(footer, 0, length, maxMetadataValues) === undefined) throw damaged('its footer breaks off')
  return checkMetadata(
    guarded('its footer', () => decodeFooter(footer)),
    file.size - 8 - length,
  )
}

function decodeFooter(footer: Uint8Array): FileMetaData {
  const raw = (bytes: Uint8Array): Uint8Array => bytes
  const asIs = (value: unknown): unknown => value
  return parquetMetadata(footer, {
    geoparquet: false,
    parsers: {
      stringFromBytes: raw,
      uuidFromBytes: raw,
      dateFromDays: asIs,
      timestampFromMilliseconds: asIs,
      timestampFromMicroseconds: asIs,
      timestampFromNanoseconds: asIs,
    },
  })
}

function checkMetadata(metadata: FileMetaData, dataEnd: number): ParquetFile {
  const { root, leafCount } = schemaTree(metadata.schema)
  const rowGroups = metadata.row_groups.map((group, index): ParquetRowGroup => {
    const rowCount = countOf(group.num_rows, `the rows of row group ${index + 1}`)
    if (group.columns.length !== leafCount) {
      throw damaged(`row group ${index + 1} has ${group.columns.length} columns, the schema ${leafCount}`)
    }
    return { rowCount, chunks: group.columns.map((column) => chunkOf(column, dataEnd)) }
  })
  const rowCount = rowGroups.reduce((sum, group) => sum + group.rowCount, 0)
  if (rowCount !== countOf(metadata.num_rows, 'its rows')) {
    throw damaged(`it declares ${metadata.num_rows} rows, its row groups have ${rowCount}`)
  }
  if (rowCount > fewRows && rowCount > dataEnd * maxRowsPerByte) {
    throw tooLarge(`The Parquet file declares ${rowCount} rows in ${dataEnd} bytes, more than it can hold`)
  }
  const pairs = metadata.key_value_metadata?.map(({ key, value }): [string, string] => [key, value ?? ''])
  return { root, leafCount, rowCount, rowGroups, keyValues: new Map(pairs) }
}

function countOf(value: unknown, what: string): number {
  const count = Number(value)
  if (!Number.isSafeInteger(count) || count < 0) throw damaged(`the count of ${what} is ${String(value)}`)
  return count
}

function chunkOf(
  column: FileMetaData['row_groups'][number]['columns'][number],
  dataEnd: number,
): ColumnChunk {
  const { meta_data: data, file_path: elsewhere } = column
  if (elsewhere !== undefined && elsewhere !== '') {
    throw notSupported('The Parquet file keeps its data in other files, which is not read')
  }
  if (column.crypto_metadata !== undefined)
    throw notSupported('The Parquet file is encrypted: decrypt it first')
  if (data === undefined) throw damaged('a column has no metadata')
  const first = countOf(data.data_page_offset, 'the start of a column')
  const dictionary = Number(data.dictionary_page_offset ?? 0)
  const start = dictionary > 0 && dictionary < first ? dictionary : first
  const length = countOf(data.total_compressed_size, 'the bytes of a column')
  if (start + length > dataEnd)
    throw damaged(`column "${data.path_in_schema.join('.')}" reaches beyond its data`)
  return { start, length, codec: data.codec }
}

/** The decoder accepts any type of value for a field. */
function checkElement({
  name,
  num_children,
  type_length,
  scale,
  precision,
  logical_type,
}: SchemaElement): void {
  const decimal = logical_type?.type === 'DECIMAL' ? [logical_type.scale, logical_type.precision] : []
  const numbers = [num_children, type_length, scale, precision, ...decimal]
  if (typeof name === 'string' && numbers.every((value) => value === undefined || Number.isInteger(value)))
    return
  throw damaged('a column of its schema has neither name nor size')
}

function schemaTree(schema: readonly SchemaElement[]): { root: ParquetNode; leafCount: number } {
  if (schema.length > maxElements) throw tooLarge(`The Parquet file has more than ${maxElements} columns`)
  let next = 0
  let leafCount = 0
  const take = (parent: ParquetNode | undefined, depth: number): ParquetNode => {
    const element = schema[next]
    if (element === undefined || depth > maxDepth) throw damaged('its schema is not a tree')
    checkElement(element)
    next += 1
    const isRoot = parent === undefined
    const repetition = isRoot ? 'REQUIRED' : element.repetition_type
    const node: ParquetNode = {
      element,
      name: element.name,
      path: parent === undefined || depth === 1 ? element.name : `${parent.path}.${element.name}`,
      children: [],
      maxDefinition: (parent?.maxDefinition ?? 0) + (repetition === 'REQUIRED' ? 0 : 1),
      maxRepetition: (parent?.maxRepetition ?? 0) + (repetition === 'REPEATED' ? 1 : 0),
      leaf: leafCount,
    }
    const count = element.num_children ?? 0
    for (let child = 0; child < count; child += 1) node.children.push(take(node, depth + 1))
    if (node.children.length > 0) return node
    if (!isRoot && element.type === undefined) throw damaged(`"${node.path}" has neither a type nor children`)
    const { type, type_length: length = 0 } = element
    if (type === 'FIXED_LEN_BYTE_ARRAY' && !(length > 0 && length <= maxFixedBytes)) {
      throw damaged(`values of "${node.path}" have ${length} bytes`)
    }
    if (!isRoot) leafCount += 1
    return node
  }
  const root = take(undefined, 0)
  if (next !== schema.length) throw damaged('its schema is not a tree')
  return { root, leafCount }
}
