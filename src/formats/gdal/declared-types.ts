import { openGuarded } from '../../core/files/guarded-files.ts'
import type { CellParser } from '../../core/values/cell-kind.ts'
import { asciiText } from '../../core/values/decimal.ts'
import { isDecimalLiteral } from '../../core/values/number-text.ts'
import type { ColumnBuilder } from '../../geo/column-builder.ts'
import { createColumnBuilder } from '../../geo/column-builder.ts'
import type { AttributeType } from '../../geo/schema.ts'
import { attributeTypes } from '../../geo/schema.ts'
import type { DataFile } from '../format.ts'
import { appendDumpValue } from './dump-values.ts'
import { appendInferred } from './inferred-value.ts'

const maxBytes = 4 << 20
const propertyForm = /<PropertyDefn>\s*<Name>([^<]+)<\/Name>[\s\S]*?<\/PropertyDefn>/g
const typeForm = /<DeclaredType>(\w+)<\/DeclaredType>/
/** A date of XML Schema with an optional time zone, which does not affect the day. */
const dateZone = /^(\d{4}-\d\d-\d\d)(?:Z|[+-]\d\d:\d\d)$/

/**
 * Returns the attribute types that the `.gfs` file of a GML file declares. Terrane writes such files for
 * features of a WFS. GDAL reads all attributes as text and ignores the element with the type.
 */
export async function readDeclaredTypes({ sidecars }: DataFile): Promise<ReadonlyMap<string, AttributeType>> {
  const types = new Map<string, AttributeType>()
  const path = sidecars['gfs']
  if (path === undefined) return types
  const file = await openGuarded(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0)
    for (const [text, name = ''] of buffer.subarray(0, bytesRead).toString('utf8').matchAll(propertyForm)) {
      const declared = typeForm.exec(text)?.[1]
      const type = attributeTypes.find((one) => one === declared)
      if (type !== undefined) types.set(name, type)
    }
  } finally {
    await file.close()
  }
  return types
}

/** Appends a text of a dump to a column whose type was inferred or declared; false if it does not fit. */
export function appendTyped(
  target: ColumnBuilder,
  parser: CellParser,
  bytes: Uint8Array,
  start: number,
  end: number,
): boolean {
  if (target.kind === 'var') return appendDumpValue(target, bytes, start, end)
  if (appendInferred(target, parser, bytes, start, end)) return true
  if (target.type !== 'date') return appendDumpValue(target, bytes, start, end)
  const [, day] = dateZone.exec(asciiText(bytes, start, end)) ?? []
  return day !== undefined && appendDumpValue(target, bytes, start, start + day.length)
}

/** Checks that all texts of a column fit its declared type. */
export class DeclaredColumn {
  readonly type: AttributeType
  readonly #scratch: ColumnBuilder
  doesFit = true

  constructor(type: AttributeType) {
    this.type = type
    this.#scratch = createColumnBuilder(type, 1)
  }

  observe(parser: CellParser, bytes: Uint8Array, start: number, end: number): void {
    if (!this.doesFit || this.type === 'text') return
    if (this.type === 'decimal') this.doesFit = isDecimalLiteral(asciiText(bytes, start, end))
    else this.doesFit = appendTyped(this.#scratch, parser, bytes, start, end)
    this.#scratch.truncate(0)
  }
}
