import type { RasterBand } from '../../../formats/worker.ts'
import { xmlName } from '../../../formats/writing/index.ts'
import { OwsFailure } from '../ows-failure.ts'

/** The bands of a coverage under names of XML, none twice. */
export function fieldNames(bands: readonly RasterBand[]): string[] {
  const names = new Set<string>()
  for (const [index, { description }] of bands.entries()) {
    const named = xmlName(description === undefined || description === '' ? `band${index + 1}` : description)
    names.add(names.has(named) ? freeName(names, `${named}_${index + 1}`) : named)
  }
  return [...names]
}

function freeName(names: ReadonlySet<string>, requested: string): string {
  let name = requested
  while (names.has(name)) name += '_'
  return name
}

/**
 * Numbers of bands from 1, in the order of the request: names, numbers, and intervals of them with a colon between (OGC 12-040,
 * section 7). Undefined: all. Throws `OwsFailure` (`NoSuchField`, `IllegalFieldSequence`).
 */
export function readBands(
  items: readonly string[] | undefined,
  bands: readonly RasterBand[],
): number[] | undefined {
  if (items === undefined) return undefined
  const names = fieldNames(bands)
  const found = items.flatMap((item) => {
    const whole = bandNumber(item, names, bands)
    if (whole !== undefined) return [whole]
    const [from = '', to, ...others] = item.split(':')
    if (to === undefined || others.length > 0) throw noSuchField(item)
    const [first, last] = [bandNumber(from, names, bands), bandNumber(to, names, bands)]
    if (first === undefined) throw noSuchField(from)
    if (last === undefined) throw noSuchField(to)
    if (first > last)
      throw new OwsFailure(
        'IllegalFieldSequence',
        `"${item.slice(0, 200)}" has its first field behind its last`,
        item.slice(0, 200),
        404,
      )
    return Array.from({ length: last - first + 1 }, (_, at) => first + at)
  })
  if (found.length <= maxBands) return found
  throw new OwsFailure('NoSuchField', `At most ${maxBands} fields per request`, 'rangesubset', 404)
}

const maxBands = 1000

function bandNumber(
  text: string,
  names: readonly string[],
  bands: readonly RasterBand[],
): number | undefined {
  const requested = text.trim()
  const named = names.indexOf(requested)
  if (named >= 0) return named + 1
  const described = bands.findIndex(({ description }) => description === requested)
  if (described >= 0) return described + 1
  const [, number] = /^(?:band)?(\d{1,5})$/i.exec(requested) ?? []
  const value = Number(number)
  return value >= 1 && value <= bands.length ? value : undefined
}

function noSuchField(name: string): OwsFailure {
  return new OwsFailure(
    'NoSuchField',
    `The coverage has no field "${name.slice(0, 200)}": DescribeCoverage lists them`,
    name.slice(0, 200),
    404,
  )
}
