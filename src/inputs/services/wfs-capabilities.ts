import { readXmlTree, type XmlElement } from '../../core/text/xml-tree.ts'
import { findCrs } from '../../geo/crs-database.ts'

/** Description of a feature type in the capabilities of a WFS. */
export interface FeatureTypeAbout {
  /** Identifier of the default CRS, as the service writes it. */
  defaultCrs?: string
  /** Bounds in degrees: west, south, east, north. */
  bounds?: [number, number, number, number]
}

const limits = { maxDepth: 60, maxElements: 2_000_000, maxAttributes: 100 }

/** Returns the description of a feature type; empty if the capabilities are not readable. */
export function parseFeatureTypeAbout(text: string, layer: string): FeatureTypeAbout {
  let tree: XmlElement
  const stop = (): never => {
    throw new SyntaxError('The capabilities are not readable')
  }
  try {
    tree = readXmlTree(text, { ...limits, nameOf: localName, onBroken: stop, onTooLarge: stop })
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
  const types = childrenOf(childrenOf(tree.children, /^WFS_Capabilities$/), /^FeatureTypeList$/)
  const named = types
    .filter(({ name }) => name === 'FeatureType')
    .map((one) => ({ one, name: textOf(one, /^Name$/) ?? '' }))
  const found =
    named.find(({ name }) => name === layer) ?? named.find(({ name }) => localName(name) === localName(layer))
  if (found === undefined) return {}
  const defaultCrs = textOf(found.one, /^Default(?:SRS|CRS)$/)
  return { defaultCrs, bounds: boundsOf(found.one) }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function childrenOf(elements: readonly XmlElement[], form: RegExp): XmlElement[] {
  return elements.filter(({ name }) => form.test(name)).flatMap(({ children }) => children)
}

function textOf({ children }: XmlElement, form: RegExp): string | undefined {
  const text = children.find(({ name }) => form.test(name))?.text.trim()
  return text === '' ? undefined : text
}

function boundsOf({ children }: XmlElement): FeatureTypeAbout['bounds'] {
  const box = children.find(({ name }) => name === 'WGS84BoundingBox')
  if (box === undefined) return undefined
  const corners = [textOf(box, /^LowerCorner$/), textOf(box, /^UpperCorner$/)]
  const [west, south, east, north] = corners.flatMap((corner) => (corner ?? '').split(/\s+/).map(Number))
  const isComplete = [west, south, east, north].every((one) => one !== undefined && Number.isFinite(one))
  return isComplete ? [west ?? 0, south ?? 0, east ?? 0, north ?? 0] : undefined
}

/** Code of a CRS that has latitude or northing first; undefined for all others. */
function yxCode(srsName: string): string | undefined {
  const [, code] = /(?:^|[:#/])(?:EPSG)(?::[\d.]*)?[:#/](?:[\d.]*\/)?(\d+)$/i.exec(srsName) ?? []
  return code !== undefined && findCrs(`EPSG:${code}`)?.axisOrder === 'yx' ? code : undefined
}

/** Short form of an identifier, for which WFS 1.1 defines no axis order (04-094, section 9.2). */
const shortForm = /^EPSG:\d+$/i

/**
 * Returns the identifier with latitude first, if a page of WFS 1.1 uses a short identifier such as
 * `EPSG:4326` for such coordinates; undefined if x is first. MapServer writes the short form for coordinates
 * with latitude first, even if the request contains the URN. Degrees are compared with the bounds of the
 * feature type.
 */
export function meantCrs(
  srsName: string,
  position: readonly number[] | undefined,
  { defaultCrs, bounds }: FeatureTypeAbout,
): string | undefined {
  if (!shortForm.test(srsName)) return undefined
  const code = yxCode(srsName)
  if (code === undefined) return undefined
  const urn = `urn:ogc:def:crs:EPSG::${code}`
  const isUrn = defaultCrs !== undefined && !shortForm.test(defaultCrs) && yxCode(defaultCrs) === code
  const [a, b] = position ?? []
  if (bounds === undefined || a === undefined || b === undefined || !isDegrees(code))
    return isUrn ? urn : undefined
  const isXy = isWithin(bounds, a, b)
  const isYx = isWithin(bounds, b, a)
  if (isXy !== isYx) return isYx ? urn : undefined
  return isUrn ? urn : undefined
}

function isDegrees(code: string): boolean {
  return findCrs(`EPSG:${code}`)?.kind === 'geographic'
}

function isWithin(
  [west, south, east, north]: readonly [number, number, number, number],
  x: number,
  y: number,
) {
  const tolerance = 0.001
  const isInX = x >= west - tolerance && x <= east + tolerance
  return isInX && y >= south - tolerance && y <= north + tolerance
}
