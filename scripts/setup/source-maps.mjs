const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const values = new Map([...digits].map((digit, value) => [digit, value]))

/**
 * Returns a source map with the line of each position but without columns, only for sources that `isSelected`
 * accepts; undefined if there are none. The first stack trace of a thread decodes the maps of its scripts,
 * and Node expands full maps to tens of megabytes.
 */
export function lineMap({ sources, mappings }, isSelected) {
  const selected = sources.map(isSelected)
  if (!selected.includes(true)) return undefined
  const kept = new Map()
  const writer = new MappingWriter()
  const position = [0, 0, 0, 0]
  let last = ''
  for (const line of mappings.split(';')) {
    position[0] = 0
    let isFirst = true
    for (const segment of line === '' ? [] : line.split(',')) {
      decodeInto(position, segment)
      const [column, source, sourceLine] = position
      const isMapped = selected[source]
      const target = isMapped ? `${source}:${sourceLine}` : ''
      // Keeps the first position of a line: a reader of maps uses the last position before, whatever line
      // that position is on.
      if (target !== last || (isFirst && isMapped)) {
        if (isMapped && !kept.has(source)) kept.set(source, kept.size)
        writer.add(
          isMapped ? [isFirst ? 0 : column, kept.get(source), sourceLine, 0] : [isFirst ? 0 : column],
        )
      }
      last = target
      isFirst = false
    }
    writer.endLine()
  }
  return { version: 3, sources: [...kept.keys()].map((at) => sources[at]), names: [], mappings: writer.text }
}

/** Adds the differences of a segment to column, source, line and column of the source. */
function decodeInto(position, segment) {
  let field = 0
  let value = 0
  let shift = 0
  for (const digit of segment) {
    const bits = values.get(digit)
    value |= (bits & 31) << shift
    shift += 5
    if (bits & 32) continue
    if (field < position.length) position[field] += value & 1 ? -(value >>> 1) : value >>> 1
    field += 1
    value = 0
    shift = 0
  }
}

class MappingWriter {
  #lines = []
  #segments = []
  #previous = [0, 0, 0, 0]

  get text() {
    return this.#lines.join(';')
  }

  add(fields) {
    const previous = this.#previous
    this.#segments.push(fields.map((value, at) => encode(value - previous[at])).join(''))
    for (const [at, value] of fields.entries()) previous[at] = value
  }

  endLine() {
    this.#lines.push(this.#segments.join(','))
    this.#segments = []
    this.#previous[0] = 0
  }
}

function encode(number) {
  let rest = number < 0 ? (-number << 1) | 1 : number << 1
  let text = ''
  do {
    const bits = rest & 31
    rest >>>= 5
    text += digits[rest > 0 ? bits | 32 : bits]
  } while (rest > 0)
  return text
}
