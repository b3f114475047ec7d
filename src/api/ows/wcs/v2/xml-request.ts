import type { XmlElement } from '../../../../core/text/xml-tree.ts'
import { KeyValues } from '../../key-values.ts'
import { OwsFailure } from '../../ows-failure.ts'
import type { AxisScaling, AxisSubset, CoverageRequest, WcsRequest } from '../wcs-request.ts'
import { requireFew } from './coverage-request.ts'

/** A request of WCS 2.0 as XML (OGC 09-148r1); names of elements without their prefixes. */
export function readWcsXml(root: XmlElement): Pick<WcsRequest, 'values' | 'coverage'> {
  const { name, attributes, children } = root
  const { version } = attributes
  if (version?.startsWith('1.') === true)
    throw new OwsFailure(
      'InvalidParameterValue',
      'XML requests are supported for WCS 2.0.1 only: send WCS 1.0.0 requests as key-value pairs',
      'version',
    )
  const ids = textsOf(children, 'CoverageId').join(',')
  const sections = children.filter((one) => one.name === 'Sections')
  const versions = children.filter((one) => one.name === 'AcceptVersions')
  const values = new KeyValues([
    ['request', name],
    ...(version === undefined ? [] : [['version', version] as const]),
    ['coverageid', ids],
    ['sections', sections.flatMap((one) => textsOf(one.children, 'Section')).join(',')],
    ['acceptversions', versions.flatMap((one) => textsOf(one.children, 'Version')).join(',')],
  ])
  return name === 'GetCoverage' ? { values, coverage: coverageOf(values, children) } : { values }
}

function coverageOf(values: KeyValues, children: readonly XmlElement[]): CoverageRequest {
  const extensions = children.filter((one) => one.name === 'Extension').flatMap((one) => one.children)
  const one = (name: string): string | undefined => textsOf(extensions, name)[0]
  const range = extensions.find(({ name }) => name === 'RangeSubset')
  const interpolation = extensions.find(({ name }) => name === 'Interpolation')
  const geotiff = extensions.find(({ name }) => name === 'parameters')
  const subsets = children.filter(({ name }) => /^Dimension(?:Trim|Slice)$/.test(name)).map(readSubset)
  const scales = extensions.filter(({ name }) => /^Scaling$|^Scale/.test(name)).flatMap(readScaling)
  requireFew(subsets.length + scales.length)
  return {
    coverageId: values.require('coverageid'),
    subsets,
    scales,
    subsettingCrs: one('subsettingCrs'),
    outputCrs: one('outputCrs'),
    format: textsOf(children, 'format')[0],
    mediaType: textsOf(children, 'mediaType')[0],
    range: range && rangeItems(range),
    interpolation: interpolation && textBelow(interpolation, 'globalInterpolation'),
    geotiff: new Map((geotiff?.children ?? []).map(({ name, text }) => [name.toLowerCase(), text.trim()])),
  }
}

function textsOf(elements: readonly XmlElement[], name: string): string[] {
  return elements.filter((one) => one.name === name).map(({ text }) => text.trim())
}

/** Returns the text of a child element, or the element's own text if it has no such child. */
function textBelow({ children, text }: XmlElement, name: string): string | undefined {
  const [found = text.trim()] = textsOf(children, name)
  return found === '' ? undefined : found
}

function readSubset({ children }: XmlElement): AxisSubset {
  const dimension = children.find(({ name }) => name === 'Dimension')
  const value = (name: string): string | undefined => {
    const [text = ''] = textsOf(children, name)
    return text === '' || text === '*' ? undefined : text.replace(/^"(.*)"$/s, '$1')
  }
  const [axis, crs] = [dimension?.text.trim() ?? '', dimension?.attributes['crs']]
  const [low, high, point] = [value('TrimLow'), value('TrimHigh'), value('SlicePoint')]
  if (axis === '') throw new OwsFailure('InvalidAxisLabel', 'A subset names its Dimension', 'Dimension', 404)
  return { axis, crs, low, high, point }
}

/** `Scaling` is the parent of the scale elements, or is omitted. */
function readScaling(element: XmlElement): AxisScaling[] {
  const { name, children } = element
  if (name === 'Scaling') return children.flatMap(readScaling)
  if (name === 'ScaleByFactor')
    return [{ axis: undefined, factor: textsOf(children, 'scaleFactor')[0] ?? '' }]
  return children.map((one) => {
    const [axis] = textsOf(one.children, 'axis')
    const [factor] = textsOf(one.children, 'scaleFactor')
    const [size] = textsOf(one.children, 'targetSize')
    const [low] = textsOf(one.children, 'low')
    const [high] = textsOf(one.children, 'high')
    if (axis !== undefined && factor !== undefined) return { axis, factor }
    if (axis !== undefined && size !== undefined) return { axis, size }
    if (axis !== undefined && low !== undefined && high !== undefined) return { axis, extent: [low, high] }
    throw new OwsFailure(
      'InvalidScaleFactor',
      `"${name.slice(0, 60)}" has a part without axis or number`,
      name,
      404,
    )
  })
}

function rangeItems({ children }: XmlElement): string[] {
  return children.map((item) => {
    const [component] = textsOf(item.children, 'RangeComponent')
    if (component !== undefined) return component
    const interval = item.children.find(({ name }) => name === 'RangeInterval')?.children ?? []
    return `${textsOf(interval, 'startComponent')[0] ?? ''}:${textsOf(interval, 'endComponent')[0] ?? ''}`
  })
}
