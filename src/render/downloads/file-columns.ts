import type { Attribute, AttributeType } from '../../geo/schema.ts'
import type { ColumnRules } from './download-format.ts'

/** A column of a file. Plain data. */
export interface FileColumn {
  /** Column name in the layer. */
  source: string
  /** Column in the file. */
  attribute: Attribute
}

/** Columns of a layer in the file. */
export interface FileColumns {
  columns: FileColumn[]
  /** Columns that the format cannot store. */
  dropped: string[]
  /** Columns whose values change their type. */
  asText: { name: string; type: AttributeType }[]
}

/** Returns the columns of a file with these rules for attributes of a layer. */
export function fileColumns(attributes: readonly Attribute[], rules: ColumnRules = {}): FileColumns {
  const { asText = [], dropped = [], maxNameBytes } = rules
  const kept = attributes.filter(({ type }) => !dropped.includes(type))
  const names = maxNameBytes === undefined ? undefined : shortNames(kept, maxNameBytes)
  const columns = kept.map(({ name, type, ...more }, index): FileColumn => {
    const shown = names?.[index] ?? name
    const isText = asText.includes(type)
    const limits = { ...more, isNullable: true }
    return {
      source: name,
      attribute: isText ? { name: shown, type: 'text' } : { ...limits, name: shown, type },
    }
  })
  return {
    columns,
    dropped: attributes.filter(({ type }) => dropped.includes(type)).map(({ name }) => name),
    asText: kept.filter(({ type }) => asText.includes(type)).map(({ name, type }) => ({ name, type })),
  }
}

/** Returns names up to a maximum number of bytes, unique without case. */
function shortNames(attributes: readonly Attribute[], maxBytes: number): string[] {
  const taken = new Set<string>()
  return attributes.map(({ name }) => {
    let short = cutBytes(name, maxBytes)
    for (let number = 1; taken.has(short.toLowerCase()); number += 1)
      short = `${cutBytes(name, maxBytes - String(number).length - 1)}_${number}`
    taken.add(short.toLowerCase())
    return short
  })
}

/** Returns the longest prefix of whole characters within a number of bytes in UTF-8. */
function cutBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  return bytes.length <= maxBytes ? text : bytes.toString('utf8', 0, wholeLength(bytes, maxBytes))
}

/** Returns the end of the last whole character within a number of bytes in UTF-8. */
export function wholeLength(bytes: Uint8Array, maxBytes: number): number {
  if (bytes.length <= maxBytes) return bytes.length
  let end = maxBytes
  while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80) end -= 1
  return end
}
