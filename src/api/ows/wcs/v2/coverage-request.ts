import type { KeyValues } from '../../key-values.ts'
import { OwsFailure } from '../../ows-failure.ts'
import type { AxisScaling, AxisSubset, CoverageRequest } from '../wcs-request.ts'

/** Maximum number of axes, subsets and scale factors in one request. */
const maxParts = 100

/** By key and value (OGC 09-147r3, 12-039, 12-040, 12-049, 11-053r1, 12-100r1). */
export function readKvp(values: KeyValues): CoverageRequest {
  const subsets = values.all(/^subset\d*$/).flatMap((text) => splitOutside(text).map(readSubset))
  const range = values.find('rangesubset')
  const scales = readScales(values)
  requireFew(subsets.length + scales.length)
  return {
    coverageId: values.require('coverageid'),
    subsets,
    subsettingCrs: values.find('subsettingcrs'),
    outputCrs: values.find('outputcrs'),
    format: values.find('format'),
    mediaType: values.find('mediatype'),
    scales,
    range: range === undefined ? undefined : range.split(','),
    interpolation: values.find('interpolation'),
    geotiff: new Map(
      [...values.entries()].flatMap(([name, value]): [string, string][] =>
        name.startsWith('geotiff:') ? [[name.slice(8), value]] : [],
      ),
    ),
  }
}

export function requireFew(count: number): void {
  if (count <= maxParts) return
  throw new OwsFailure('InvalidSubsetting', `A request has at most ${maxParts} parts`, 'subset', 404)
}

/** Splits at commas outside parentheses and quotes. */
function splitOutside(text: string): string[] {
  const parts: string[] = []
  let [depth, start, isQuoted] = [0, 0, false]
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (character === '"') isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (character === '(') depth += 1
    else if (character === ')') {
      depth -= 1
      // An axis with a CRS has its comma before the parenthesis.
      if (depth === 0 && (text[at + 1] === ',' || text[at + 1] === ';')) {
        parts.push(text.slice(start, at + 1))
        start = at + 2
      }
    }
  }
  return [...parts, text.slice(start)]
}

/** `axis(low,high)`, `axis(point)` or `axis,crs(low,high)`; a star is an open end. */
function readSubset(text: string): AxisSubset {
  const [, head = '', inside = ''] = /^([^()]+)\((.*)\)$/s.exec(text.trim()) ?? []
  const [axis = '', crs, ...others] = head.split(',')
  const values = inside.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/).map((one) => one.trim())
  const [first = '', second, ...more] = values.map((one) => one.replace(/^"(.*)"$/s, '$1'))
  if (axis.trim() === '' || others.length > 0 || more.length > 0 || inside.trim() === '')
    throw wrongSubset(text)
  const named = { axis: axis.trim(), crs: crs?.trim() }
  if (second === undefined) {
    if (first === '*') throw wrongSubset(text)
    return { ...named, point: first }
  }
  return {
    ...named,
    low: first === '*' || first === '' ? undefined : first,
    high: second === '*' || second === '' ? undefined : second,
  }
}

function wrongSubset(text: string): OwsFailure {
  return new OwsFailure(
    'InvalidSubsetting',
    `subset "${text.slice(0, 200)}" is not of the form axis(low,high) or axis(point)`,
    'subset',
    404,
  )
}

function readScales(values: KeyValues): AxisScaling[] {
  const factor = values.find('scalefactor')
  const found: AxisScaling[] = factor === undefined ? [] : [{ axis: undefined, factor }]
  for (const name of ['scaleaxes', 'scalesize', 'scaleextent']) {
    const text = values.find(name)
    for (const part of text === undefined ? [] : splitOutside(text)) found.push(readScale(name, part))
  }
  return found
}

function readScale(name: string, text: string): AxisScaling {
  const [, axis, inside = ''] = /^([^()]+)\(([^()]+)\)$/.exec(text.trim()) ?? []
  const [low = '', high, ...others] = inside.split(/[:,]/)
  if (axis !== undefined && others.length === 0) {
    if (name === 'scaleextent' && high !== undefined) return { axis, extent: [low, high] }
    if (name === 'scaleaxes' && high === undefined) return { axis, factor: inside }
    if (name === 'scalesize' && high === undefined) return { axis, size: inside }
  }
  const form = name === 'scaleextent' ? 'axis(low:high)' : 'axis(number)'
  throw new OwsFailure(
    'InvalidScaleFactor',
    `${name} "${text.slice(0, 200)}" is not of the form ${form}`,
    name,
    404,
  )
}
