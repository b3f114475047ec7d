import { GeometryBuilder } from '../../geo/geometry-builder.ts'
import { GeometryError } from '../../geo/wkb.ts'
import { RowError } from '../reject-writer.ts'
import type { RowSink } from './row-sink.ts'
import type { FormatField } from './row-survey.ts'
import type { TextToken } from './xml-scanner.ts'

const maxBytes = 1 << 16

/** Returns the values of a row by their names in the source, as text: all readable ones, up to 64 KiB. */
export function rejectedValues(
  known: readonly FormatField[],
  readAgain: (sink: RowSink) => void,
): { properties: Record<string, string>; sizeBytes: number } {
  const names = known.map(({ name }) => name)
  const properties = new Map<string, string>()
  let sizeBytes = 0
  const textOf = ({ textBytes, textStart, textEnd }: TextToken): string =>
    Buffer.from(textBytes.subarray(textStart, textEnd)).toString('utf8')
  const sink: RowSink = {
    builder: new GeometryBuilder(1),
    shape: { isMulti: false, hasZ: false, hasM: false },
    isFull: false,
    field: (name) => names.push(textOf(name)) - 1,
    value: (field, text) => {
      sizeBytes += text.textEnd - text.textStart
      if (sizeBytes <= maxBytes) properties.set(names[field] ?? '', textOf(text))
    },
    geometry: () => undefined,
    commit: () => undefined,
    undo: () => undefined,
    reject: () => undefined,
  }
  try {
    readAgain(sink)
  } catch (error) {
    if (!(error instanceof RowError || error instanceof GeometryError)) throw error
  }
  return { properties: Object.fromEntries(properties), sizeBytes: Math.min(sizeBytes, maxBytes) }
}
