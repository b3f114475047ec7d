import type { Attribute, AttributeType } from '../geo/schema.ts'
import type { ColumnRules } from './download-format.ts'

/** A column of a file. Plain data. */
export interface FileColumn {
  /** As the layer has it. */
  source: string
  /** As the file has it. */
  attribute: Attribute
}

/** What becomes of the columns of a layer. */
export interface FileColumns {
  columns: FileColumn[]
  /** Those that the format has no place for. */
  dropped: string[]
  /** Those whose values change their type. */
  asText: { name: string; type: AttributeType }[]
}

/** The columns that a file of these rules gets for attributes of a layer. */
export function fileColumns(attributes: readonly Attribute[], rules: ColumnRules = {}): FileColumns {
  const { asText = [], dropped = [], maxNameBytes } = rules
  const kept = attributes.filter(({ type }) => !dropped.includes(type))
  const names = maxNameBytes === undefined ? undefined : shortNames(kept, maxNameBytes)
  const columns = kept.map(({ name, type, ...more }, place): FileColumn => {
    const shown = names?.[place] ?? name
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

/** Names of at most so many bytes, no two alike whatever the case of their letters. */
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

/** The longest beginning of a text, in whole characters, that is no longer than so many bytes of UTF-8. */
function cutBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  return bytes.length <= maxBytes ? text : bytes.toString('utf8', 0, wholeLength(bytes, maxBytes))
}

/** The end of the last whole character within so many bytes of UTF-8. */
export function wholeLength(bytes: Uint8Array, maxBytes: number): number {
  if (bytes.length <= maxBytes) return bytes.length
  let end = maxBytes
  while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80) end -= 1
  return end
}
