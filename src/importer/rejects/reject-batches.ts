import { type RejectLine, readRejectLines } from '../../formats/reject-lines.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import { BatchBuilder } from '../../geo/batch.ts'
import type { VarBuilder } from '../../geo/column-builder.ts'
import type { Attribute, GeometryField, GeometryType, Schema } from '../../geo/schema.ts'
import { geometryTypeName } from '../../geo/wkb.ts'
import { convertColumn } from '../../stores/worker.ts'
import { rejectColumns } from '../model/load-rules.ts'
import type { ListedRejects } from './reject-texts.ts'
import { reasonsOf, valueText } from './reject-texts.ts'

/** Rejected rows as a table. A column with a text that its type cannot represent becomes a text column. */
export interface RejectTable {
  schema: Schema
  read(): AsyncGenerator<FeatureBatch>
}

/** Returns the schema with the reason columns before those of the row. */
function textSchema({ schema }: ListedRejects): Schema {
  const names = Object.values(rejectColumns(schema))
  const own = schema.attributes.map(({ name }) => name)
  const geometry: GeometryField | undefined =
    schema.geometry === undefined ? undefined : { ...schema.geometry, type: 'Geometry' }
  return { attributes: [...names, ...own].map((name) => ({ name, type: 'text' as const })), geometry }
}

function cut(text: string, maxBytes: number): string {
  let end = text.length
  while (Buffer.byteLength(text.slice(0, end)) > maxBytes) end -= 1
  return text.slice(0, end)
}

function append(builder: BatchBuilder, line: RejectLine, names: readonly string[], maxBytes: number): void {
  const reasons = Object.values(reasonsOf(line)).map(valueText)
  const values = names.map((name) => valueText(line.properties?.[name]))
  const reported = reasons.map((text) => (text === undefined ? undefined : cut(text, maxBytes)))
  for (const [index, text] of [...reported, ...values].entries())
    if (text !== undefined) (builder.columns[index] as VarBuilder).appendString(text)
    else builder.columns[index]?.appendNull()
  if (line.wkb !== undefined) builder.geometry?.appendWkb(Buffer.from(line.wkb, 'base64'))
  builder.endRow(line.row)
}

async function* readTexts(
  listed: ListedRejects,
  maxBytes: number,
  signal: AbortSignal,
): AsyncGenerator<FeatureBatch> {
  const schema = textSchema(listed)
  const names = listed.schema.attributes.map(({ name }) => name)
  let builder = new BatchBuilder(schema)
  for await (const line of readRejectLines(listed.path)) {
    append(builder, line, names, maxBytes)
    if (!builder.isFull) continue
    signal.throwIfAborted()
    yield builder.finish()
    builder = new BatchBuilder(schema)
  }
  if (!builder.isEmpty) yield builder.finish()
}

/** Returns a geometry type that covers all of these types. */
function commonType(codes: ReadonlySet<number>, own: GeometryType): GeometryType {
  const [first, second, ...more] = [...codes].sort((a, b) => a - b)
  if (first === undefined) return own
  if (second === undefined) return geometryTypeName(first)
  return more.length === 0 && second === first + 3 ? geometryTypeName(second) : 'Geometry'
}

/** Reads all rows to find the possible types of their columns. */
export async function openRejectTable(
  listed: ListedRejects,
  { maxTextBytes = Number.POSITIVE_INFINITY }: { maxTextBytes?: number },
  signal: AbortSignal,
): Promise<RejectTable> {
  const reasonCount = Object.keys(rejectColumns(listed.schema)).length
  const requested = listed.schema.attributes.map(({ name, type }): Attribute => ({ name, type }))
  const codes = new Set<number>()
  for await (const batch of readTexts(listed, maxTextBytes, signal)) {
    requested.forEach((attribute, index) => {
      const column = batch.columns[reasonCount + index]
      if (column === undefined || attribute.type === 'text') return
      convertColumn(column, batch.rowCount, { ...attribute }, () => {
        attribute.type = 'text'
      })
    })
    addCodes(codes, batch)
  }
  const { attributes, geometry } = textSchema(listed)
  const reasons = attributes
    .slice(0, reasonCount)
    .map((one, index): Attribute => (index === 0 ? { ...one, type: 'int64' } : one))
  const type = commonType(codes, listed.schema.geometry?.type ?? 'Geometry')
  const schema: Schema = {
    attributes: [...reasons, ...requested],
    geometry: geometry === undefined ? undefined : { ...geometry, type },
  }
  return { schema, read: () => readTyped(listed, schema, maxTextBytes, signal) }
}

function addCodes(codes: Set<number>, { geometry, rowCount }: FeatureBatch): void {
  if (geometry === undefined) return
  const { bytes, offsets } = geometry
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let row = 0; row < rowCount; row += 1) {
    const at = offsets[row] as number
    if (at !== offsets[row + 1]) codes.add(view.getUint32(at + 1, true) % 1000)
  }
}

async function* readTyped(
  listed: ListedRejects,
  schema: Schema,
  maxTextBytes: number,
  signal: AbortSignal,
): AsyncGenerator<FeatureBatch> {
  const fail = (_row: number, reason: string): never => {
    throw new Error(`The list of rejected rows was changed while it was read: ${reason}`)
  }
  for await (const batch of readTexts(listed, maxTextBytes, signal)) {
    const columns = batch.columns.map((column, index) =>
      convertColumn(column, batch.rowCount, schema.attributes[index] as Attribute, fail),
    )
    yield { ...batch, schema, columns }
  }
}
